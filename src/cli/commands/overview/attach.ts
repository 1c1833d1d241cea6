import { journalOf } from '../../../app/overview/open-overview.js';
import { lookForRun } from '../../../app/run/run-place.js';
import { runServices } from '../../../app/run/run-services.js';
import type { Services } from '../../../app/services.js';
import { messageOf, visibleLine } from '../../../foundation/index.js';
import type { LocatedRun } from '../../../overview/index.js';
import { type JournalEntry, JournalReader } from '../../../run/index.js';
import { runDescriber } from '../../../run/journal/describe-run.js';
import { steerRun } from '../../../run/open/steer-run.js';
import type { LoopRequestInput } from '../../../sessions/loop/index.js';
import { type CommandContext, defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { loadScreen } from '../../load-screen.js';
import { orElsewhere, tellElsewhere } from '../../remote-run.js';
import { followRun, hasJournal, isRun, NO_JOURNAL } from './follow-run.js';
import { follow, lineWriter } from './logs.js';

const attach = defineCommand({
  summary: 'Show the live view of a run of any project, with its keys',
  usage: 'attach [run]',
  details:
    'From any terminal, even for a run that has ended. a answers, p pauses and resumes, g guides, s stops; q and Ctrl+C leave the\n' +
    'view, and the run continues. Without a run: the one of this project. Without a terminal: its lines, like logs -f.',
  options: {},
  examples: ['holdfast attach', 'holdfast attach 3f2a'],
  run: (context, { positionals: [run] }) =>
    orElsewhere(context, run, () => attachHere(context, run), tellElsewhere),
});

export const commands = [attach];

async function attachHere(context: CommandContext, run: string | undefined): Promise<ExitCode> {
  const { services, terminal, isJson, signal } = context;
  const place = lookForRun(services, run);
  if (!hasJournal(context, place)) {
    terminal.note(NO_JOURNAL);
    return ExitCode.done;
  }
  if (isJson || !isScreen(context)) return follow(context, place, lineWriter(context));
  await attachTo(context, place, 'cli');
  return signal.aborted ? ExitCode.interrupted : ExitCode.done;
}

function isScreen({ terminal, services }: CommandContext): boolean {
  return terminal.isInteractive && process.stderr.isTTY === true && services.environment.TERM !== 'dumb';
}

/** Shows a run until the person leaves, which does not affect the run. */
export async function attachTo(
  context: CommandContext,
  place: LocatedRun,
  actor: 'cli' | 'top',
): Promise<void> {
  const { services, terminal, signal } = context;
  const load = () => import('../../../tui/run-view/open.js');
  const { openRunView, noteTerminal } = await loadScreen(services, load);
  const { stdin, stdout, stderr } = process;
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const view = openRunView({
    questions: services.questions.as(actor),
    clock: services.clock,
    stdin,
    stdout,
    stderr,
    // Never fires: leaving the view must not stop the run.
    signal: new AbortController().signal,
    noteTerminal,
    hasColor: terminal.hasColor,
    isAttached: true,
    send: (request) => send(services, place, request, { actor, signal }),
    interrupt: () => leave(),
    describe: runDescriber(true),
    onBroken: (error) => {
      services.log.warn('run.view-broken', { error: messageOf(error) });
      leave();
    },
  });
  signal.addEventListener('abort', leave, { once: true });
  const entries = lastStart(new JournalReader(journalOf(services, place.sessionId)).read());
  for (const { event, at } of entries) view.show(event, Date.parse(at));
  if (!isRun(place)) view.left();
  const following = followRun(context, place, {
    from: (entries.at(-1)?.seq ?? -1) + 1,
    onEntry: ({ event }) => view.show(event),
    onGone: () => view.left(),
  });
  if (signal.aborted) leave();
  await left;
  following.close();
  signal.removeEventListener('abort', leave);
  await view.close();
}

const MAX_AGENT_EVENTS = 500;

/** What happened since the run was last started; of what the agent did, only the newest. */
function lastStart(entries: readonly JournalEntry[]): JournalEntry[] {
  const from = entries.findLastIndex(({ event }) => event.type === 'run-start');
  const own = entries.slice(Math.max(0, from));
  const ofAgent = own.filter(({ event }) => event.type === 'agent');
  const oldest = ofAgent.at(-MAX_AGENT_EVENTS)?.seq ?? 0;
  return own.filter(({ event, seq }) => event.type !== 'agent' || seq >= oldest);
}

/** Sends a request. Pausing a run without a process means resuming it. */
async function send(
  services: Services,
  { loops, sessionId, isArchived }: LocatedRun,
  request: LoopRequestInput,
  by: { readonly actor: string; readonly signal: AbortSignal },
): Promise<void> {
  if (isArchived) throw new Error('A newer run of its project took its place');
  const isGone = loops.owner().hold !== 'held';
  const meant: LoopRequestInput = isGone && request.kind === 'pause' ? { kind: 'resume' } : request;
  const project = runServices(services).at(loops.projectDirectory);
  const { isDone, words } = await steerRun(project, meant, { sessionId, ...by });
  if (!isDone) throw new Error(visibleLine(words));
}
