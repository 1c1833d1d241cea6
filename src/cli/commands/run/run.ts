import { runServices } from '../../../app/run/run-services.js';
import {
  AbortedError,
  actorIn,
  counted,
  isUuidV4,
  visibleExcerpt,
  visibleJson,
  visibleLine,
} from '../../../foundation/index.js';
import {
  abortRun,
  checkCostLimit,
  choosePhases,
  type FoundRun,
  findRun,
  isAskedOn,
  listUncommitted,
  ownRun,
  type PreparedRun,
  prepareRun,
  type RunEnd,
  type RunEvent,
  type RunServices,
  type RunWishes,
  refuseSecondRun,
  runTeller,
  settleCompleted,
} from '../../../run/index.js';
import { isOfOtherPlan, isOver, offerOf, PLAN_PRESETS, reportOf } from '../../../sessions/loop/index.js';
import {
  type CommandContext,
  ConfirmationMissingError,
  defineCommand,
  type OptionValues,
  UsageError,
} from '../../command.js';
import { parseDuration } from '../../duration.js';
import { ExitCode } from '../../exit-codes.js';
import { holdLink } from '../../fleet.js';
import { openNotices } from '../../open-notices.js';
import { parseResumeChoice, RESUME_HINT, renderResumePrompt } from '../../render/resume-prompt.js';
import { describeStart } from '../../render/run-start.js';
import { saysYes } from '../../says-yes.js';
import { permissionMode } from '../agents/exec.js';
import { runDetached } from './run-detached.js';
import { showDryRun } from './run-dry.js';
import { describeEnd } from './run-end.js';
import { RUN_OPTIONS } from './run-options.js';
import { RunRecord } from './run-record.js';
import { openRunScreen } from './run-screen.js';
import { placeInWorktree } from './run-worktree.js';

const OPTIONS = {
  change: {
    type: 'string',
    value: '<name>',
    about: 'work through the stories of an OpenSpec change instead',
  },
  ...RUN_OPTIONS,
  context: {
    type: 'string',
    value: '<mode>',
    about: "the agent's memory: redline (default: until it is nearly full), continue, or fresh each time",
  },
  maxIterations: { type: 'number', value: '<n>', about: 'maximum number of iterations, across restarts' },
  idle: {
    type: 'string',
    value: '<duration>',
    about: 'end an agent that is silent for this long (30m; 0 = never)',
  },
  callsPerHour: { type: 'number', value: '<n>', about: 'maximum number of prompts within an hour' },
  resume: { type: 'boolean', about: 'resume the existing session, without asking' },
  new: { type: 'boolean', about: 'start a new session; the files of an earlier one go to the archive' },
  abort: { type: 'boolean', about: 'give up the existing session' },
  reset: { type: 'boolean', about: 'resume a session that the breaker halted' },
  skip: {
    type: 'boolean',
    about: 'like --reset, but skip the phase it halted in; the skip is recorded',
  },
  reason: { type: 'string', value: '<text>', about: 'why the phase is skipped' },
  worktree: {
    type: 'string',
    value: '[name]',
    about: 'in a git worktree and a branch of its own, named after the plan; other runs continue beside it',
  },
  recreate: { type: 'boolean', about: 'with --resume: make a removed worktree again' },
  dirty: { type: 'boolean', about: 'start even though there are uncommitted changes' },
  detach: {
    type: 'boolean',
    about:
      'in the background: create or resume the session of the plan, and return once it runs; it waits for answers',
  },
  dryRun: { type: 'boolean', about: 'show the prompt, the checks and the limits; start nothing' },
  onEnd: { type: 'string', value: '<command>', about: 'run this with `sh -c` when the run is over' },
  unattended: {
    type: 'boolean',
    about:
      'no one will answer: the run ends when it needs a person (the default without a terminal, except with --detach)',
  },
  plain: { type: 'boolean', about: 'lines instead of a live view, even in a terminal' },
  by: {
    type: 'string',
    value: '<actor>',
    about: 'who starts it, for the journal: top, service, worker (cli if absent)',
  },
  id: {
    type: 'string',
    value: '<uuid>',
    about: 'the id of a new session, for a program that starts it; the same id never runs twice',
  },
  attended: { type: 'boolean', about: 'somebody answers the inbox, even though there is no terminal here' },
} as const;

