import { setTimeout as sleep } from 'node:timers/promises';
import { isHoldfastError, type Logger, messageOf } from '../../../foundation/index.js';
import type { Overview, OverviewRow } from '../../../overview/index.js';
import { type QuestionDesk, type QuestionView, reportOf } from '../../../sessions/question/index.js';
import type { Card, FleetState, PageChange } from '../../contract/index.js';
import type { OtherMachines } from './elsewhere.js';

export interface FeedParts {
  readonly overview: Overview;
  readonly questions: Pick<QuestionDesk, 'get' | 'readDraft'>;
  /** The other machines; absent without a fleet. */
  readonly elsewhere?: OtherMachines | undefined;
  readonly clock: { now(): Date };
  readonly log: Logger;
}

/** The state of everything, independent of the viewer. */
export interface FeedState {
  readonly seq: number;
  readonly cards: readonly Card[];
  readonly rows: readonly OverviewRow[];
  readonly fleet?: FleetState | undefined;
}

interface Known<Value> {
  readonly value: Value;
  /** As JSON, to detect changes. */
  readonly text: string;
}

/** How long a new viewer waits for the other machines; what takes longer is sent as a change. */
const PATIENCE_MS = 300;

/** What every page shows: read once for all of them, and only while at least one is open. */
export class Feed implements Disposable {
  readonly #parts: FeedParts;
  readonly #listeners = new Set<(change: PageChange) => void>();
  readonly #staleDrafts = new Set<string>();
  #cards = new Map<string, Known<Card>>();
  #rows = new Map<string, Known<OverviewRow>>();
  #fleet: Known<FleetState> | undefined;
  #seq = 0;
  #isStale = true;
  #isWatched = false;
  #watch: { close(): void } | undefined;
  #reading: Promise<void> | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** Reads everything as it is now, including what others typed. Throws STORAGE_FAILED. */
  async read(): Promise<FeedState> {
    for (const id of this.#cards.keys()) this.#staleDrafts.add(id);
    await this.#readElsewhere();
    this.#isStale = true;
    await this.#refresh();
    return this.state();
  }

  /** Resolves once it has been read at least once. Throws STORAGE_FAILED. */
  async ready(): Promise<void> {
    if (this.#isStale) await this.#refresh();
  }

  /** The state as last read. */
  state(): FeedState {
    return {
      seq: this.#seq,
      cards: [...this.#cards.values()].map(({ value }) => value),
      rows: [...this.#rows.values()].map(({ value }) => value),
      ...(this.#fleet === undefined ? {} : { fleet: this.#fleet.value }),
    };
  }

  /** One set as a card, waiting or not. Throws SESSION_NOT_FOUND. */
  async card(id: string): Promise<Card> {
    const view = await this.#parts.questions.get(id);
    return { ...this.#cardOf(view, this.state().rows), draft: this.#readDraft(id) };
  }

  row(id: string): OverviewRow | null {
    for (const { value } of this.#rows.values()) if (value.kind === 'run' && value.id === id) return value;
    return null;
  }

  /** Notes that text was typed through this server. */
  noteDraft(id: string): void {
    this.#staleDrafts.add(id);
    this.#hint();
  }

  /** Calls back with each change until closed. */
  subscribe(onChange: (change: PageChange) => void): { close(): void } {
    this.#listeners.add(onChange);
    return { close: () => void this.#listeners.delete(onChange) };
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#watch?.close();
    this.#parts.overview[Symbol.dispose]();
  }

  /** Reads the other machines for a new viewer. */
  async #readElsewhere(): Promise<void> {
    const { elsewhere } = this.#parts;
    if (elsewhere === undefined) return;
    this.#watch ??= elsewhere.watch(() => this.#hint());
    if (elsewhere.state.trouble !== null) return;
    const patience = new AbortController();
    const tooLong = sleep(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => {}); // arrived in time
    await Promise.race([elsewhere.refresh(), tooLong]);
    patience.abort();
  }

  #hint(): void {
    this.#isStale = true;
    // No page is open: the next one reads it.
    if (this.#listeners.size === 0) return;
    this.#refresh().catch((error: unknown) =>
      this.#parts.log.warn('web.not-read', { error: messageOf(error) }),
    );
  }

  /** One reading at a time; a hint that arrives meanwhile causes the next one. */
  #refresh(): Promise<void> {
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { overview } = this.#parts;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const rows = await overview.read();
        if (!this.#isWatched) overview.watch(() => this.#hint());
        this.#isWatched = true;
        await this.#take(rows, await overview.readPending());
      }
    } catch (error) {
      this.#isStale = true;
      throw error;
    } finally {
      // Cleared at once: a hint that arrives now starts the next reading.
      this.#reading = undefined;
    }
  }

  async #take(read: readonly OverviewRow[], pending: readonly QuestionView[]): Promise<void> {
    const { elsewhere } = this.#parts;
    const rows = new Map(read.map((row) => [row.key, known(row)]));
    const waiting = elsewhere === undefined ? pending : withOthers(pending, elsewhere.pending);
    const cards = new Map(waiting.map((view) => [view.id, known(this.#cardOf(view, read))]));
    const fleet = elsewhere === undefined ? undefined : known(elsewhere.state);
    const left = [...this.#cards.keys()].filter((id) => !cards.has(id));
    const settled = (await Promise.all(left.map((id) => this.#settled(id, read)))).filter(
      (card) => card !== null,
    );
    const settledIds = new Set(settled.map(({ set }) => set.sessionId));
    const change = {
      cards: changed(this.#cards, cards),
      settled,
      goneCards: left.filter((id) => !settledIds.has(id)),
      rows: changed(this.#rows, rows),
      goneRows: [...this.#rows.keys()].filter((key) => !rows.has(key)),
    };
    const isFleetSame = this.#fleet?.text === fleet?.text;
    [this.#cards, this.#rows, this.#fleet] = [cards, rows, fleet];
    if (isFleetSame && Object.values(change).every((list) => list.length === 0)) return;
    this.#seq += 1;
    const told: PageChange = {
      seq: this.#seq,
      now: this.#parts.clock.now().toISOString(),
      ...change,
      ...(isFleetSame || fleet === undefined ? {} : { fleet: fleet.value }),
    };
    for (const listener of [...this.#listeners]) listener(told);
  }

  /** A set that is no longer waiting; null if it is gone. */
  async #settled(id: string, rows: readonly OverviewRow[]): Promise<Card | null> {
    const { elsewhere, questions } = this.#parts;
    try {
      const isElsewhere = this.#cards.get(id)?.value.set.machine !== undefined;
      const view = isElsewhere ? elsewhere?.standing(id) : await questions.get(id);
      return view == null ? null : this.#cardOf(view, rows);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return null;
    }
  }

  #cardOf(view: QuestionView, rows: readonly OverviewRow[]): Card {
    const session = view.asker?.session ?? view.asker?.hook;
    // A run on another machine with the same id is a different run.
    const row = rows.find(
      ({ kind, id, machine }) => kind !== 'question' && id === session && machine === view.machine,
    );
    return { set: reportOf(view), draft: this.#draftOf(view.id), row: row?.key ?? null };
  }

  #draftOf(id: string): Card['draft'] {
    const before = this.#cards.get(id)?.value;
    return before !== undefined && !this.#staleDrafts.delete(id) ? before.draft : this.#readDraft(id);
  }

  #readDraft(id: string): Card['draft'] {
    try {
      const draft = this.#parts.questions.readDraft(id);
      if (draft === undefined) return null;
      const { questionIndex, answers, rejectionReason } = draft;
      return { questionIndex, answers, rejectionReason };
    } catch (error) {
      // Gone or unreadable: nothing that was typed can be shown.
      if (!isHoldfastError(error)) throw error;
      return null;
    }
  }
}

function known<Value>(value: Value): Known<Value> {
  return { value, text: JSON.stringify(value) };
}

/** Oldest first. A decision on its way to another machine awaits no one, but is shown all the same. */
function withOthers(pending: readonly QuestionView[], others: readonly QuestionView[]): QuestionView[] {
  const here = pending.filter(({ machine }) => machine === undefined);
  return [...here, ...others].sort(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1),
  );
}

function changed<Value>(
  before: ReadonlyMap<string, Known<Value>>,
  after: ReadonlyMap<string, Known<Value>>,
): Value[] {
  return [...after].flatMap(([key, { value, text }]) => (before.get(key)?.text === text ? [] : [value]));
}
