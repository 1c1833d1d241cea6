import type { AgentEvent } from '../../agents/index.js';
import { isHoldfastError, messageOf, timestamp } from '../../foundation/index.js';
import { ensureDirectory, JsonlLog, type LockTools, lookAt } from '../../storage/index.js';
import { AgentText, fitForDisk } from './agent-text.js';
import type { RunEvent } from './events.js';
import { journalPlace } from './journal-place.js';
import { followJournal, type JournalEntry } from './read-journal.js';

const JOURNAL_VERSION = 1;

/** Events that are not urgent are committed together, this long after the first of them. */
const GROUP_MS = 100;
/** If an agent pauses this long within a line, the part it has written is recorded. */
const PAUSE_MS = 500;

export interface JournalLimits {
  /** How much an agent may say, think, pass to its tools and get back from them; the rest is left out. */
  readonly turnBytes: number;
  readonly runBytes: number;
}

const LIMITS: JournalLimits = { turnBytes: 1024 * 1024, runBytes: 32 * 1024 * 1024 };

export interface OpenJournalOptions {
  /** `<state>/runs`. */
  readonly runs: string;
  readonly sessionId: string;
  /** Who may write: the owner of the session. */
  readonly lock: { assertHeld(): void };
  readonly limits?: JournalLimits | undefined;
}

interface Written {
  readonly at: string;
  readonly event: RunEvent;
}

/**
 * The events of a run on disk, in order, written by its runner alone. Listeners are told only what would survive power loss.
 * What an agent says must not hold the run up, and may be lost when the disk takes no more. Nothing else may be lost: if it
 * would be, `failure` fires and nothing more is written.
 */
export class RunJournal implements Disposable {
  readonly path: string;
  /** The number of the first event of this opening. */
  readonly start: number;
  readonly #tools: LockTools;
  readonly #options: OpenJournalOptions;
  readonly #limits: JournalLimits;
  readonly #log: JsonlLog;
  readonly #failed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #text = new AgentText();
  #pending: Written[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastPieceMs = 0;
  #turnBytes = 0;
  #runBytes: number;
  #capped: 'no' | 'turn' | 'run' = 'no';
  /** How many events of the agent were lost since the last one that could be written. */
  #lost = 0;

