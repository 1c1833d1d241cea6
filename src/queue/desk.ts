import { findId, InvalidInputError } from '../foundation/index.js';
import { planEntries, type QueueingPlace, type QueueWishes } from './enqueue.js';
import { EntryNotFoundError } from './errors.js';
import { nextMoment } from './moments.js';
import type { OrderFacts } from './order.js';
import { PlanNotQueuedError, readAgain } from './plan-content.js';
import type { EntryChange, Move, NewEntry, Queue } from './port.js';
import type { Entry, EntryOptions, FailurePolicy } from './schema.js';
import { type EntryView, type EntryWait, type QueueView, viewQueue } from './view.js';

/** What the desk needs of where it stands. */
export interface DeskParts extends Pick<OrderFacts, 'limits' | 'admission' | 'agentOf'> {
  readonly queue: Queue;
  readonly clock: { now(): Date };
  /** The place where somebody queues. */
  place(): Omit<QueueingPlace, 'now'>;
  /** Refuses an agent that is not there. Throws AGENT_UNKNOWN, PROGRAM_NOT_STARTED. */
  checkAgent(name: string): void;
  /** What the run of an entry waits for; null where it works, or is not found. */
  waitOf(entry: Entry): Promise<EntryWait | null>;
}

/** What a person wants to be queued, with ids as they typed them. */
export type AddWishes = QueueWishes;

/** Options that are left out, or undefined, stay as they are. */
export type OptionChanges = { readonly [Name in keyof EntryOptions]?: EntryOptions[Name] | undefined };

/** What is to be changed about an entry that waits. */
export interface EditWishes {
  readonly options?: OptionChanges | undefined;
  readonly after?: readonly string[] | undefined;
  readonly notBefore?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly onFailure?: FailurePolicy | undefined;
  readonly retries?: number | undefined;
  /** Takes the plan as the person has it now. */
  readonly isUpdated?: boolean | undefined;
}

/** An entry with everything that is kept of it. */
export interface ShownEntry {
  readonly entry: EntryView;
  /** Who has it now; null where nobody does. */
  readonly owner: string | null;
  /** Where the kept plan is, file by file. */
  readonly planFiles: readonly string[];
  /** The report of its run; null before its end. */
  readonly report: unknown;
}

