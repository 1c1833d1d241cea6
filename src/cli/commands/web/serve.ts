import { readTextFile } from '../../../app/base.js';
import { isPushKnown } from '../../../app/notices/push-known.js';
import { openFile, startDetachedWeb } from '../../../app/open-web.js';
import type { Services } from '../../../app/services.js';
import {
  isHoldfastError,
  messageOf,
  visibleBlock,
  visibleJson,
  visibleLine,
} from '../../../foundation/index.js';
import { listServers, webPlace, writeLauncher } from '../../../web/server/index.js';
import { serveWeb } from '../../../web/server/serve.js';
import { type CommandContext, flagOf, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink } from '../../fleet.js';
import { showLink } from './show-link.js';
import { assertPerson, makeLink } from './web-desk.js';

export interface ServeValues {
  readonly port: number | undefined;
  readonly open: boolean;
  readonly detach: boolean;
  readonly bind: string | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly behind: readonly string[];
  readonly socket: string | undefined;
}

/** `holdfast web`: serves the page until it is asked to stop. */
export async function serve(context: CommandContext, values: ServeValues): Promise<ExitCode> {
  if (values.detach) return serveDetached(context, values);
  const { services, signal } = context;
  const { port, bind, behind, socket } = values;
  const tls = tlsOf(context, values);
  const server = await serveWeb(services, { port, bind, behind, socket, tls, limits: webLimits(services) });
  await using _link = await holdLink(context);
  await using _notices = noticesWhenWanted(services);
  try {
    await announce(context, server.origins, { pid: process.pid, isOpened: values.open });
    await Promise.race([server.asked, aborted(signal)]);
  } finally {
    await server.close();
  }
  return signal.aborted ? ExitCode.interrupted : ExitCode.done;
}

export function webLimits({ config }: Services) {
  return {
    signInFailures: 5,
    writes: config.get('web.writesPerMinute'),
    streams: config.get('web.streams'),
  };
}

/** `--detach`: serves the page in its own process; this command ends as soon as that is serving. */
async function serveDetached(context: CommandContext, values: ServeValues): Promise<ExitCode> {
  const { services, terminal, signal, isJson } = context;
  const place = webPlace(services);
  const serverOf = (pid: number) => listServers(place).find((server) => server.pid === pid);
  const { pid, exit } = await startDetachedWeb(services, wordsOf(values), {
    isUp: (started) => serverOf(started) !== undefined,
    signal,
  });
  if (exit !== null) {
    if (isJson) terminal.write(visibleJson({ success: false, error: exit.stderr.trim() }));
    else terminal.complain(visibleBlock(exit.stderr.trim()));
    return (exit.code ?? ExitCode.failed) as ExitCode;
  }
  await announce(context, serverOf(pid)?.origins ?? [], { pid, isOpened: values.open });
  return ExitCode.done;
}

/** The same command line for the process in the background. */
function wordsOf({ detach: _detach, open: _open, ...values }: ServeValues): string[] {
  const options = Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
    [value ?? []].flat().map((one) => `${flagOf(name)}=${String(one)}`),
  );
  return ['web', ...options, '--quiet'];
}

/** Says where the page is; a link is printed to a person's terminal and nowhere else. */
async function announce(
  context: CommandContext,
  origins: readonly string[],
  { pid, isOpened }: { readonly pid: number; readonly isOpened: boolean },
): Promise<void> {
  const { services, terminal, isJson } = context;
  const [origin = ''] = origins;
  const isBehindUs = pid === process.pid;
  if (isJson) terminal.write(visibleJson({ origins, pid }));
  else terminal.note(`Serving the page at ${visibleLine(origin)}${isBehindUs ? '' : ` (process ${pid})`}`);
  if (isJson) return;
  if (!isPerson(context)) {
    terminal.note('No link is printed here; `holdfast web link` makes one in your own terminal.');
    return;
  }
  const link = await makeLink(services, origins, 'steer');
  showLink(context, link);
  terminal.note(
    `Another browser: \`holdfast web link\`. Who is signed in: \`holdfast web devices\`. ${isBehindUs ? 'Ctrl+C ends it.' : '`holdfast web stop` ends it.'}`,
  );
  if (isOpened) await openLink(context, link.links[0] ?? origin);
}

async function openLink({ services, terminal }: CommandContext, link: string): Promise<void> {
  try {
    await openFile(services, writeLauncher(webPlace(services), link));
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    terminal.complain(`No browser was opened: ${visibleLine(messageOf(error))}`);
  }
}

function isPerson({ services, terminal }: CommandContext): boolean {
  try {
    assertPerson(services, terminal.isInteractive);
    return true;
  } catch (error) {
    if (isHoldfastError(error, 'LINK_REFUSED')) return false;
    throw error;
  }
}

function tlsOf({ services }: CommandContext, { tlsCert, tlsKey }: ServeValues) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw new UsageError('--tls-cert and --tls-key go together');
  return { certificate: readTextFile(services, tlsCert), key: readTextFile(services, tlsKey) };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** How soon a browser that subscribes to notices is noticed. */
const LOOK_MS = 5_000;

/**
 * The server of the page also sends notices to its devices. It reads no questions for that before somebody wants notices: there
 * may be ten thousand.
 */
function noticesWhenWanted(services: Services): AsyncDisposable {
  const isWanted = () =>
    Object.keys(services.config.get('notices.channels')).length > 0 || isPushKnown(services);
  let opening: Promise<AsyncDisposable> | undefined;
  const look = () => {
    if (opening !== undefined || !isWanted()) return;
    clearInterval(looking);
    opening = import('../../../app/notices/open-notices.js').then(({ openNotices }) => openNotices(services));
    opening.catch((error: unknown) => services.log.error('web.failed', { error: messageOf(error) }));
  };
  const looking = setInterval(look, LOOK_MS);
  look();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      const notices = await opening?.catch(() => undefined); // already reported
      await notices?.[Symbol.asyncDispose]();
    },
  };
}