type RunValues = OptionValues<typeof OPTIONS>;

const run = defineCommand({
  usage: 'run [plan]',
  summary: 'Leave an agent alone with a plan until it is measurably done',
  details:
    'The plan is a PRP (product requirements prompt: Markdown with success criteria), or an OpenSpec change (--change). After each prompt the checks\n' +
    'are run, and a phase ends only when both they and the agent say so. Ctrl+C stops the run; it can be resumed.\n' +
    'In a terminal a live view shows its state, otherwise lines go to stderr; --json prints one event per line.\n' +
    'A plan can choose its phases in its front matter (phases: work); --phases wins.\n' +
    'Exit codes: 0 done, 3 needs a person, 6 breaker open, 7 limit reached, 130 or 143 stopped by a signal.',
  options: OPTIONS,
  examples: [
    'holdfast run docs/prps/login.md --agent claude',
    'holdfast run docs/prps/login.md --verify "npm test" --max-time 2h --max-cost 10',
    'holdfast run docs/prps/login.md --account work',
    'holdfast run docs/prps/login.md --resume',
    'holdfast run docs/prps/login.md --skip --reason "the tests are there already"',
    'holdfast run docs/prps/manual.md --phases work --verify "npm run lint"',
    'holdfast run docs/prps/login.md --detach',
    'holdfast run docs/prps/login.md --worktree --detach',
    'holdfast run --change add-login --dry-run',
  ],
  async run(context, { positionals: [plan], values }) {
    const startedAt = context.services.clock.now();
    const wishes = wishesOf(context, plan, values);
    if (values.worktree === undefined) return start(context, { plan, values, wishes, startedAt });
    const place = await placeInWorktree(context, { wishes, values });
    return start(place.context, { plan: place.plan, values: place.values, wishes: place.wishes, startedAt });
  },
});

export const commands = [run];

interface AskedRun {
  readonly plan: string | undefined;
  readonly values: RunValues;
  readonly wishes: RunWishes;
  readonly startedAt: Date;
}

/** Starts or continues a run in the project of the services. */
async function start(
  context: CommandContext,
  { plan, values, wishes, startedAt }: AskedRun,
): Promise<ExitCode> {
  const { services, terminal, signal } = context;
  const own = runServices(services);
  const found = findRun(own, wishes);
  // Checked before any decision about the session, which is not ours to make if another process runs it.
  if (!values.dryRun) refuseSecondRun(services, found);
  if (values.abort) return abort(context, found);
  for (const warning of found.plan.warnings ?? []) terminal.note(`note: ${visibleLine(warning)}`);
  if (values.dryRun) return showDryRun(context, found, isNewDry(found, values));
  await settleCompleted(found);
  const how = await decideStart(context, found, values);
  if (how === 'leave') return leave(context);
  if (how === 'abort') return abort(context, found);
  const isNew = how === 'new';
  const prepared = prepareRun(own, found, isNew);
  await checkCostLimit(own, prepared, isNew);
  if (isNew && !values.dirty) await confirmDirty(context, found);
  if (signal.aborted) throw new AbortedError('The run');
  if (values.detach) return runDetached(context, found, { plan, isNew, values });
  if (!context.isJson) for (const note of notesOn(prepared)) terminal.note(note);
  if (isNew && !context.isJson) for (const note of phaseNotes(own, found)) terminal.note(note);
  const end = await showRun(context, prepared, { isNew, startedAt, values });
  return exitCodeOf(end);
}

