import { join } from 'node:path';
import { messageOf, next, redact } from '../../foundation/index.js';
import {
  commitGroup,
  type FileSystem,
  hasRedo,
  type Lock,
  type LockTools,
  readFile,
} from '../../storage/index.js';
import { trashSession } from './archive.js';
import { LoopPoisonedError } from './errors.js';
import {
  afterPhase,
  begunOf,
  concludeIteration,
  type Decision,
  dropPhase,
  type IterationOutcome,
  phaseOf,
  startPhase,
  unitOf,
  withError,
  withPaths,
} from './iteration.js';
import { loopLifecycle } from './lifecycle.js';
import { exportLoop, type LoopExport } from './moved-loop.js';
import { addUsage, type BudgetReached, checkBudget, NO_USAGE, type Used } from './policies/budget.js';
import { resetBreaker } from './policies/circuit-breaker.js';
import { countableBaseline, countableOutcome, countableUsage, countIn } from './policies/countable.js';
import { closePhase, withFiles } from './policies/metrics.js';
import type { Preset } from './policies/presets.js';
import {
  endSharedWait,
  endWait,
  type LimitSignal,
  mayCall,
  type Permission,
  recordCall,
  recordLimit,
  roll,
} from './policies/rate-limit.js';
import { groupOf, writeDocuments } from './read-loop.js';
import { type LoopRequest, RequestReader } from './requests.js';
import {
  type Baseline,
  type Budget,
  type ChangedFile,
  type LoopDocuments,
  type LoopState,
  STATUS_LOG,
  type StartedFrom,
} from './schema.js';
import { type LoopUpdate, updated } from './update.js';

/**
 * A loop session in the hands of its owner, the one process that may write it. Every method commits all files before it
 * returns. A method that throws has changed nothing, or (if LOOP_POISONED follows) the next owner completes its commit.
 */
export class HeldLoop implements Disposable {
  readonly directory: string;
  readonly #tools: LockTools;
  readonly #lock: Lock;
  #documents: LoopDocuments;
  #commit: number;
  /** What this owner's last commit left in its files. */
  #written: Readonly<Record<string, string>> | undefined;
  #failure: unknown;
  readonly #requests: RequestReader;

  constructor(tools: LockTools, directory: string, lock: Lock, documents: LoopDocuments, commit: number) {
    this.#tools = tools;
    this.directory = directory;
    this.#lock = lock;
    this.#documents = documents;
    this.#commit = commit;
    this.#requests = new RequestReader(tools, directory);
  }

  /** The session as last committed. */
  get documents(): LoopDocuments {
    return this.#documents;
  }

  get state(): LoopState {
    return this.#documents.state;
  }

