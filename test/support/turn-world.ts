import { tmpdir } from 'node:os';
import type { AgentConnection, AgentEvent, ResumeHandle } from '../../src/agents/index.js';
import { ProgramRegistry } from '../../src/programs/index.js';
import {
  openPrpPlan,
  type RunEvent,
  RunJournal,
  type RunParts,
  TurnTaker,
  type TurnTakerOptions,
  typedCheck,
} from '../../src/run/index.js';
import type { RunMemory } from '../../src/run/run-parts.js';
import {
  type Conversation,
  ConversationSessions,
  FileConversationStore,
} from '../../src/sessions/conversation/index.js';
import { type CreateLoopOptions, type HeldLoop, LoopSessions } from '../../src/sessions/loop/index.js';
import { type AgentLaunch, FileProcessStore, ProcessSessions } from '../../src/sessions/process/index.js';
import { DEFAULT_LIMITS, FileQuestionStore, QuestionSessions } from '../../src/sessions/question/index.js';
import type { LockTools } from '../../src/storage/index.js';
import { systemError } from './failing-file-system.js';
import { FakeClock } from './fake-clock.js';
import { MemoryTree } from './memory-tree.js';
import { RecordingLog } from './recording-log.js';
import { storageTools } from './storage-tools.js';

/** What the agent makes of one prompt. */
export interface Scripted {
  /** Project files it writes. */
  readonly files?: Readonly<Record<string, string>>;
  readonly before?: readonly AgentEvent[];
  /** What happens while it works, after `before` was reported. */
  readonly during?: (signal: AbortSignal | undefined) => unknown;
  /** Whether it stays silent from then on until it is cancelled. */
  readonly hangs?: boolean;
  readonly events?: readonly AgentEvent[];
}

export const COMPLETED: AgentEvent = { type: 'turn-end', reason: 'completed', message: null };
export const CANCELLED: AgentEvent = { type: 'turn-end', reason: 'cancelled', message: null };

/** The end of an exchange that was not completed. */
export function ended(
  reason: 'failed' | 'died' | 'refused' | 'context-overflow' | 'rate-limited',
  message: string | null = null,
): AgentEvent {
  return { type: 'turn-end', reason, message };
}

export const says = (text: string): Scripted => ({ events: [{ type: 'text', text }, COMPLETED] });

export const used = (outputTokens: number): AgentEvent => ({
  type: 'usage',
  usage: {
    inputTokens: 0,
    outputTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    contextTokens: null,
    contextWindow: null,
    costUsd: null,
  },
});

/** A tree that records the order in which things became durable, and fails on demand. */
class TracedTree extends MemoryTree {
  readonly #trace: string[];
  readonly #open = new Map<number, string>();
  /** Decides which write or rename fails. */
  fails: ((path: string, text: string) => boolean) | undefined;

  constructor(trace: string[]) {
    super();
    this.#trace = trace;
  }

  override open(path: string, flags: number, mode?: number): number {
    const descriptor = super.open(path, flags, mode);
    this.#open.set(descriptor, path);
    return descriptor;
  }

  override write(...parameters: Parameters<MemoryTree['write']>): number {
    const path = this.#open.get(parameters[0]) ?? '';
    const text = Buffer.from(parameters[1]).toString('utf8');
    if (this.fails?.(path, text)) throw systemError('EIO', 'write', path);
    const written = super.write(...parameters);
    if (path.endsWith('.jsonl'))
      this.#trace.push(...text.split('\n').flatMap((line) => recordIn(path, line)));
    return written;
  }

  override rename(from: string, to: string): void {
    if (this.fails?.(to, this.text(from) ?? '')) throw systemError('EIO', 'rename', to);
    super.rename(from, to);
    if (to.endsWith('/loop-state.json')) this.#trace.push(`loop: ${loopFact(this.text(to) ?? '{}')}`);
  }
}

