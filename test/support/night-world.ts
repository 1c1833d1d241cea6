import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentConnection, AgentEvent, ServiceName } from '../../src/agents/index.js';
import { systemIds } from '../../src/foundation/index.js';
import { ProgramRegistry } from '../../src/programs/index.js';
import {
  JournalReader,
  openPrpPlan,
  type RunEnd,
  type RunEvent,
  RunJournal,
  runLoop,
  type SharedLimits,
  type SkipWish,
  TurnTaker,
  typedCheck,
} from '../../src/run/index.js';
import { ConversationSessions, FileConversationStore } from '../../src/sessions/conversation/index.js';
import { type Budget, LoopSessions, type Preset } from '../../src/sessions/loop/index.js';
import { type AgentLaunch, ProcessSessions, type StartConnection } from '../../src/sessions/process/index.js';
import { DEFAULT_LIMITS, FileQuestionStore, QuestionSessions } from '../../src/sessions/question/index.js';
import type { FileSystem, LockTools } from '../../src/storage/index.js';
import { FakeClock } from './fake-clock.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** What an agent does with a prompt: the files it writes, and the events its driver reports. */
export interface PlayedTurn {
  readonly files?: Readonly<Record<string, string>>;
  /** What happens while the agent works on the prompt. */
  readonly during?: (world: NightWorld, signal: AbortSignal | undefined) => Promise<unknown> | unknown;
  readonly events: readonly AgentEvent[];
}

/** The real loop over real files and checks, with a scripted or real agent, and a clock that advances while the run waits. */
export interface NightWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly clock: FakeClock;
  readonly events: RunEvent[];
  readonly loops: LoopSessions;
  readonly questions: QuestionSessions;
  /** The session of the runs so far. */
  readonly sessionId: string;
  /** Everything ever written to the journal. */
  journal(): RunEvent[];
  /** Every prompt, by the process that got it. */
  readonly prompts: string[];
  /** Runs to the end, from the start or from where the last run stopped. */
  run(options?: {
    readonly isReset?: boolean;
    readonly skip?: SkipWish;
    readonly signal?: AbortSignal;
  }): Promise<RunEnd>;
  waits(): Extract<RunEvent, { type: 'waiting' }>[];
}

export interface NightOptions {
  readonly service: ServiceName;
  readonly now: string;
  /** Answers the prompts one after another; or an agent that is started in the project does. */
  readonly turns: readonly PlayedTurn[] | ((project: string) => StartConnection);
  readonly budget?: Budget;
  /** The phases of the run; those of `tdd` unless given. */
  readonly preset?: Preset;
  /** `node --test` unless given. */
  readonly check?: string;
  /** Whether time stands still, so that only a person can end a wait. */
  readonly isFrozen?: boolean;
  readonly isAttended?: boolean;
  /** What it shares with other runs. */
  readonly shared?: (tools: LockTools, sessionId: string) => SharedLimits;
  /** The file system the journal is written with. */
  readonly fileSystem?: FileSystem;
  readonly onEvent?: (event: RunEvent, world: NightWorld) => void;
}

const PLAN = 'docs/plan.md';

