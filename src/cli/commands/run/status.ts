import { openLoops } from '../../../app/index.js';
import { overviewReader } from '../../../app/overview/open-overview.js';
import { openRunStatus } from '../../../app/run/open-run-status.js';
import { placeOfRun } from '../../../app/run/run-place.js';
import { runShelf } from '../../../app/run/run-shelf.js';
import type { RemoteRun } from '../../../fleet/index.js';
import { sleepOrHint, visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { inOrder } from '../../../models/top/index.js';
import { listOverview } from '../../../overview/index.js';
import { showRun } from '../../../run/index.js';
import { lastWords } from '../../../run/records/run-words.js';
import { type CommandContext, defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { openQuestions } from '../../fleet.js';
import { orElsewhere } from '../../remote-run.js';
import { renderLoop } from '../../render/loop.js';
import { renderOverview } from '../../render/overview.js';

/** How often a countdown on a screen is redrawn. */
const TICK_MS = 1_000;
/** How often to check the owner if no file changes: a process that dies makes no event. */
const LOOK_MS = 2_000;

const status = defineCommand({
  operation: showRun,
  usage: 'status [run]',
  details:
    'The nearest .prp-session upwards from here, or the run of any project by its id: what it is waiting for and since when, how far its phase is, and\n' +
    'what to type next. Exit code 4 when there is none. --watch shows it again whenever it changes, until Ctrl+C; with\n' +
    '--json, or into a pipe, each change is printed below the last.',
  options: {
    watch: { type: 'boolean', about: 'show it again whenever it changes' },
    all: {
      type: 'boolean',
      about: 'the runs of every project instead: what is waiting, working or ended today',
    },
  },
  examples: [
    'holdfast status',
    'holdfast status --json',
    'holdfast status 3f2a --watch',
    'holdfast status --all',
  ],
  async run(context, { positionals: [run], values }) {
    if (values.all && values.watch)
      throw new UsageError('Use --all or --watch, not both; `holdfast top` watches all');
    if (values.all && run !== undefined) throw new UsageError('Use --all or name one run, not both');
    if (values.all) return showAll(context);
    return orElsewhere(
      context,
      run,
      async () => showOne({ ...context, services: placeOfRun(context.services, run) }, values.watch),
      async ({ run: found }) => showElsewhere(context, found, values.watch),
    );
  },
});

export const commands = [status];

async function showOne(context: CommandContext, isWatched: boolean): Promise<ExitCode> {
  const { services, terminal } = context;
  const loops = openLoops(services);
  const isFound = loops.isFound();
  if (isWatched && isFound) return watch(context, loops);
  terminal.write(await show(context));
  noteLastWords(context, loops);
  if (!isFound) terminal.note(ELSEWHERE);
  return isFound ? ExitCode.done : ExitCode.notFound;
}

async function showAll(context: CommandContext): Promise<ExitCode> {
  const { services, terminal, isJson } = context;
  await using open = await openQuestions(context);
  await open.elsewhere?.refresh();
  const parts = { overview: overviewReader(services, open.elsewhere) };
  const rows = await perform(context, listOverview, parts, { kinds: ['run'] });
  terminal.write(
    isJson ? visibleJson(inOrder(rows)) : renderOverview(rows, services.clock.now(), terminal.style),
  );
  open.tellTrouble();
  return ExitCode.done;
}

/** Shows what its row has; the rest is on its machine. */
function showElsewhere(
  { services, terminal, isJson }: CommandContext,
  { row, machine }: RemoteRun,
  isWatched: boolean,
): ExitCode {
  if (isWatched)
    throw new UsageError('A run on another machine is watched with `holdfast top`', {
      hint: `It is on ${visibleLine(machine)}.`,
    });
  if (isJson) terminal.write(visibleJson({ found: true, machine, run: row }));
  else terminal.write(renderOverview([row], services.clock.now(), terminal.style));
  return ExitCode.done;
}

type Loops = ReturnType<typeof openLoops>;

async function show(context: CommandContext): Promise<string> {
  const { services, terminal, isJson } = context;
  const { clock } = services;
  const { report, offer, faults } = await perform(context, showRun, { runs: openRunStatus(services) }, {});
  if (isJson) {
    return offer.found
      ? visibleJson({ found: true, loop: report, resume: offer, faults, ...worktreeFacts(context) })
      : visibleJson({ found: false, status: 'idle', message: IDLE });
  }
  if (!offer.found) return IDLE;
  return `${renderLoop({ report, offer, faults }, clock.now(), terminal.style)}${worktreeLine(context)}`;
}

function worktreeFacts({ services }: CommandContext): object {
  const { worktree } = services.config;
  if (worktree === undefined) return {};
  const { path, branch, repository, baseCommit } = worktree;
  return { worktree: { path, branch, repository, baseCommit } };
}

function worktreeLine({ services }: CommandContext): string {
  const { worktree } = services.config;
  if (worktree === undefined) return '';
  return `\nworktree    ${visibleLine(worktree.path)} on ${visibleLine(worktree.branch)}`;
}

/** Shows the last words of a run in the background, which had no terminal to print them to. */
function noteLastWords({ services, terminal, isJson }: CommandContext, loops: Loops): void {
  const view = isJson || loops.owner().hold === 'held' ? undefined : loops.get();
  const words = view === undefined ? null : lastWords(runShelf(services), view.sessionId);
  if (words === null) return;
  const last = words.split('\n').at(-1) ?? '';
  terminal.note(`The run in the background said: ${visibleExcerpt(last, 200)} (all of it: holdfast report)`);
}

const IDLE = 'No loop in this project.';
const ELSEWHERE =
  '`holdfast run <plan>` starts a run here; `holdfast top --once` lists the runs of other projects.';

async function watch(context: CommandContext, loops: Loops): Promise<ExitCode> {
  const { services, terminal, signal, isJson } = context;
  const isScreen = terminal.isInteractive && !isJson;
  let wake = () => {};
  const watching = [loops.watch(() => wake()), services.questions.watch(() => wake())];
  try {
    for (let shown = ''; ; ) {
      const hint = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const current = await show(context);
      if (current !== shown) terminal.print(isScreen ? `\u001b[H\u001b[2J${current}\n` : `${current}\n`);
      shown = current;
      await sleepOrHint(services.clock, isScreen ? TICK_MS : LOOK_MS, hint, signal);
      if (signal.aborted) return ExitCode.interrupted;
    }
  } finally {
    for (const one of watching) one.close();
  }
}
