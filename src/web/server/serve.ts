import type { RequestListener } from 'node:http';
import type { Services } from '../../app/services.js';
import { messageOf } from '../../foundation/index.js';
import { systemCode } from '../../storage/index.js';
import type { Answers } from './answers.js';
import type { OwnParts } from './compose.js';
import { PortTakenError } from './errors.js';
import { writeAudit } from './files/audit.js';
import { revokeDevices } from './files/devices.js';
import { sweepLaunchers } from './files/launcher.js';
import { fixOrigin, movePort, readOrigin } from './files/origin.js';
import { portOwner } from './files/port-owner.js';
import { listServers, noteServer } from './files/servers.js';
import { type WebPlace, webPlace } from './files/web-place.js';
import { OwnOrigins } from './gate/own-origins.js';
import type { WebLimits } from './gate/rates.js';
import { checkReach, originsOf, type Reach } from './gate/reach.js';
import { type Listener, listenOnPort, listenOnSocket, portOf, stopListening } from './listen.js';
import { Streams } from './live/streams.js';

export interface ServeOptions extends Reach {
  readonly limits: WebLimits;
}

/** The page while it is served. */
export interface WebServer {
  /** Where it can be opened; the origin for links comes first. */
  readonly origins: readonly string[];
  /** Resolves when `holdfast web stop` asks it to stop. */
  readonly asked: Promise<void>;
  close(): Promise<void>;
}

/** Serves the page until it is closed. Throws BIND_REFUSED, PORT_TAKEN, INVALID_INPUT, UNSAFE_PATH, STORAGE_FAILED. */
export async function serveWeb(services: Services, options: ServeOptions): Promise<WebServer> {
  checkReach(options);
  const place = webPlace(services);
  // Nothing is answered before the server knows its own name.
  let answers: LateAnswers | undefined;
  const listeners = await open(place, options, (request, response) => {
    if (answers === undefined) response.destroy();
    else void answers.answer(request, response);
  });
  try {
    const port = options.socket === undefined && listeners[0] !== undefined ? portOf(listeners[0]) : null;
    const origins = new OwnOrigins(originsOf(options, nameFor(place, options, port), port ?? 0));
    const ending = new AbortController();
    // Before the server is announced, since this refuses a directory that is not ours alone.
    const streams = new Streams(place);
    answers = new LateAnswers(services, {
      place,
      origins,
      limits: options.limits,
      signal: ending.signal,
      streams,
    });
    const urls = origins.all.map(({ origin }) => origin);
    const noted = noteServer(place, { origins: urls, port, socket: options.socket ?? null });
    const sweeping = setInterval(() => sweepLaunchers(place), SWEPT_EVERY_MS);
    const asked = new Promise<void>((resolve) => noted.onStop(resolve));
    return {
      origins: urls,
      asked,
      async close() {
        ending.abort();
        clearInterval(sweeping);
        sweepLaunchers(place, true);
        streams[Symbol.dispose]();
        await Promise.all(listeners.map(stopListening));
        await answers?.[Symbol.asyncDispose]();
        noted.close();
      },
    };
  } catch (error) {
    await Promise.all(listeners.map(stopListening));
    throw error;
  }
}

/** Most of what a server loads and follows is only for its answers, so they open at the first request (docs/decisions/0204). */
class LateAnswers implements AsyncDisposable {
  readonly #services: Services;
  readonly #own: OwnParts;
  #opening: Promise<Answers> | undefined;

  constructor(services: Services, own: OwnParts) {
    this.#services = services;
    this.#own = own;
  }

  async answer(...[request, response]: Parameters<RequestListener>): Promise<void> {
    this.#opening ??= import('./answers.js').then(({ openAnswers }) =>
      openAnswers(this.#services, this.#own),
    );
    try {
      (await this.#opening).answer(request, response);
    } catch (error) {
      // The next request tries again.
      this.#opening = undefined;
      this.#services.log.error('web.failed', { error: messageOf(error) });
      response.destroy();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const answers = await this.#opening?.catch(() => undefined); // already reported
    await answers?.[Symbol.asyncDispose]();
  }
}

const SWEPT_EVERY_MS = 60_000;

async function open(
  place: WebPlace,
  options: ServeOptions,
  answer: Parameters<typeof listenOnPort>[2],
): Promise<Listener[]> {
  const { socket } = options;
  if (socket !== undefined) return [await listenOnSocket(place.tools.fileSystem, socket, answer)];
  const port = options.port ?? readOrigin(place)?.port ?? 0;
  try {
    return await listenOnPort(options, port, answer);
  } catch (error) {
    if (systemCode(error) !== 'EADDRINUSE') throw error;
    throw await portTaken(place, port);
  }
}

/**
 * A program that has our port may have received what browsers keep for it: cookies and the page's key. Unless it is another
 * server of ours, everyone signed in there is signed out.
 */
async function portTaken(place: WebPlace, port: number): Promise<PortTakenError> {
  const ours = listServers(place).find((server) => server.port === port);
  if (ours !== undefined) return new PortTakenError(port, { server: ours.pid }, null);
  const owner = portOwner(place.tools.fileSystem, port);
  if (readOrigin(place)?.port !== port) return new PortTakenError(port, owner, null);
  const reason = `its port was taken by ${owner ?? 'another program'}`;
  const revoked = revokeDevices(place, reason, ({ origin }) => new URL(origin).port === String(port));
  for (const { id, name } of revoked)
    await writeAudit(place, { what: 'revoked', device: id, name, result: 'done', reason }).catch(
      (error: unknown) => place.tools.log.warn('web.audit-failed', { device: id, error: messageOf(error) }),
    );
  return new PortTakenError(port, owner, revoked.length);
}

/** The name never changes; nor does the port, unless the person names another one and nobody serves on the old one. */
function nameFor(place: WebPlace, { port: wished }: ServeOptions, port: number | null): string {
  const known = readOrigin(place);
  if (port === null) return known?.name ?? '';
  if (known === undefined) return fixOrigin(place, port).name;
  const isServed = listServers(place).some((server) => server.port === known.port);
  if (wished !== undefined && !isServed) movePort(place, port);
  return known.name;
}