/** The queue as people and programs use it: entries by parts of their ids, options as they are typed. */
export class QueueDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** The entries as they would be queued. Throws as `add`. */
  async plan(wishes: AddWishes): Promise<NewEntry[]> {
    return (await this.#wanted(wishes)).map(({ entry }) => entry);
  }

  /** Throws PLAN_NOT_FOUND, PLAN_NOT_QUEUED, INVALID_INPUT, ENTRY_NOT_FOUND, AMBIGUOUS_ID, CHANGE_NOT_FOUND, GIT_FAILED. */
  async add(wishes: AddWishes): Promise<Entry[]> {
    const added: Entry[] = [];
    for (const { entry, content } of await this.#wanted(wishes))
      added.push(await this.#parts.queue.add(entry, content));
    return added;
  }

  list(): QueueView {
    const { queue, clock, limits, admission, agentOf } = this.#parts;
    const { fileSystem } = this.#parts.place();
    return viewQueue(queue, { fileSystem }, { now: clock.now(), limits, admission, agentOf });
  }

  /** The same, and of those that run what they wait for: each of these runs is looked at. */
  async listClosely(): Promise<QueueView> {
    const view = this.list();
    const entries = [...view.entries];
    for (const [at, entry] of entries.entries())
      if (entry.status === 'running') entries[at] = await this.#lookAtRun(entry);
    return { ...view, entries };
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID. */
  async show(typed: string): Promise<ShownEntry> {
    const { queue } = this.#parts;
    const id = this.#idOf(typed);
    const entry = this.list().entries.find((one) => one.id === id);
    if (entry === undefined) throw new EntryNotFoundError(typed);
    const report = queue.reportOf(id);
    return {
      entry: await this.#lookAtRun(entry),
      owner: queue.ownerOf(id) ?? null,
      planFiles: entry.plan.files.map((file) => queue.planPath(entry, file)),
      report: report === undefined ? null : JSON.parse(report),
    };
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ENTRY_RUNNING, QUEUE_CYCLE, PLAN_NOT_QUEUED. */
  async edit(typed: string, wishes: EditWishes): Promise<Entry> {
    const id = this.#idOf(typed);
    if (wishes.isUpdated === true) await this.#update(id);
    const after = wishes.after?.map((one) => this.#idOf(one));
    return this.#parts.queue.edit(id, (entry) => this.#change(entry, { ...wishes, after }));
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ENTRY_RUNNING, ENTRY_NEEDED. */
  remove(typed: string): Promise<Entry> {
    return this.#parts.queue.remove(this.#idOf(typed));
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ENTRY_RUNNING. */
  move(typed: string, to: Move): Promise<Entry> {
    const id = this.#idOf(typed);
    return this.#parts.queue.move(id, 'other' in to ? { ...to, other: this.#idOf(to.other) } : to);
  }

  /** One entry, or all of it. Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ILLEGAL_TRANSITION. */
  pause(typed?: string): Promise<void> {
    return this.#parts.queue.pause(typed === undefined ? undefined : this.#idOf(typed));
  }

  resume(typed?: string): Promise<void> {
    return this.#parts.queue.resume(typed === undefined ? undefined : this.#idOf(typed));
  }

  /** Puts one that failed back into the queue: its run goes on, or is started. Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, INVALID_INPUT. */
  async retry(typed: string): Promise<Entry> {
    const { queue } = this.#parts;
    const id = this.#idOf(typed);
    const status = queue.get(id)?.status;
    if (status !== 'failed')
      throw new InvalidInputError(
        `${id.slice(0, 8)} is ${status ?? 'gone'}; only what failed is tried again`,
      );
    return queue.retry(id);
  }

  async #lookAtRun(entry: EntryView): Promise<EntryView> {
    if (entry.status !== 'running') return entry;
    const runWait = await this.#parts.waitOf(entry);
    return runWait === null ? entry : { ...entry, runWait };
  }

  #wanted(wishes: AddWishes) {
    const { queue, clock, place, checkAgent } = this.#parts;
    if (wishes.options.agent !== undefined) checkAgent(wishes.options.agent);
    const after = wishes.after.map((typed) => this.#idOf(typed));
    return planEntries(queue, { ...place(), now: clock.now() }, { ...wishes, after });
  }

  #change(entry: Entry, wishes: EditWishes): EntryChange {
    const { options, after, notBefore, priority, onFailure, retries } = wishes;
    if (options?.agent !== undefined) this.#parts.checkAgent(options.agent);
    const moment =
      notBefore === undefined || notBefore === null
        ? notBefore
        : nextMoment(notBefore, this.#parts.clock.now()).toISOString();
    return {
      ...(options === undefined ? {} : { options: { ...entry.options, ...given(options) } }),
      ...(after === undefined ? {} : this.#afterOf(entry, after)),
      ...(moment === undefined ? {} : { notBefore: moment }),
      ...(priority === undefined ? {} : { priority }),
      ...(onFailure === undefined ? {} : { onFailure }),
      ...(retries === undefined ? {} : { retriesLeft: retries }),
    };
  }

  /** What it goes on with is decided when it is queued; what it waits for may change. */
  #afterOf({ continues }: Entry, after: readonly string[]): EntryChange {
    if (continues !== null && !after.includes(continues))
      throw new InvalidInputError(
        `It goes on with the work of ${continues.slice(0, 8)}, and comes after it`,
        {
          hint: 'Remove it and queue it again to let it begin elsewhere.',
        },
      );
    return { after: [...after] };
  }

  async #update(id: string): Promise<void> {
    const { queue, place } = this.#parts;
    const entry = queue.get(id);
    if (entry === undefined) throw new EntryNotFoundError(id);
    const { fileSystem } = place();
    const { plan, project } = entry;
    const now = readAgain({ fileSystem, project, workingDirectory: project }, plan);
    if (now === undefined)
      throw new PlanNotQueuedError(`${plan.name} is gone from ${plan.source}`, {
        hint: 'What was queued is kept and still runs; remove the entry if you do not want that.',
      });
    await queue.updatePlan(id, now.plan, now.content);
  }

  #idOf(typed: string): string {
    const ids = this.#parts.queue.read().entries.map(({ id }) => id);
    const id = findId(ids, typed.toLowerCase());
    if (id === undefined) throw new EntryNotFoundError(typed);
    return id;
  }
}

function given(options: OptionChanges): Partial<EntryOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