/** Works through the plan on the screen, and finally says what was done. */
async function showRun(
  context: CommandContext,
  prepared: PreparedRun,
  { isNew, startedAt, values }: { isNew: boolean; startedAt: Date; values: RunValues },
): Promise<RunEnd> {
  const { services, signal } = context;
  using record = new RunRecord(services);
  await using _link = await holdLink(context);
  await using notices = await openNotices(context);
  const teller = runTeller(prepared.projectDirectory);
  let end: RunEnd;
  {
    await using screen = await openRunScreen(context, prepared, { isPlain: values.plain, notices });
    using run = await ownRun(runServices(services), prepared, {
      isNew,
      isReset: values.reset,
      actor: actorIn(values.by ?? 'cli'),
      skip: values.skip ? { actor: 'cli', reason: values.reason } : undefined,
      signal,
      startedAt,
    });
    run.journal.follow(run.journal.start, (entry) => {
      record.add(entry.event);
      // The error that ends a run is said once, as every error of a command.
      if (context.isJson || !isFailure(entry.event)) screen.show(entry);
      if (entry.event.type === 'question') notices.ring();
      const told = teller.take(entry);
      if (told !== undefined) notices.tell(told);
    });
    end = await run.work().catch((error: unknown) => {
      const told = teller.fail(error, services.clock.now());
      if (told !== undefined) notices.tell(told);
      throw error;
    });
  }
  const lines = await describeEnd(services, end);
  record.close(lines);
  if (!context.isJson) for (const line of lines) context.terminal.note(line);
  return end;
}

function wishesOf({ terminal }: CommandContext, plan: string | undefined, values: RunValues): RunWishes {
  const { change } = values;
  if ((plan === undefined) === (change === undefined))
    throw new UsageError('Give either a plan or --change <name>', {
      hint:
        values.worktree === undefined || values.worktree === ''
          ? 'Such as `holdfast run docs/prps/login.md`.'
          : 'Put the plan before a bare --worktree, which takes the next word for a name: `holdfast run docs/prps/login.md --worktree`.',
    });
  const resumes = values.resume || values.reset || values.skip;
  const chosen = [resumes, values.new, values.abort].filter(Boolean);
  if (chosen.length > 1) throw new UsageError('Use only one of --resume, --new and --abort');
  if (values.skip && values.reset)
    throw new UsageError('Use --reset or --skip, not both: try the phase again, or leave it');
  if (values.skip && change !== undefined)
    throw new UsageError('A story cannot be skipped', {
      hint: 'Mark its tasks as done in tasks.md, or remove them, and resume with --reset.',
    });
  if (values.reason !== undefined && !values.skip) throw new UsageError('--reason goes with --skip');
  if (values.phases !== undefined && change !== undefined)
    throw new UsageError('--phases goes with a plan; a change is worked through story by story');
  if (values.attended && values.unattended) throw new UsageError('Use --attended or --unattended, not both');
  if (values.detach && (values.abort || values.dryRun))
    throw new UsageError('--detach starts a run: it goes with neither --abort nor --dry-run');
  // A run in the background waits for the person to come back.
  const hasPerson = terminal.isInteractive || values.detach;
  const isUnattended = values.unattended || (!hasPerson && !values.attended);
  return {
    plan: change === undefined ? { prp: plan ?? '' } : { change },
    agent: values.agent,
    account: values.account,
    model: values.model,
    permissions: values.permissions === undefined ? undefined : permissionMode(values.permissions),
    verify: values.verify,
    budget: {
      ...positive('iterations', '--max-iterations', values.maxIterations),
      ...positive(
        'activeMs',
        '--max-time',
        values.maxTime === undefined ? undefined : parseDuration(values.maxTime),
      ),
      ...positive('tokens', '--max-tokens', values.maxTokens),
      ...positive('costUsd', '--max-cost', values.maxCost),
    },
    callsPerHour: positive('calls', '--calls-per-hour', values.callsPerHour).calls,
    context: contextMode(values.context),
    phases: planPreset(values.phases),
    idleMs: values.idle === undefined ? undefined : parseDuration(values.idle),
    isUnattended,
    isUnattendedSaid: values.unattended,
    onEnd: values.onEnd,
    sessionId: sessionId(values.id),
  };
}

