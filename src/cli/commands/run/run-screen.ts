import { messageOf, visibleJson } from '../../../foundation/index.js';
import type { JournalEntry, PreparedRun, RunEvent } from '../../../run/index.js';
import { runDescriber } from '../../../run/journal/describe-run.js';
import type { CommandContext } from '../../command.js';
import { loadScreen } from '../../load-screen.js';
import type { CommandNotices } from '../../open-notices.js';
import { RunLines } from '../../render/run.js';

/** The place where a run is shown. */
export interface RunScreen extends AsyncDisposable {
  show(entry: JournalEntry): void;
}

/** Events as JSON, a live view in a terminal that has room for one, plain lines otherwise. */
export async function openRunScreen(
  context: CommandContext,
  prepared: PreparedRun,
  options: { readonly isPlain: boolean; readonly notices: CommandNotices },
): Promise<RunScreen> {
  if (context.isJson) return jsonScreen(context);
  const lines = new RunLines(context, prepared.wishes.isUnattended);
  if (options.isPlain || !canRedraw(context)) return plainScreen(lines);
  return liveScreen(context, prepared, lines, options.notices);
}

function jsonScreen({ terminal }: CommandContext): RunScreen {
  return {
    show: ({ at, event }) => terminal.write(visibleJson({ at, ...event })),
    async [Symbol.asyncDispose]() {},
  };
}

function plainScreen(lines: RunLines): RunScreen {
  return {
    show: ({ event }) => lines.show(event),
    async [Symbol.asyncDispose]() {
      lines[Symbol.dispose]();
    },
  };
}

/** stderr must be a terminal as well: a person who redirects notes to a file wants lines. */
function canRedraw({ terminal, services }: CommandContext): boolean {
  return (
    terminal.isInteractive &&
    !terminal.isQuiet &&
    process.stderr.isTTY === true &&
    services.environment.TERM !== 'dumb' &&
    process.stdout.columns >= MIN_SCREEN.columns &&
    process.stdout.rows >= MIN_SCREEN.rows
  );
}

const MIN_SCREEN = { columns: 60, rows: 12 };

async function liveScreen(
  { services, terminal, signal }: CommandContext,
  { loops }: PreparedRun,
  lines: RunLines,
  notices: CommandNotices,
): Promise<RunScreen> {
  const load = () => import('../../../tui/run-view/open.js');
  const { openRunView, noteTerminal } = await loadScreen(services, load);
  const { questions, clock } = services;
  const { stdin, stdout, stderr } = process;
  const view = openRunView({
    questions,
    clock,
    stdin,
    stdout,
    stderr,
    signal,
    noteTerminal,
    onSeen: notices.noteSeen,
    hasColor: terminal.hasColor,
    send: (request) => loops.request(request),
    interrupt: () => process.kill(process.pid, 'SIGINT'),
    // The view itself says how to answer.
    describe: runDescriber(true),
    onBroken: (error) => services.log.warn('run.view-broken', { error: messageOf(error) }),
  });
  let end: RunEvent | undefined;
  return {
    show({ event }) {
      if (event.type === 'run-end') end = event;
      if (!view.isBroken) view.show(event);
      if (view.isBroken) lines.show(event);
    },
    async [Symbol.asyncDispose]() {
      await view.close();
      if (end !== undefined && !view.isBroken) lines.show(end);
      lines[Symbol.dispose]();
    },
  };
}
