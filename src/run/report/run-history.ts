import { type AgentEvent, BY_A_PERSON } from '../../agents/index.js';
import { causeOfWait, type LoopUsage, type TestCounts } from '../../sessions/loop/index.js';
import type { RunEnd, RunEvent } from '../journal/events.js';
import type { JournalEntry } from '../journal/read-journal.js';
import type { JournalFacts } from '../journal/scan-journal.js';
import type { Standing } from '../run-standing.js';

/** A process that ran the session; `end` is null if it ended without a word. */
export interface RunProcess {
  readonly startedAt: string;
  readonly actor: string | null;
  readonly isResumed: boolean;
  readonly agent: string;
  readonly lastSeenAt: string;
  readonly end: RunEnd | null;
}

/** A check that was run. */
export interface CheckRun {
  readonly command: string;
  readonly exitCode: number | null;
  readonly tests: TestCounts | null;
  readonly durationMs: number;
}

/** An iteration that was begun, whatever happened to it. */
export interface Attempt {
  readonly phase: string;
  readonly story: string | null;
  readonly iteration: number;
  readonly title: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** `lost`: its process ended without a word. `open`: no more is known yet. */
  readonly end: 'complete' | 'cut' | 'lost' | 'open';
  readonly cutReason: string | null;
  readonly result: Extract<RunEvent, { type: 'iteration-end' }> | null;
  readonly checks: readonly CheckRun[];
  readonly toolCalls: number;
  /** The end of what the agent said. */
  readonly said: string;
  /** What the session had used when it began. */
  readonly usedBefore: LoopUsage | null;
}

export interface HistoryWait {
  readonly cause: string;
  readonly reason: string;
  readonly question: string | null;
  readonly from: string;
  readonly to: string;
}

export interface BreakerOpening {
  readonly at: string;
  readonly phase: string;
  readonly reason: string | null;
  /** When somebody let it try again or the phase was left; null while the breaker is open. */
  readonly closedAt: string | null;
}

/** What an agent wanted permission for: equal ones decided by a rule are counted as one, those decided by a person one by one. */
export interface HistoryPermission {
  readonly tool: string;
  readonly what: string;
  readonly decision: 'allowed' | 'denied';
  readonly by: string;
  readonly isByPerson: boolean;
  readonly message: string | null;
  readonly count: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface HistoryQuestion {
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly from: 'agent' | 'run';
  readonly at: string;
}

/** Everything the journal of a run says, in order. */
export interface RunHistory extends JournalFacts {
  readonly start: Extract<RunEvent, { type: 'run-start' }> | null;
  readonly processes: readonly RunProcess[];
  readonly attempts: readonly Attempt[];
  readonly waits: readonly HistoryWait[];
  readonly openings: readonly BreakerOpening[];
  readonly permissions: readonly HistoryPermission[];
  /** How many kinds of permissions were left out because there were too many. */
  readonly permissionsLeftOut: number;
  readonly requests: readonly { readonly at: string; readonly kind: string; readonly actor: string | null }[];
  readonly asked: readonly HistoryQuestion[];
  readonly baseline: TestCounts | null;
  readonly standing: Standing | null;
  readonly skips: readonly Extract<RunEvent, { type: 'phase-skipped' }>[];
  readonly cappedTurns: number;
  readonly isRunCapped: boolean;
  readonly lostEvents: number;
}

type Changing<Value> = { -readonly [Key in keyof Value]: Value[Key] };

const MAX_PERMISSIONS = 200;
const MAX_SAID = 1_200;

/** Puts the history together, entry by entry. */
export class HistoryFold {
  #start: RunHistory['start'] = null;
  #standing: Standing | null = null;
  #baseline: TestCounts | null = null;
  #lastAt = '';
  #wait: Changing<HistoryWait> | undefined;
  #said = '';
  readonly #processes: Changing<RunProcess>[] = [];
  readonly #attempts: (Changing<Attempt> & { checks: CheckRun[] })[] = [];
  readonly #waits: HistoryWait[] = [];
  readonly #openings: Changing<BreakerOpening>[] = [];
  readonly #permissions = new Map<string, Changing<HistoryPermission>>();
  readonly #requests: RunHistory['requests'][number][] = [];
  readonly #asked = new Map<string, HistoryQuestion>();
  readonly #skips: RunHistory['skips'][number][] = [];
  #left = 0;
  #cappedTurns = 0;
  #isRunCapped = false;
  #lostEvents = 0;

  add({ at, event }: JournalEntry): void {
    if (event.type === 'run-start') this.#begin(at, event);
    else this.#settleWait(at, event);
    const process = this.#processes.at(-1);
    if (process !== undefined) process.lastSeenAt = at;
    this.#lastAt = at;
    this.#take(at, event);
  }

