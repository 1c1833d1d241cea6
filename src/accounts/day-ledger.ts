import { join } from 'node:path';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  Lock,
  type LockTools,
  listDirectory,
  tryAcquireLock,
  writeDocument,
} from '../storage/index.js';
import {
  addUse,
  type DayLimits,
  type DayReached,
  type DayUse,
  higherOf,
  NO_DAY_USE,
  reachedOf,
} from './day-budget.js';
import { localDayOf, localZone, nextDayAfter } from './local-day.js';
import { readOrSetAside } from './read-file.js';
import { type DayDecision, DayFile, DecisionFile } from './schema.js';

export interface DayLedgerOptions {
  /** `<state>/accounts/days`. */
  readonly directory: string;
  /** The limits from the configuration. */
  readonly limits: DayLimits;
  readonly zone?: string | undefined;
}

/** The state of a day's budget. */
export interface DayStanding {
  readonly day: string;
  readonly reached: DayReached;
  /** When the next day begins. */
  readonly until: string;
  /** A person decided not to raise it. */
  readonly isFinal: boolean;
}

/**
 * What all runs used on a local day: one small file per run, holding that run's sum and written only by its owner.
 * Writing a sum again replaces it, so nothing counts twice however often a run dies.
 */
export class DayLedger {
  readonly #tools: LockTools;
  readonly #directory: string;
  readonly #limits: DayLimits;
  readonly #zone: string;

  constructor(tools: LockTools, { directory, limits, zone = localZone() }: DayLedgerOptions) {
    this.#tools = tools;
    this.#directory = directory;
    this.#limits = limits;
    this.#zone = zone;
  }

  /** The local day of a moment. */
  dayOf(time: Date): string {
    return localDayOf(time, this.#zone);
  }

  today(): string {
    return this.dayOf(this.#tools.clock.now());
  }

  /** Records all that a run has used today. Throws ATOMIC_WRITE_FAILED. */
  record(session: string, use: DayUse): void {
    const path = join(this.#at(this.today()), `${session}.json`);
    const known = readOrSetAside(this.#tools, path, DayFile);
    if (known === undefined && use.costUsd === 0 && use.tokens === 0) return;
    if (known?.costUsd === use.costUsd && known.tokens === use.tokens) return;
    ensureDirectory(this.#tools.fileSystem, this.#at(this.today()));
    const { costUsd, tokens } = use;
    writeDocument(this.#tools, path, { version: DOCUMENT_VERSION, session, costUsd, tokens }, DayFile);
  }

  /** How the day's budget was exceeded, or undefined if more may be used. */
  standing(): DayStanding | undefined {
    const now = this.#tools.clock.now();
    const day = this.dayOf(now);
    const use = this.used(day);
    const configured = reachedOf(use, this.#limits);
    if (configured === undefined) return undefined;
    const decision = this.#decision(day);
    const reached = reachedOf(use, higherOf(this.#limits, decision ?? {}));
    if (reached === undefined) return undefined;
    const until = nextDayAfter(now, this.#zone).toISOString();
    return { day, reached, until, isFinal: decision?.isFinal === true };
  }

  /** What all runs, or all but one, used on a day. */
  used(day: string, { except }: { readonly except?: string } = {}): DayUse {
    const directory = this.#at(day);
    return listDirectory(this.#tools.fileSystem, directory)
      .filter((name) => name.endsWith('.json') && name !== DECISION && name !== `${except}.json`)
      .map((name) => readOrSetAside(this.#tools, join(directory, name), DayFile) ?? NO_DAY_USE)
      .reduce<DayUse>(addUse, NO_DAY_USE);
  }

  /** Takes the lock for asking the person about this day; undefined if another run is already asking. */
  tryAsk(day: string): Lock | undefined {
    ensureDirectory(this.#tools.fileSystem, this.#at(day));
    const lock = tryAcquireLock(this.#tools, join(this.#at(day), 'asking'));
    return lock instanceof Lock ? lock : undefined;
  }

  /** Records the person's decision. Only for the run that asks. Throws LOCK_LOST, ATOMIC_WRITE_FAILED. */
  decide(lock: Lock, day: string, decided: Pick<DayDecision, 'costUsd' | 'tokens' | 'isFinal'>): void {
    lock.assertHeld();
    const before = this.#decision(day);
    writeDocument(
      this.#tools,
      join(this.#at(day), DECISION),
      {
        version: DOCUMENT_VERSION,
        decidedAt: this.#tools.clock.now().toISOString(),
        costUsd: decided.costUsd ?? before?.costUsd,
        tokens: decided.tokens ?? before?.tokens,
        isFinal: decided.isFinal,
      },
      DecisionFile,
    );
  }

  /** A person wants to be asked again. */
  reopen(day: string): void {
    using lock = this.tryAsk(day);
    if (lock !== undefined) this.decide(lock, day, { isFinal: false });
  }

  /** Calls back when a person may have decided about a day. */
  watch(day: string, onHint: () => void): Disposable {
    ensureDirectory(this.#tools.fileSystem, this.#at(day));
    const watch = this.#tools.watcher.watch(this.#at(day), (name) => {
      if (name === null || name === DECISION) onHint();
    });
    return { [Symbol.dispose]: () => watch.close() };
  }

  #decision(day: string): DayDecision | undefined {
    return readOrSetAside(this.#tools, join(this.#at(day), DECISION), DecisionFile);
  }

  #at(day: string): string {
    return join(this.#directory, day);
  }
}

const DECISION = 'decision.json';
