import {
  findId,
  type HoldfastError,
  InvalidInputError,
  isHoldfastError,
  messageOf,
  visibleLine,
} from '../foundation/index.js';
import { planEntries, type QueueingPlace, type QueueWishes } from './enqueue.js';
import { EntryNotFoundError } from './errors.js';
import { nextMoment } from './moments.js';
import type { OrderFacts } from './order.js';
import { PlanNotQueuedError, readAgain } from './plan-content.js';
import type { EntryChange, Move, NewEntry, Queue } from './port.js';
import type { Entry, EntryOptions, FailurePolicy } from './schema.js';
import { type EntryView, type EntryWait, type QueueView, viewQueue } from './view.js';

/** What the desk needs to know about its surroundings. */
export interface DeskParts extends Pick<OrderFacts, 'limits' | 'admission' | 'agentOf'> {
  readonly queue: Queue;
  /** The queue that machines share, if this one is in a fleet. */
  readonly fleet?: SharedQueue | undefined;
  readonly clock: { now(): Date };
  /** The place where somebody queues. */
  place(): Omit<QueueingPlace, 'now' | 'isShared'>;
  /** Refuses an agent that does not exist. Throws AGENT_UNKNOWN, PROGRAM_NOT_STARTED. */
  checkAgent(name: string): void;
  /** Refuses a limit in dollars that the run could not enforce. Throws COST_UNKNOWN and as `checkAgent`. */
  checkCost(options: EntryOptions): Promise<void>;
  /** What an entry's run is waiting for; null if it is working or cannot be found. */
  waitOf(entry: Entry): Promise<EntryWait | null>;
}

/** A queue that is opened on demand and closed after use. */
export interface SharedQueue {
  /** Undefined if this machine has not joined. Throws FLEET_UNREACHABLE and the like. */
  open(): Promise<(Queue & AsyncDisposable) | undefined>;
  /** Whether what is queued now stays on this machine. */
  readonly isLocal: boolean;
}

/** The queues of one call. */
interface OpenQueues extends AsyncDisposable {
  readonly local: Queue;
  readonly fleet: Queue | undefined;
  /** Why the queue of the fleet cannot be opened. */
  readonly trouble?: HoldfastError | undefined;
}

/** What a person wants to queue, with ids as typed. */
export type AddWishes = QueueWishes;

/** Options that are left out, or undefined, stay unchanged. */
export type OptionChanges = { readonly [Name in keyof EntryOptions]?: EntryOptions[Name] | undefined };

/** What to change about a waiting entry. */
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

/** An entry with everything kept of it. */
export interface ShownEntry {
  readonly entry: EntryView;
  /** The current owner; null if there is none. */
  readonly owner: string | null;
  /** The files of the kept plan. */
  readonly planFiles: readonly string[];
  /** The report of its run; null before its end. */
  readonly report: unknown;
}