export async function nightWorld(options: NightOptions): Promise<NightWorld> {
  const dir = await tempDir();
  const project = dir.at('project');
  mkdirSync(join(project, 'docs'), { recursive: true });
  writeFileSync(join(project, PLAN), '# Adder\n\n### Success Criteria\n\n- [ ] adds\n- [ ] subtracts\n');
  const clock = options.isFrozen ? new FakeClock({ now: options.now }) : new NightClock({ now: options.now });
  const tools = storageTools({ clock });
  const loops = new LoopSessions({ ...tools, directory: join(project, '.prp-session') });
  const store = new FileConversationStore(tools, { directory: dir.at('conversations') });
  const conversations = new ConversationSessions({ ...tools, store });
  const questions = new QuestionSessions({
    ...tools,
    store: new FileQuestionStore(tools, { directory: dir.at('questions'), trash: dir.at('trash') }),
    limits: DEFAULT_LIMITS,
    maxSessions: 100,
    retentionMs: 0,
    timeoutMs: 0,
  });
  // Programs use real time.
  const real = storageTools();
  const registry = new ProgramRegistry(real, dir.at('programs'));
  const processes = new ProcessSessions({
    ...real,
    workbench: { ...real, registry, environment: process.env, leaveOut: [join(project, '.prp-session')] },
  });
  const { turns: told } = options;
  const turns = typeof told === 'function' ? [] : [...told];
  const prompts: string[] = [];
  const play = async function* (text: string, signal?: AbortSignal): AsyncGenerator<AgentEvent> {
    prompts.push(text);
    const turn = turns.shift();
    if (turn === undefined) throw new Error('the play is over');
    for (const [path, content] of Object.entries(turn.files ?? {})) {
      mkdirSync(dirname(join(project, path)), { recursive: true });
      writeFileSync(join(project, path), content);
    }
    await turn.during?.(world, signal);
    yield* turn.events;
  };
  const launch =
    typeof told === 'function'
      ? launchOf(options.service, project, told(project))
      : playedLaunch(options.service, project, play);
  const events: RunEvent[] = [];
  let sessionId = '';
  const run: NightWorld['run'] = async ({ isReset = false, skip, signal } = {}) => {
    const plan = openPrpPlan(tools.fileSystem, join(project, PLAN), PLAN);
    const isNew = !loops.isFound();
    using loop = isNew
      ? await loops.create(plan.path, {
          criteriaCount: plan.criteriaCount,
          budget: options.budget,
          preset: options.preset,
        })
      : await loops.resume(plan.path, { reset: isReset, skip: skip !== undefined });
    sessionId = loop.state.sessionId;
    const id = `run-${loop.state.sessionId}`;
    using conversation = isNew
      ? await conversations.create({ id, agent: 'played', workingDirectory: project, isHidden: true })
      : await conversations.hold(id);
    using journal = RunJournal.open(
      { ...tools, fileSystem: options.fileSystem ?? tools.fileSystem },
      {
        runs: dir.at('runs'),
        sessionId: loop.state.sessionId,
        lock: loop,
      },
    );
    journal.follow(journal.start, ({ event }) => {
      events.push(event);
      options.onEvent?.(event, world);
    });
    const taker = new TurnTaker({ processes, conversation, launch, log: tools.log, acceptsChanges: true });
    try {
      return await runLoop(
        {
          clock,
          log: tools.log,
          fileSystem: tools.fileSystem,
          loops,
          loop,
          plan,
          conversation,
          taker,
          questions,
          checks: [typedCheck(options.check ?? 'node --test')],
          checkTools: {
            programs: { ...real, registry },
            workingDirectory: project,
            environment: { PATH: process.env.PATH, HOME: dir.path },
            timeoutMs: 60_000,
          },
          projectDirectory: project,
          ownWords: {},
          skip: skip ?? null,
          touched: new Set(),
          filesChangedSince: async () => ({ files: 0, documents: 0, paths: [] }),
          context: 'continue',
          service: { service: options.service, zone: 'UTC' },
          idle: { idleMs: Number.POSITIVE_INFINITY, toolMs: Number.POSITIVE_INFINITY },
          isUnattended: options.isAttended !== true,
          shared: options.shared?.(tools, loop.state.sessionId),
          journal,
          startedAt: clock.now(),
        },
        signal ?? new AbortController().signal,
      );
    } finally {
      await taker.end();
    }
  };
  const world: NightWorld = {
    dir,
    clock,
    events,
    loops,
    questions,
    get sessionId() {
      return sessionId;
    },
    journal: () => {
      const path = dir.at('runs', sessionId, 'events.jsonl');
      return new JournalReader({ ...tools, path, sessionId }).read().map(({ event }) => event);
    },
    prompts,
    run,
    waits: () => events.filter((event) => event.type === 'waiting'),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
  return world;
}

/** Time that runs as fast as it can while someone waits for it, and gives everyone else a turn in between. */
class NightClock extends FakeClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!Number.isFinite(ms)) return super.sleep(ms, signal);
    const slept = super.sleep(ms, signal);
    setImmediate(() => (signal?.aborted ? undefined : this.advance(ms)));
    await slept;
  }
}

/** An agent played by this function. */
export function playedLaunch(
  driver: string,
  project: string,
  play: (text: string, signal?: AbortSignal) => AsyncGenerator<AgentEvent>,
): AgentLaunch {
  const id = systemIds.uuid();
  return launchOf(driver, project, async () => playedConnection(driver, id, play));
}

function launchOf(driver: string, project: string, start: StartConnection): AgentLaunch {
  return {
    agent: 'played',
    launch: {
      driver,
      command: 'played',
      args: [],
      workingDirectory: project,
      env: [],
      permissions: 'edits',
      model: null,
      mcpServers: [],
    },
    start,
  };
}

function playedConnection(
  driver: string,
  id: string,
  play: (text: string, signal?: AbortSignal) => AsyncGenerator<AgentEvent>,
): AgentConnection {
  return {
    capabilities: {
      conversation: 'process-per-prompt',
      resume: 'exact',
      cancel: 'kill',
      streamsText: true,
      asksPermission: false,
      reportsUsage: true,
      reportsContextWindow: false,
      reportsCost: false,
      takesMcpServers: false,
    },
    resumeHandle: { driver, id },
    pid: null,
    facts: { version: null, model: null },
    prompt: (text, { signal } = {}) => play(text, signal),
    cancel: async () => {},
    end: async () => null,
    terminate: async () => null,
  };
}