function sessionId(text: string | undefined): string | undefined {
  if (text === undefined || isUuidV4(text)) return text?.toLowerCase();
  throw new UsageError('--id is a UUID of version 4');
}

const WHOLE: readonly string[] = ['--max-iterations', '--max-tokens', '--calls-per-hour'];

function positive<Key extends string>(
  key: Key,
  option: string,
  value: number | undefined,
): { [Name in Key]?: number } {
  if (value === undefined) return {};
  if (!(value > 0) || (WHOLE.includes(option) && !Number.isInteger(value)))
    throw new UsageError(`${option} must be a ${WHOLE.includes(option) ? 'whole ' : ''}number above 0`);
  return { [key]: value } as { [Name in Key]?: number };
}

function planPreset(text: string | undefined): RunWishes['phases'] {
  const found = PLAN_PRESETS.find((name) => name === text);
  if (text === undefined || found !== undefined) return found;
  throw new UsageError(`--phases is one of ${PLAN_PRESETS.join(', ')}`);
}

function contextMode(text: string | undefined): RunWishes['context'] {
  if (text === undefined || text === 'redline' || text === 'fresh' || text === 'continue') return text;
  throw new UsageError('--context is redline, continue or fresh');
}

/** Notes on what the person did not specify and should know. */
function notesOn({ before, wishes, agent, checks, areChecksGuessed }: PreparedRun): string[] {
  const labels = checks.map(({ label }) => visibleLine(label)).join(', ');
  const notes = before === undefined ? [] : [describeStart({ ...wishes, agent: agent.name }, before)];
  notes.push(`checks${areChecksGuessed ? ' (guessed)' : ''}: ${labels}`);
  if (before?.permissions === 'bypass' && wishes.permissions !== 'bypass')
    notes.push('--permissions bypass is not reused; type it again if you want it');
  return notes;
}

/** Names the phases if they are not the usual ones, and which of the plan's own wishes do not count. */
function phaseNotes(services: RunServices, found: FoundRun): string[] {
  const chosen = choosePhases(services, found);
  if (chosen === undefined) return [];
  const { preset, from, refused } = chosen;
  const names = preset.phases.map(({ name }) => name).join(', ');
  const notes = from === 'default' ? [] : [`phases: ${names} (${preset.name}, from the ${from})`];
  if (refused !== null)
    notes.push(
      `note: the plan asks for the phases ${refused}, which your config does not allow it to loosen; --phases ${refused} does`,
    );
  return notes;
}

function canResume({ detection }: FoundRun): boolean {
  return detection.action === 'offer_resume';
}

/** Whether a dry run shows a new session. It shows a halted one if an option continues that. */
function isNewDry(found: FoundRun, values: RunValues): boolean {
  const resumes = values.resume || values.reset || values.skip;
  return values.new || !(canResume(found) || (resumes && found.detection.session !== null));
}

/** Whether to resume the existing session: by an option, by asking, or because there is only one way. */
async function decideStart(
  context: CommandContext,
  found: FoundRun,
  values: RunValues,
): Promise<'resume' | 'new' | 'abort' | 'leave'> {
  const { terminal, services, isJson } = context;
  const { detection } = found;
  for (const warning of detection.warnings) terminal.note(`note: ${visibleLine(warning)}`);
  const resumes = values.resume || values.reset || values.skip;
  if (values.new || (detection.action === 'create_new' && !resumes)) return 'new';
  if (resumes || (values.detach && canResume(found))) return 'resume';
  if (isOfOtherPlan(detection)) return isOver(detection) ? 'new' : confirmArchive(context, found);
  if (await isAskedOn(services, found)) return 'resume';
  if (terminal.isInteractive && !isJson && detection.view !== undefined && canResume(found)) {
    terminal.complain(
      renderResumePrompt(reportOf(detection.view, services.clock.now()), services.clock.now()),
    );
    terminal.complain(RESUME_HINT);
    for (;;) {
      const answer = await terminal.ask('[R]esume, [N]ew or [A]bort? ', { leavesAtEscape: true });
      if (answer === null || answer.trim() === '') return 'leave';
      const choice = parseResumeChoice(answer);
      if (choice === 'abort' && !(await saysYes(terminal, `${GIVE_UP} Continue?`))) continue;
      if (choice !== undefined) return choice;
    }
  }
  const { choices, reason } = offerOf(detection);
  throw new ConfirmationMissingError(
    `There is a session of ${visibleLine(detection.session?.prpFile ?? 'this project')} already${reason === null ? '' : `: ${reason}`}`,
    { hint: `Say what to do with it: ${choices.map((choice) => `--${choice}`).join(', ')}.` },
  );
}