function recordIn(path: string, line: string): string[] {
  if (line === '') return [];
  const { type, role, event } = JSON.parse(line);
  if (path.endsWith('events.jsonl'))
    return [`journal: ${type}${event === undefined ? '' : ` ${event.type}`}`];
  return [`conversation: ${type}${role === undefined ? '' : ` ${role}`}`];
}

function loopFact(text: string): string {
  const { in_flight: inFlight, usage } = JSON.parse(text);
  return inFlight == null ? `${usage?.iterations ?? 0} done` : 'in flight';
}

export interface TurnWorldOptions {
  readonly turns?: readonly Scripted[];
  readonly checks?: readonly string[];
  readonly loop?: Partial<CreateLoopOptions>;
  readonly taker?: Partial<TurnTakerOptions>;
  readonly launch?: Partial<AgentLaunch>;
  readonly parts?: Partial<RunParts>;
  /** Whether the project tree is measured around each exchange. */
  readonly isMeasured?: boolean;
  /** Whether the agent's processes are recorded, so that they can be reopened. */
  readonly isKept?: boolean;
  readonly driver?: string;
}

/** One turn of a run or of a chat: everything is real except the disk, the time and the agent. */
export interface TurnWorld extends AsyncDisposable {
  readonly tree: TracedTree;
  readonly clock: FakeClock;
  readonly log: RecordingLog;
  /** What became durable, what was sent and what was reported, in order. */
  readonly trace: string[];
  readonly prompts: string[];
  /** How the agent was started each time: with which conversation of its own. */
  readonly starts: (ResumeHandle | null)[];
  /** How the agent was ended. */
  readonly ends: string[];
  readonly turns: Scripted[];
  /** Errors for the next starts, one after another. */
  readonly startFailures: (Error | undefined)[];
  readonly tools: LockTools;
  readonly loops: LoopSessions;
  readonly loop: HeldLoop;
  readonly questions: QuestionSessions;
  readonly conversation: Conversation;
  readonly taker: TurnTaker;
  readonly parts: RunParts;
  readonly memory: RunMemory;
  /** All events that followers received. */
  readonly events: RunEvent[];
  /** The same conversation with another taker, as after a restart of our process. */
  otherTaker(overrides?: Partial<TurnTakerOptions>): TurnTaker;
}

const PROJECT = '/project';
const PLAN = '# Adder\n\n### Success Criteria\n\n- [ ] adds\n- [ ] subtracts\n';