  /** Everything another machine needs to continue it, as last committed. */
  export(): LoopExport {
    const log = readFile(this.#tools.fileSystem, join(this.directory, STATUS_LOG)) ?? '';
    return exportLoop(this.#documents, this.#commit, log);
  }

  /** Throws LOCK_LOST if another process took the session away. */
  assertHeld(): void {
    this.#lock.assertHeld();
  }

  /** A signal that fires when another process takes the session away. */
  lossSignal(): AbortSignal {
    return this.#lock.lossSignal();
  }

  /** Whether the agent may be called now, given its limits, ours and the budget. */
  permission(): Permission | { readonly isAllowed: false; readonly budget: BudgetReached } {
    const budget = checkBudget(this.state.usage ?? NO_USAGE, this.state.budget ?? {});
    if (budget !== null) return { isAllowed: false, budget };
    return mayCall(this.#documents.rateLimit, this.#tools.clock.now());
  }

  /** Records what the checks said before anything touched the tree. */
  recordBaseline(baseline: Baseline): void {
    this.#write({ ...this.#documents, state: this.#touched({ baseline: countableBaseline(baseline) }) });
  }

  /** Records where the work begins. */
  recordStart(startedFrom: StartedFrom): void {
    this.#write({ ...this.#documents, state: this.#touched({ startedFrom }) });
  }

  /** Records what the run has changed so far, without touching the time of its last activity. */
  recordFiles(files: readonly ChangedFile[]): void {
    const filesChanged = files.slice(0, MAX_FILES);
    this.#write({ ...this.#documents, state: { ...this.state, filesChanged } });
  }

  /** Records that the agent is about to be prompted, and counts the call: a prompt is sent at most once. */
  beginIteration(): void {
    const { state, rateLimit } = this.#documents;
    next(loopLifecycle, state.status, 'iterate');
    const now = this.#tools.clock.now();
    const inFlight = {
      phase: state.currentPhase,
      iteration: state.currentIteration + 1,
      startedAt: now.toISOString(),
    };
    this.#write({
      ...this.#documents,
      state: this.#touched({ inFlight }),
      rateLimit: recordCall(rateLimit, now),
    });
  }

  /** Commits the outcome of an iteration and returns what to do next. */
  commitIteration(outcome: IterationOutcome): Decision {
    next(loopLifecycle, this.state.status, 'iterate');
    const now = this.#tools.clock.now();
    const rolled = { ...this.#documents, rateLimit: roll(this.#documents.rateLimit, now) };
    const { documents, decision, block } = concludeIteration(rolled, countableOutcome(outcome), now);
    this.#write(documents, block);
    return decision;
  }

  /** Makes the changes a caller outside a run is allowed, in one commit. Throws INVALID_INPUT, ILLEGAL_TRANSITION. */
  update(update: LoopUpdate): void {
    this.#write(updated(this.#documents, update, this.#now()));
  }

  /** Records an error outside an iteration. */
  recordError(error: string): void {
    const state = withError(this.#touched({}), error, this.#now(), this.state.currentIteration);
    this.#write({ ...this.#documents, state });
  }

  /** Counts usage outside a completed iteration: a turn that was cut short costs money too. */
  recordUsage(used: Used): void {
    const before = this.state.usage ?? NO_USAGE;
    const usage = addUsage(before, countableUsage(used), 0);
    this.#write({ ...this.#documents, state: this.#touched({ usage }) });
  }

  /** Counts, once, the files an iteration changed before it was cut short. From then on they belong to the phase. */
  recordLeftFiles(left: {
    readonly files: number;
    readonly documents: number;
    readonly paths?: readonly string[] | undefined;
  }): void {
    const { state, metrics } = this.#documents;
    const interrupted = state.interrupted ?? null;
    if (interrupted === null || interrupted.filesChanged !== undefined) return;
    const [files, documents] = [countIn(left.files) ?? 0, countIn(left.documents) ?? 0];
    this.#write({
      ...this.#documents,
      metrics: withFiles(metrics, unitOf(state), { files, documents }, begunOf(state, this.#now())),
      state: withPaths(this.#touched({ interrupted: { ...interrupted, filesChanged: files } }), left.paths),
    });
  }

  /** Changes what the session may use up. Limits that are not given stay. */
  setLimits(limits: { budget?: Budget | undefined; callsPerHour?: number | undefined }): void {
    const { rateLimit } = this.#documents;
    const limit = limits.callsPerHour ?? rateLimit.hourly.limit;
    this.#write({
      ...this.#documents,
      rateLimit: { ...rateLimit, hourly: { ...rateLimit.hourly, limit } },
      state: this.#touched({ budget: { ...this.state.budget, ...limits.budget } }),
    });
  }

  /** Another run learned of a quota on the account that this run shares. */
  waitForQuota(signal: Extract<LimitSignal, { kind: 'quota' }>): void {
    const rateLimit = recordLimit(this.#documents.rateLimit, signal, this.#tools.clock.now());
    this.#write({ ...this.#documents, rateLimit, state: this.#touched({}) });
  }

  /** The daily budget that all runs share is used up. */
  waitForDay(day: { readonly until: string; readonly words: string }): void {
    const { rateLimit } = this.#documents;
    this.#write({ ...this.#documents, rateLimit: { ...rateLimit, day }, state: this.#touched({}) });
  }

  /** A wait that all runs share ended early. */
  endSharedWait(): void {
    const rateLimit = endSharedWait(this.#documents.rateLimit);
    this.#write({ ...this.#documents, rateLimit, state: this.#touched({}) });
  }

  /** Remembers a question the agent asked until the agent has the answer, however often it restarts in between. */
  openQuestion(id: string): void {
    if (this.state.openQuestions.includes(id)) return;
    this.#write({
      ...this.#documents,
      state: this.#touched({ openQuestions: [...this.state.openQuestions, id] }),
    });
  }

  /** The agent has received the answer. */
  closeQuestion(id: string): void {
    if (!this.state.openQuestions.includes(id)) return;
    const openQuestions = this.state.openQuestions.filter((open) => open !== id);
    this.#write({ ...this.#documents, state: this.#touched({ openQuestions }) });
  }

  /** Keeps a person's guidance until the agent has received it. */
  guide(text: string): void {
    this.#write({ ...this.#documents, state: this.#touched({ guidance: [...this.state.guidance, text] }) });
  }

  /** The agent has received the guidance. */
  closeGuidance(): void {
    if (this.state.guidance.length === 0) return;
    this.#write({ ...this.#documents, state: this.#touched({ guidance: [] }) });
  }

  /** The requests that arrived and have not been taken. Changes nothing. */
  requests(): LoopRequest[] {
    const { sessionId, lastRequest } = this.state;
    return this.#requests.after(sessionId, lastRequest);
  }

  /** Takes the pending requests: applies them in order, in one commit, and returns them. */
  takeRequests(): LoopRequest[] {
    const requests = this.requests();
    const last = requests.at(-1);
    if (last === undefined) return [];
    let documents = this.#documents;
    for (const request of requests) documents = this.#applied(documents, request);
    const state = { ...documents.state, lastRequest: last.number, lastActivity: this.#now() };
    this.#write({ ...documents, state });
    return requests;
  }

  /** By request or because of a limit. */
  pause(reason: string): void {
    const status = next(loopLifecycle, this.state.status, 'pause');
    this.#write({
      ...this.#documents,
      state: this.#touched({ status, pauseReason: redact(reason), pausedAt: this.#now() }),
    });
  }

  /** Notes what a run of the fleet cannot reach; null once it is reachable again. */
  noteCutOff(cutOff: NonNullable<LoopState['cutOff']> | null): void {
    if (JSON.stringify(cutOff) === JSON.stringify(this.state.cutOff ?? null)) return;
    this.#write({ ...this.#documents, state: this.#touched({ cutOff }) });
  }

  /** Continues after a pause, a signal or a crash. An iteration that was under way is noted as interrupted. */
  resume(guidance?: string): void {
    const { inFlight, interrupted } = this.state;
    const status = next(loopLifecycle, this.state.status, 'resume');
    const state = this.#touched({
      status,
      ...RESUMED,
      ...(this.state.cutOff == null ? {} : { cutOff: null }),
      resumedAt: this.#now(),
      inFlight: null,
      interrupted: inFlight ?? interrupted ?? null,
      guidance: [...this.state.guidance, ...guidanceOf(guidance)],
    });
    this.#write({ ...this.#documents, state });
  }

  /** Stops so that the next start offers to resume. Notes the signal that arrived, if its name is known. */
  suspend(reason: string, signal?: string): void {
    const status = next(loopLifecycle, this.state.status, 'suspend');
    const suspendedBy = signal === undefined ? null : { signal, bootId: this.#tools.identity.bootId };
    const state = this.#touched({ status, suspendReason: redact(reason), suspendedBy });
    this.#write({ ...this.#documents, state });
  }

  /** Lets a halted loop try again: the breaker is half open, its counters at zero. */
  reset(guidance?: string): void {
    this.#write(this.#reset(this.#documents, guidance));
  }

  /** What follows the current phase; undefined if it is the last one. */
  followingPhase(): { readonly phase: string; readonly story: string | null } | undefined {
    return afterPhase(this.state, phaseOf(this.state), {});
  }

  /**
   * Ends the phase without its gates because a person said so, and enters the next one. After the last phase the
   * session is complete; the caller must have made sure that the checks are green.
   */
  skipPhase(by: { readonly actor: string; readonly reason: string }): Decision {
    const { documents } = this;
    const at = this.#now();
    const following = this.followingPhase();
    const skipped = { phase: unitOf(this.state), at, actor: by.actor, reason: redact(by.reason) };
    const left = dropPhase(this.#reset(documents), skipped);
    if (following !== undefined) {
      this.#write(
        startPhase({ ...left, state: { ...left.state, inFlight: null, lastActivity: at } }, following, at),
      );
      return { next: 'enter-phase', ...following };
    }
    const status = next(loopLifecycle, left.state.status, 'complete');
    this.#write({
      ...left,
      state: { ...left.state, status, completedAt: at, lastActivity: at, inFlight: null },
    });
    return { next: 'complete' };
  }

  /** Switches to other phases. Stays in the current phase if they include it; otherwise enters the first that is not done yet. */
  changePhases({ name, phases }: Preset): void {
    const at = this.#now();
    const state = this.#touched({ preset: { name, phases: [...phases] } });
    const isKnown = phases.some((phase) => phase.name === state.currentPhase);
    const isDone = (phase: string) => state.phasesCompleted.includes(phase);
    const first = phases.find((phase) => !isDone(phase.name)) ?? phases[0];
    if (isKnown || first === undefined) {
      this.#write({ ...this.#documents, state });
      return;
    }
    const unit = unitOf(state);
    const run = state.phaseHistory[unit] ?? { startedAt: at, iterations: 0 };
    const left = { ...run, completedAt: at, exitReason: `left: the phases are ${name} now` };
    const phaseHistory = { ...state.phaseHistory, [unit]: left };
    const metrics = closePhase(this.#documents.metrics, unit, { at, begun: run.startedAt });
    const documents = { ...this.#documents, metrics, state: { ...state, phaseHistory } };
    this.#write(startPhase(documents, { phase: first.name, story: null }, at));
  }

  complete(): void {
    const status = next(loopLifecycle, this.state.status, 'complete');
    this.#write({
      ...this.#documents,
      state: this.#touched({ status, completedAt: this.#now(), inFlight: null }),
    });
  }

  halt(reason: string): void {
    const status = next(loopLifecycle, this.state.status, 'halt');
    this.#write({
      ...this.#documents,
      state: this.#touched({ status, haltReason: redact(reason), inFlight: null }),
    });
  }

  /** Ends the session for good. Its files stay, or go to the directory's trash; then returns their place there. */
  abort(options: { remove?: boolean } = {}): string | undefined {
    const status = next(loopLifecycle, this.state.status, 'abort');
    this.#write({ ...this.#documents, state: this.#touched({ status, inFlight: null }) });
    if (options.remove !== true) return undefined;
    this.#lock.assertHeld();
    return trashSession(this.#tools, this.directory, this.state.sessionId);
  }

  /** Releases the session. It stays as last committed. */
  [Symbol.dispose](): void {
    this.#lock.release();
  }

  #applied(documents: LoopDocuments, request: LoopRequest): LoopDocuments {
    const { state } = documents;
    const change = (more: Partial<LoopState>) => ({ ...documents, state: { ...state, ...more } });
    switch (request.kind) {
      case 'pause':
        if (state.status !== 'running') return documents;
        return change({ status: 'paused', pauseReason: request.reason ?? 'requested', pausedAt: request.at });
      case 'resume': {
        // Whatever it is waiting for, a person wants it to continue now.
        const rateLimit = endWait(documents.rateLimit, this.#tools.clock.now());
        if (state.status !== 'paused') return { ...documents, rateLimit };
        return { ...change({ status: 'running', ...RESUMED, resumedAt: this.#now() }), rateLimit };
      }
      case 'stop':
        if (state.status !== 'running' && state.status !== 'paused') return documents;
        return change({ status: 'suspended', suspendReason: request.reason ?? 'stop was requested' });
      case 'guidance':
        return change({ guidance: [...state.guidance, request.text] });
      case 'reset':
        return state.status === 'halted' ? this.#reset(documents, request.guidance) : documents;
    }
  }

  #reset(documents: LoopDocuments, guidance?: string): LoopDocuments {
    const { state, breaker } = documents;
    const at = this.#now();
    const status = state.status === 'halted' ? next(loopLifecycle, state.status, 'reset') : state.status;
    return {
      ...documents,
      breaker: resetBreaker(breaker, 'reset by a person', at),
      state: {
        ...state,
        status,
        haltReason: null,
        guidance: [...state.guidance, ...guidanceOf(guidance)],
        lastActivity: at,
      },
    };
  }

  #touched(more: Partial<LoopState>): LoopState {
    return { ...this.state, ...more, lastActivity: this.#now() };
  }

  #now(): string {
    return this.#tools.clock.now().toISOString();
  }

  #write(documents: LoopDocuments, block?: string): void {
    if (this.#failure !== undefined) throw new LoopPoisonedError(this.directory, { cause: this.#failure });
    const group = groupOf(this.directory);
    const replaced = writeDocuments(documents, this.#commit + 1);
    const appended = block === undefined ? {} : { [STATUS_LOG]: block };
    this.#tellForgeries();
    try {
      commitGroup(this.#tools, group, { replaced, appended }, this.#lock);
    } catch (error) {
      if (this.#mayStand()) this.#failure = error;
      throw error;
    }
    this.#documents = documents;
    this.#commit += 1;
    this.#written = replaced;
  }

  /** If a process without the lock wrote to our files, its changes do not count and are overwritten, but logged. */
  #tellForgeries(): void {
    if (this.#written === undefined || !this.#lock.isHeld()) return;
    const { fileSystem, log } = this.#tools;
    const group = groupOf(this.directory);
    const files = Object.entries(this.#written)
      .filter(([name, text]) => !isText(fileSystem, join(this.directory, name), text))
      .map(([name]) => name);
    if (hasRedo(fileSystem, group)) files.push(group.record);
    if (files.length > 0) log.warn('loop.files-forged', { directory: this.directory, files });
  }

  /** Whether a failed commit had already been decided; if in doubt, it had. */
  #mayStand(): boolean {
    try {
      return hasRedo(this.#tools.fileSystem, groupOf(this.directory));
    } catch (error) {
      this.#tools.log.warn('loop.redo-unknown', { directory: this.directory, error: messageOf(error) });
      return true;
    }
  }
}

/** A file that cannot be read does not count as holding the text. */
function isText(fileSystem: FileSystem, path: string, text: string): boolean {
  try {
    return readFile(fileSystem, path) === text;
  } catch {
    return false; // whatever replaced it is logged as well; the commit itself will hit the error
  }
}

function guidanceOf(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [text];
}

const MAX_FILES = 500;
const RESUMED = { pauseReason: null, pausedAt: null, suspendReason: null, suspendedBy: null };