/** The queue as people and programs use it: parts of ids are enough, options are as typed. */
export class QueueDesk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** The entries as they would be queued. Throws as `add`. */
  async plan(wishes: AddWishes): Promise<NewEntry[]> {
    await using open = await this.#open();
    return (await this.#wanted(open, wishes)).map(({ entry }) => entry);
  }

  /** Throws PLAN_NOT_FOUND, PLAN_NOT_QUEUED, INVALID_INPUT, ENTRY_NOT_FOUND, AMBIGUOUS_ID, CHANGE_NOT_FOUND, GIT_FAILED. */
  async add(wishes: AddWishes): Promise<Entry[]> {
    await using open = await this.#open();
    const added: Entry[] = [];
    const queue = this.#target(open);
    for (const { entry, content } of await this.#wanted(open, wishes))
      added.push(await queue.add(entry, content));
    return added;
  }

  /** If the fleet's queue cannot be read, the list says so. */
  async list(): Promise<QueueView> {
    await using open = await this.#open();
    return await this.#view(open);
  }

  /** The same, with what running entries are waiting for: this looks at each of their runs. */
  async listClosely(): Promise<QueueView> {
    const view = await this.list();
    const entries: EntryView[] = [];
    for (const entry of view.entries)
      entries.push(entry.status === 'running' ? await this.#lookAtRun(entry) : entry);
    return { ...view, entries };
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID. */
  async show(typed: string): Promise<ShownEntry> {
    await using open = await this.#open();
    const { queue, id } = await this.#find(open, typed);
    const entry = (await this.#view(open)).entries.find((one) => one.id === id);
    if (entry === undefined) throw new EntryNotFoundError(typed);
    const report = await queue.reportOf(id);
    const planFiles: string[] = [];
    for (const file of entry.plan.files) planFiles.push(await queue.planPath(entry, file));
    return {
      entry: await this.#lookAtRun(entry),
      owner: (await queue.ownerOf(id)) ?? null,
      planFiles,
      report: report === undefined ? null : JSON.parse(report),
    };
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ENTRY_RUNNING, QUEUE_CYCLE, PLAN_NOT_QUEUED. */
  async edit(typed: string, wishes: EditWishes): Promise<Entry> {
    await using open = await this.#open();
    const { queue, id } = await this.#find(open, typed);
    if (queue === open.local) await this.#checkEdited(await queue.get(id), wishes);
    if (wishes.isUpdated === true) await this.#update(queue, id);
    const after = wishes.after === undefined ? undefined : await this.#idsIn(queue, wishes.after);
    return await queue.edit(id, (entry) => this.#change(entry, { ...wishes, after }));
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ENTRY_RUNNING, ENTRY_NEEDED. */
  async remove(typed: string): Promise<Entry> {
    await using open = await this.#open();
    const { queue, id } = await this.#find(open, typed);
    return await queue.remove(id);
  }

  /** Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ENTRY_RUNNING. */
  async move(typed: string, to: Move): Promise<Entry> {
    await using open = await this.#open();
    const { queue, id } = await this.#find(open, typed);
    if (!('other' in to)) return await queue.move(id, to);
    const [other = to.other] = await this.#idsIn(queue, [to.other]);
    return await queue.move(id, { ...to, other });
  }

  /** Pauses one entry, or the whole queue. Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ILLEGAL_TRANSITION. */
  async pause(typed?: string): Promise<void> {
    await using open = await this.#open();
    if (typed === undefined) return await this.#forAll(open, (queue) => queue.pause());
    const { queue, id } = await this.#find(open, typed);
    await queue.pause(id);
  }

  async resume(typed?: string): Promise<void> {
    await using open = await this.#open();
    if (typed === undefined) return await this.#forAll(open, (queue) => queue.resume());
    const { queue, id } = await this.#find(open, typed);
    await queue.resume(id);
  }

  /**
   * Puts a failed entry back into the queue; its run is resumed, or started. Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID,
   * INVALID_INPUT.
   */
  async retry(typed: string): Promise<Entry> {
    await using open = await this.#open();
    const { queue, id } = await this.#find(open, typed);
    const status = (await queue.get(id))?.status;
    if (status !== 'failed')
      throw new InvalidInputError(
        `${id.slice(0, 8)} is ${status ?? 'gone'}; only a failed entry can be tried again`,
      );
    return await queue.retry(id);
  }

  async #lookAtRun(entry: EntryView): Promise<EntryView> {
    if (entry.status !== 'running') return entry;
    const runWait = await this.#parts.waitOf(entry);
    return runWait === null ? entry : { ...entry, runWait };
  }

  async #wanted(open: OpenQueues, wishes: AddWishes) {
    const { clock, place, checkAgent, checkCost } = this.#parts;
    const queue = this.#target(open);
    // The agents of other machines are known only to their workers.
    if (wishes.options.agent !== undefined && queue === open.local) checkAgent(wishes.options.agent);
    if (wishes.options.maxCost !== undefined && queue === open.local) await checkCost(wishes.options);
    if (wishes.options.labels !== undefined && queue === open.local)
      throw new InvalidInputError('--labels are for a fleet: what is queued here runs on this machine', {
        hint: this.#parts.fleet === undefined ? 'Join one: holdfast fleet join <url>.' : 'Leave --local out.',
      });
    const after = await this.#idsIn(queue, wishes.after);
    const isShared = queue !== open.local;
    return planEntries(queue, { ...place(), now: clock.now(), isShared }, { ...wishes, after });
  }

  async #checkEdited(entry: Entry | undefined, { options }: EditWishes): Promise<void> {
    if (entry === undefined || options === undefined) return;
    const wished = Object.entries(options).filter(([, value]) => value !== undefined);
    const edited: EntryOptions = { ...entry.options, ...Object.fromEntries(wished) };
    if (edited.maxCost !== undefined) await this.#parts.checkCost(edited);
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

  /** Whose work an entry continues is fixed when it is queued; what it waits for may change. */
  #afterOf({ continues }: Entry, after: readonly string[]): EntryChange {
    if (continues !== null && !after.includes(continues))
      throw new InvalidInputError(
        `It continues the work of ${continues.slice(0, 8)}, so it has to come after it`,
        {
          hint: 'Remove it and queue it again to start it elsewhere.',
        },
      );
    return { after: [...after] };
  }

  async #update(queue: Queue, id: string): Promise<void> {
    const entry = await queue.get(id);
    if (entry === undefined) throw new EntryNotFoundError(id);
    // An entry of another machine names no file here.
    if (entry.fleet?.isFromHere === false)
      throw new PlanNotQueuedError(`The plan of ${id.slice(0, 8)} is on ${visibleLine(entry.fleet.from)}`, {
        hint: 'Use --update there.',
      });
    const { fileSystem } = this.#parts.place();
    const { plan, project } = entry;
    const now = readAgain({ fileSystem, project, workingDirectory: project }, plan);
    if (now === undefined)
      throw new PlanNotQueuedError(`${plan.name} is gone from ${plan.source}`, {
        hint: 'The plan is kept as it was queued and will still run; remove the entry if you do not want that.',
      });
    await queue.updatePlan(id, now.plan, now.content);
  }

  async #open(): Promise<OpenQueues> {
    const { queue: local, fleet } = this.#parts;
    try {
      const shared = await fleet?.open();
      return { local, fleet: shared, [Symbol.asyncDispose]: async () => shared?.[Symbol.asyncDispose]() };
    } catch (error) {
      // A caller that only needs this machine does not have to know.
      if (!isHoldfastError(error)) throw error;
      return { local, fleet: undefined, trouble: error, [Symbol.asyncDispose]: async () => {} };
    }
  }

  async #view({ local, fleet, trouble }: OpenQueues): Promise<QueueView> {
    const { clock, limits, admission, agentOf } = this.#parts;
    const { fileSystem } = this.#parts.place();
    const facts = { now: clock.now(), limits, admission, agentOf };
    const here = await viewQueue(local, { fileSystem }, facts);
    if (trouble !== undefined) return { ...here, trouble: trouble.message };
    if (fleet === undefined) return here;
    try {
      const there = await viewQueue(fleet, { fileSystem }, facts);
      return {
        pausedAt: here.pausedAt,
        fleetPausedAt: there.pausedAt,
        // Entries of this machine alone come first; each queue keeps its own order.
        entries: [...here.entries, ...there.entries],
        damaged: [...here.damaged, ...there.damaged],
      };
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return { ...here, trouble: messageOf(error) };
    }
  }

  async #forAll(open: OpenQueues, act: (queue: Queue) => Promise<void>): Promise<void> {
    const target = this.#target(open);
    await act(open.local);
    if (target !== open.local) await act(target);
  }

  /** The queue that new entries go to. */
  #target({ local, fleet, trouble }: OpenQueues): Queue {
    if (this.#parts.fleet?.isLocal === true) return local;
    if (trouble !== undefined) throw trouble;
    return fleet ?? local;
  }

  /** Finds the entry that was meant, in either queue. */
  async #find(
    { local, fleet, trouble }: OpenQueues,
    typed: string,
  ): Promise<{ readonly queue: Queue; readonly id: string }> {
    const owners = new Map<string, Queue>();
    for (const { id } of (await local.read()).entries) owners.set(id, local);
    if (fleet !== undefined && !owners.has(typed.toLowerCase()))
      for (const { id } of (await fleet.read()).entries) owners.set(id, fleet);
    const id = findId([...owners.keys()], typed.toLowerCase());
    const queue = id === undefined ? undefined : owners.get(id);
    if (id === undefined || queue === undefined) throw trouble ?? new EntryNotFoundError(typed);
    return { queue, id };
  }

  async #idsIn(queue: Queue, typed: readonly string[]): Promise<string[]> {
    if (typed.length === 0) return [];
    const ids = (await queue.read()).entries.map(({ id }) => id);
    return typed.map((one) => {
      const id = findId(ids, one.toLowerCase());
      if (id === undefined) throw new EntryNotFoundError(one);
      return id;
    });
  }
}

function given(options: OptionChanges): Partial<EntryOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