export async function turnWorld(options: TurnWorldOptions = {}): Promise<TurnWorld> {
  const trace: string[] = [];
  const tree = new TracedTree(trace);
  tree.plant(`${PROJECT}/docs/plan.md`, PLAN);
  tree.plantDirectory('/data');
  const clock = new FakeClock({ now: '2026-01-05T10:00:00Z' });
  const log = new RecordingLog();
  const tools = storageTools({ fileSystem: tree, clock, log });
  const loops = new LoopSessions({ ...tools, directory: `${PROJECT}/.prp-session` });
  const questions = new QuestionSessions({
    ...tools,
    store: new FileQuestionStore(tools, { directory: '/data/questions', trash: '/data/trash' }),
    limits: DEFAULT_LIMITS,
    maxSessions: 100,
    retentionMs: 0,
    timeoutMs: 0,
  });
  const store = new FileConversationStore(tools, { directory: '/data/conversations' });
  const conversation = await new ConversationSessions({ ...tools, store }).create({
    id: 'talk',
    agent: 'scripted',
    workingDirectory: PROJECT,
  });
  // Checks are real programs and use real time.
  const real = storageTools();
  const registry = new ProgramRegistry(tools, '/data/programs');
  const workbench = { ...tools, registry, environment: {}, leaveOut: [`${PROJECT}/.prp-session`] };
  const processes = new ProcessSessions({
    ...tools,
    ...(options.isMeasured ? { workbench } : {}),
    ...(options.isKept
      ? { store: new FileProcessStore(tools, { directory: '/data/processes', trash: '/data/trash' }) }
      : {}),
  });
  const prompts: string[] = [];
  const starts: (ResumeHandle | null)[] = [];
  const ends: string[] = [];
  const turns = [...(options.turns ?? [])];
  const startFailures: (Error | undefined)[] = [];
  const driver = options.driver ?? 'scripted';
  const play = async function* (text: string, signal: AbortSignal | undefined): AsyncGenerator<AgentEvent> {
    prompts.push(text);
    trace.push('prompt');
    const { files = {}, before = [], during, hangs = false, events = [COMPLETED] } = turns.shift() ?? {};
    for (const [path, content] of Object.entries(files)) tree.plant(`${PROJECT}/${path}`, content);
    yield* before;
    await during?.(signal);
    if (hangs) await untilAborted(signal);
    if (signal?.aborted) yield CANCELLED;
    else yield* events;
  };
  const launch: AgentLaunch = {
    agent: 'scripted',
    launch: {
      driver,
      command: 'scripted',
      args: [],
      workingDirectory: PROJECT,
      env: [],
      permissions: 'edits',
      model: null,
      mcpServers: [],
    },
    start: async ({ resume }) => {
      starts.push(resume ?? null);
      const failure = startFailures.shift();
      if (failure !== undefined) throw failure;
      return scriptedConnection({ driver, id: resume?.id ?? `own-${starts.length}`, ends }, play);
    },
    ...options.launch,
  };
  const otherTaker = (overrides: Partial<TurnTakerOptions> = {}) =>
    new TurnTaker({ processes, conversation, launch, log, ...options.taker, ...overrides });
  const taker = otherTaker();
  const plan = openPrpPlan(tree, `${PROJECT}/docs/plan.md`, 'docs/plan.md');
  const loop = await loops.create(plan.path, { criteriaCount: plan.criteriaCount, ...options.loop });
  const journal = RunJournal.open(tools, { runs: '/data/runs', sessionId: loop.state.sessionId, lock: loop });
  const events: RunEvent[] = [];
  journal.follow(journal.start, ({ event }) => {
    events.push(event);
    trace.push(`told: ${event.type}`);
  });
  const parts: RunParts = {
    clock,
    log,
    fileSystem: tree,
    loops,
    loop,
    plan,
    conversation,
    taker,
    questions,
    checks: (options.checks ?? []).map(typedCheck),
    checkTools: {
      programs: { ...real, registry },
      workingDirectory: tmpdir(),
      environment: { PATH: process.env.PATH },
      timeoutMs: 60_000,
    },
    projectDirectory: PROJECT,
    ownWords: {},
    skip: null,
    touched: new Set(),
    filesChangedSince: async () => ({ files: 0, documents: 0, paths: [] }),
    context: 'continue',
    service: { service: 'other', zone: 'UTC' },
    idle: { idleMs: Number.POSITIVE_INFINITY, toolMs: Number.POSITIVE_INFINITY },
    isUnattended: false,
    journal,
    startedAt: clock.now(),
    ...options.parts,
  };
  trace.length = 0;
  return {
    tree,
    clock,
    log,
    trace,
    prompts,
    starts,
    ends,
    turns,
    startFailures,
    tools,
    loops,
    loop,
    questions,
    conversation,
    taker,
    parts,
    memory: {
      checks: null,
      isContextFull: false,
      hasWorked: false,
      skip: null,
      refusal: null,
      triesNow: false,
    },
    events,
    otherTaker,
    async [Symbol.asyncDispose]() {
      tree.fails = undefined;
      await taker.end();
      journal[Symbol.dispose]();
      conversation[Symbol.dispose]();
      loop[Symbol.dispose]();
      tools.watcher.close();
    },
  };
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

function scriptedConnection(
  { driver, id, ends }: { readonly driver: string; readonly id: string; readonly ends: string[] },
  play: (text: string, signal: AbortSignal | undefined) => AsyncGenerator<AgentEvent>,
): AgentConnection {
  const end = (how: string) => async () => {
    ends.push(how);
    return null;
  };
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
    async cancel() {
      ends.push('cancelled');
    },
    end: end('ended'),
    terminate: end('terminated'),
  };
}