const GIVE_UP = 'This gives the session up for good; its files are kept.';

/** A session that could continue makes room for another plan only if the person agrees: archived, it can no longer continue. */
async function confirmArchive({ terminal, isJson }: CommandContext, { detection }: FoundRun): Promise<'new'> {
  const { prpFile = 'another plan', currentStory, currentPhase = 'not begun' } = detection.session ?? {};
  const status = detection.view?.status ?? 'cannot be read';
  const words = `Another plan is in progress here: ${visibleLine(`${prpFile} (${currentStory ?? currentPhase}, ${status})`)}`;
  if (
    terminal.isInteractive &&
    !isJson &&
    (await saysYes(terminal, `${words}. Archive it and start this one?`))
  )
    return 'new';
  throw new ConfirmationMissingError(words, {
    hint: 'Finish it (`holdfast resume`), or start this one with --new, which archives it.',
  });
}

async function confirmDirty({ services, terminal }: CommandContext, found: FoundRun): Promise<void> {
  const files = await listUncommitted(runServices(services), found);
  if (files.length === 0) return;
  const words = `${counted(files.length, 'uncommitted file')}; the agent's changes would mix with yours: ${firstFew(files)}`;
  if (terminal.isInteractive) {
    terminal.note(`uncommitted: ${firstFew(files)}`);
    if (await saysYes(terminal, dirtyQuestion(files.length))) return;
  }
  throw new ConfirmationMissingError(words, { hint: 'Commit or stash them first, or use --dirty.' });
}

/** Fits into 80 columns together with the answers after it. */
function dirtyQuestion(count: number): string {
  return `${counted(count, 'uncommitted file')} may mix with the agent's changes. Start anyway?`;
}

function firstFew(files: readonly string[]): string {
  const names = files.slice(0, 3).map((path) => visibleExcerpt(path, 60));
  return `${names.join(', ')}${files.length > names.length ? ` and ${files.length - names.length} more` : ''}`;
}

function leave({ terminal }: CommandContext): ExitCode {
  terminal.complain('Nothing was changed.');
  return ExitCode.needsPerson;
}

async function abort({ services, terminal, isJson }: CommandContext, found: FoundRun): Promise<ExitCode> {
  const directory = await abortRun(runServices(services), found);
  if (isJson) terminal.write(visibleJson({ aborted: true, directory }));
  else terminal.write(`Aborted; its files are kept in ${visibleLine(directory)}`);
  return ExitCode.done;
}

const EXIT_CODES: Readonly<Record<RunEnd['outcome'], ExitCode>> = {
  completed: ExitCode.done,
  halted: ExitCode.breakerOpen,
  limit: ExitCode.limitReached,
  'needs-person': ExitCode.needsPerson,
  stopped: ExitCode.needsPerson,
  interrupted: ExitCode.interrupted,
  failed: ExitCode.failed,
};

function exitCodeOf({ outcome }: RunEnd): ExitCode {
  return EXIT_CODES[outcome];
}

function isFailure(event: RunEvent): boolean {
  return event.type === 'run-end' && event.outcome === 'failed';
}