  /** The history so far. `isRunning`: whether a process is running the session now. */
  end(facts: JournalFacts, isRunning: boolean): RunHistory {
    if (!isRunning) this.#leaveOpen('lost', this.#lastAt);
    this.#endWait(this.#lastAt);
    return {
      ...facts,
      start: this.#start,
      processes: this.#processes,
      attempts: this.#attempts.map((attempt, index) =>
        index === this.#attempts.length - 1 && attempt.end === 'open'
          ? { ...attempt, said: this.#said }
          : attempt,
      ),
      waits: this.#waits,
      openings: this.#openings,
      permissions: [...this.#permissions.values()],
      permissionsLeftOut: this.#left,
      requests: this.#requests,
      asked: [...this.#asked.values()],
      baseline: this.#baseline,
      standing: this.#standing,
      skips: this.#skips,
      cappedTurns: this.#cappedTurns,
      isRunCapped: this.#isRunCapped,
      lostEvents: this.#lostEvents,
    };
  }

  #begin(at: string, event: Extract<RunEvent, { type: 'run-start' }>): void {
    this.#leaveOpen('lost', this.#lastAt);
    // A wait without an end lasted as long as its process.
    this.#endWait(this.#lastAt);
    this.#start = event;
    const { actor = null, isResumed, agent } = event;
    this.#processes.push({ startedAt: at, actor, isResumed, agent, lastSeenAt: at, end: null });
  }

  #take(at: string, event: RunEvent): void {
    switch (event.type) {
      case 'standing':
        this.#onStanding(at, event);
        break;
      case 'baseline':
        this.#baseline = event.tests;
        break;
      case 'iteration-start':
        this.#leaveOpen('lost', at);
        this.#attempts.push(attemptOf(at, event, this.#standing?.usage ?? null));
        this.#said = '';
        break;
      case 'agent':
        this.#onAgent(at, event.event);
        break;
      case 'verify-end': {
        const { command, exitCode, tests, durationMs } = event;
        if (this.#open !== undefined) this.#open.checks.push({ command, exitCode, tests, durationMs });
        break;
      }
      case 'iteration-end':
        if (this.#open !== undefined) this.#open.result = event;
        this.#leaveOpen('complete', at);
        break;
      case 'iteration-cut':
        if (this.#open !== undefined) this.#open.cutReason = event.reason;
        this.#leaveOpen('cut', at);
        break;
      case 'phase-skipped':
        this.#skips.push(event);
        break;
      case 'waiting':
        this.#wait = {
          cause: event.cause,
          reason: causeOfWait(event),
          question: event.cause === 'question' ? event.question : null,
          from: at,
          to: at,
        };
        break;
      case 'question':
        if (!this.#asked.has(event.sessionId)) this.#asked.set(event.sessionId, questionOf(at, event));
        break;
      case 'request':
        this.#requests.push({ at, kind: event.request.kind, actor: event.request.actor ?? null });
        break;
      case 'text-capped':
        if (event.scope === 'run') this.#isRunCapped = true;
        else this.#cappedTurns += 1;
        break;
      case 'text-lost':
        this.#lostEvents += event.events;
        break;
      case 'run-end':
        this.#onEnd(event);
        break;
      default:
    }
  }

  get #open(): (Changing<Attempt> & { checks: CheckRun[] }) | undefined {
    const last = this.#attempts.at(-1);
    return last?.end === 'open' ? last : undefined;
  }

  #leaveOpen(end: Attempt['end'], at: string): void {
    const open = this.#open;
    if (open === undefined) return;
    open.end = end;
    open.endedAt = at;
    open.said = this.#said;
  }

  #onStanding(at: string, event: Standing & { readonly type: 'standing' }): void {
    const { type: _, ...standing } = event;
    const { state, reason } = standing.breaker;
    const last = this.#openings.at(-1);
    const isOpen = last !== undefined && last.closedAt === null;
    if (state === 'OPEN' && !isOpen)
      this.#openings.push({ at, phase: standing.phase, reason, closedAt: null });
    if (state !== 'OPEN' && isOpen) last.closedAt = at;
    this.#standing = standing;
  }

  #onAgent(at: string, event: AgentEvent): void {
    const open = this.#open;
    if (event.type === 'text') this.#said = (this.#said + event.text.slice(-MAX_SAID)).slice(-MAX_SAID);
    if (event.type === 'tool-call' && open !== undefined) open.toolCalls += 1;
    if (event.type === 'permission') this.#onPermission(at, event);
  }

  #onPermission(at: string, event: Extract<AgentEvent, { type: 'permission' }>): void {
    const { name: tool, title, decision, by, message = null } = event;
    const what = title === '' ? tool : title;
    const isByPerson = by === BY_A_PERSON;
    const key = isByPerson ? `${this.#permissions.size}` : JSON.stringify([tool, what, decision, by]);
    const before = this.#permissions.get(key);
    if (before !== undefined) {
      before.count += 1;
      before.lastAt = at;
      return;
    }
    if (this.#permissions.size >= MAX_PERMISSIONS) {
      this.#left += 1;
      return;
    }
    const once = { count: 1, firstAt: at, lastAt: at };
    this.#permissions.set(key, { tool, what, decision, by, isByPerson, message, ...once });
  }

  #onEnd({ outcome, reason, missing }: Extract<RunEvent, { type: 'run-end' }>): void {
    const process = this.#processes.at(-1);
    if (process !== undefined) process.end = { outcome, reason, missing };
  }

  /** A wait ends with whatever the run does next; the agent's own events do not count. */
  #settleWait(at: string, { type }: RunEvent): void {
    if (type !== 'agent' && type !== 'question') this.#endWait(at);
  }

  #endWait(at: string): void {
    if (this.#wait === undefined) return;
    this.#waits.push({ ...this.#wait, to: at });
    this.#wait = undefined;
  }
}

function attemptOf(
  at: string,
  { phase, story, iteration, title }: Extract<RunEvent, { type: 'iteration-start' }>,
  usedBefore: LoopUsage | null,
): Changing<Attempt> & { checks: CheckRun[] } {
  const nothing = { endedAt: null, end: 'open', cutReason: null, result: null } as const;
  const where = { phase, story, iteration, title, startedAt: at };
  return { ...where, ...nothing, checks: [], toolCalls: 0, said: '', usedBefore };
}

function questionOf(at: string, event: Extract<RunEvent, { type: 'question' }>): HistoryQuestion {
  const { sessionId: id, title, prompt, from } = event;
  return { id, title, prompt, from, at };
}