  private constructor(tools: LockTools, options: OpenJournalOptions, path: string) {
    this.#tools = tools;
    this.#options = options;
    this.#limits = options.limits ?? LIMITS;
    this.path = path;
    this.#log = JsonlLog.open(tools, path, options);
    this.start = this.#log.nextSeq;
    this.#runBytes = lookAt(tools.fileSystem, path)?.size ?? 0;
    if (this.#runBytes > this.#limits.runBytes) this.#capped = 'run';
    for (const repair of this.#log.repairs) tools.log.warn('run.journal-mended', { path, ...repair });
  }

  /** Opens the journal of a session, creating it if there is none. Throws STORAGE_FAILED, UNSAFE_PATH, LOCK_LOST. */
  static open(tools: LockTools, options: OpenJournalOptions): RunJournal {
    const { runs, sessionId } = options;
    const { directory, path } = journalPlace(runs, sessionId);
    ensureDirectory(tools.fileSystem, runs);
    ensureDirectory(tools.fileSystem, directory);
    if (lookAt(tools.fileSystem, path) === undefined) {
      const first = { type: 'journal', version: JOURNAL_VERSION, sessionId, at: timestamp(tools.clock) };
      JsonlLog.create(tools, path, sessionId, first);
    }
    return new RunJournal(tools, options, path);
  }

  /** Fires, with the error, when something could not be written that the run cannot continue without. */
  get failure(): AbortSignal {
    return this.#failed.signal;
  }

  /** Writes an event and tells the listeners. Throws LOCK_LOST and disk errors; once it has failed, it always throws. */
  record(event: RunEvent): void {
    this.#failed.signal.throwIfAborted();
    if (event.type === 'agent') this.#addOfAgent(event.event);
    else this.#add(event);
    if (isUrgent(event)) this.#commit();
    else this.#commitSoon();
    this.#failed.signal.throwIfAborted();
  }

  /** The same for callers that must not get an exception: the run itself watches `failure`. */
  note(event: RunEvent): void {
    try {
      this.record(event);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Calls back with every event from `from` on, of this and earlier openings, once it is on disk. A callback that throws is
   * not called again.
   */
  follow(from: number, onEntry: (entry: JournalEntry) => void): { close(): void } {
    const { fileSystem, log } = this.#tools;
    const { sessionId } = this.#options;
    const hints = (onHint: () => void) => {
      this.#listeners.add(onHint);
      return { close: () => void this.#listeners.delete(onHint) };
    };
    return followJournal({ fileSystem, log, path: this.path, sessionId, from, hints }, onEntry);
  }

  /** Writes what is left, as far as possible. */
  [Symbol.dispose](): void {
    if (!this.#failed.signal.aborted) {
      this.#take(this.#text.release());
      this.#commit();
    }
    clearTimeout(this.#timer);
    this.#log.close();
    this.#listeners.clear();
  }

  #addOfAgent(event: AgentEvent): void {
    if (event.type === 'text' || event.type === 'thinking') {
      this.#lastPieceMs = performance.now();
      this.#take(this.#text.add(event));
      return;
    }
    this.#take(this.#text.release());
    this.#take([event]);
    if (event.type !== 'turn-end') return;
    this.#turnBytes = 0;
    if (this.#capped === 'turn') this.#capped = 'no';
  }

  #take(events: readonly AgentEvent[]): void {
    for (const event of events) this.#takeOne(event);
  }

  #takeOne(event: AgentEvent): void {
    const { turnBytes, runBytes } = this.#limits;
    const kept = this.#capped === 'no' ? event : shortOf(event);
    if (kept === undefined) return;
    const written = this.#add({ type: 'agent', event: kept });
    if (this.#capped !== 'no') return;
    const bytes = JSON.stringify(written).length;
    this.#turnBytes += bytes;
    this.#runBytes += bytes;
    const scope = this.#runBytes > runBytes ? 'run' : this.#turnBytes > turnBytes ? 'turn' : undefined;
    if (scope === undefined) return;
    this.#capped = scope;
    this.#add({ type: 'text-capped', scope, limitBytes: scope === 'run' ? runBytes : turnBytes });
  }

  #add(event: RunEvent): RunEvent {
    // What the agent said before this event comes first.
    if (event.type !== 'agent' && this.#text.isHolding) this.#take(this.#text.release());
    const fit = fitForDisk(event);
    this.#pending.push({ at: timestamp(this.#tools.clock), event: fit });
    return fit;
  }

  #commitSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#text.isHolding && performance.now() - this.#lastPieceMs >= PAUSE_MS)
        this.#take(this.#text.release());
      this.#commit();
      if (this.#text.isHolding) this.#commitSoon();
    }, GROUP_MS).unref();
  }

  #commit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#pending;
    if (group.length === 0 || this.#failed.signal.aborted) return;
    this.#pending = [];
    try {
      const lost = this.#lost === 0 ? [] : [this.#lossOf(this.#lost)];
      this.#log.appendAll([...lost, ...group].map(({ at, event }) => ({ ...event, at })));
      this.#lost = 0;
    } catch (error) {
      this.#onFailure(group, error);
      return;
    }
    for (const listener of [...this.#listeners]) this.#tell(listener);
  }

  #lossOf(events: number): Written {
    return { at: timestamp(this.#tools.clock), event: { type: 'text-lost', events } };
  }

  #onFailure(group: readonly Written[], error: unknown): void {
    const { log } = this.#tools;
    if (isHoldfastError(error, 'LOCK_LOST') || !group.every(({ event }) => isOfAgent(event))) {
      this.#fail(error);
      return;
    }
    this.#lost += group.length;
    log.warn('run.journal-text-lost', { path: this.path, events: group.length, error: messageOf(error) });
  }

  #fail(error: unknown): void {
    if (!this.#failed.signal.aborted) this.#failed.abort(error);
  }

  /** A listener that throws must not end the run. */
  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#listeners.delete(listener);
      this.#tools.log.warn('run.listener-failed', { error: messageOf(error) });
    }
  }
}

/**
 * Urgent events are written and told before the run takes another step; all others are committed in groups and told after
 * that.
 */
function isUrgent(event: RunEvent): boolean {
  switch (event.type) {
    case 'run-start':
    case 'baseline':
    // A prompt is sent after this event, so whatever a kill leaves behind belongs to this iteration.
    case 'iteration-start':
    case 'iteration-end':
    case 'iteration-cut':
    case 'phase-skipped':
    case 'waiting':
    case 'question':
    case 'request':
    case 'run-end':
      return true;
    default:
      return false;
  }
}

function isOfAgent(event: RunEvent): boolean {
  return event.type === 'text-capped' || (event.type === 'agent' && event.event.type !== 'turn-end');
}

/** What is kept of an agent's event once it has said too much: what it did, without the texts. */
function shortOf(event: AgentEvent): AgentEvent | undefined {
  switch (event.type) {
    case 'text':
    case 'thinking':
      return undefined;
    case 'tool-call':
    case 'permission':
      return { ...event, input: null };
    case 'tool-result':
      return { ...event, output: '' };
    default:
      return event;
  }
}
