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

/** What the desk needs of where it stands. */
export interface DeskParts extends Pick<OrderFacts, 'limits' | 'admission' | 'agentOf'> {
  readonly queue: Queue;
  /** The queue that machines share, where this one is in a fleet. */
  readonly fleet?: SharedQueue | undefined;
  readonly clock: { now(): Date };
  /** The place where somebody queues. */
  place(): Omit<QueueingPlace, 'now' | 'isShared'>;
  /** Refuses an agent that is not there. Throws AGENT_UNKNOWN, PROGRAM_NOT_STARTED. */
  checkAgent(name: string): void;
  /** What the run of an entry waits for; null where it works, or is not found. */
  waitOf(entry: Entry): Promise<EntryWait | null>;
}

/** A queue that is opened when it is needed, for as long as it is. */
export interface SharedQueue {
  /** Undefined where this machine has not joined. Throws FLEET_UNREACHABLE and the like. */
  open(): Promise<(Queue & AsyncDisposable) | undefined>;
  /** What is queued now stays on this machine. */
  readonly isLocal: boolean;
}

/** The queues of one call. */
interface OpenQueues extends AsyncDisposable {
  readonly local: Queue;
  readonly fleet: Queue | undefined;
  /** Why that of the fleet cannot be opened. */
  readonly trouble?: HoldfastError | undefined;
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

  /** What of the fleet cannot be read is said in it. */
  async list(): Promise<QueueView> {
    await using open = await this.#open();
    return await this.#view(open);
  }

  /** The same, and of those that run what they wait for: each of these runs is looked at. */
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

  /** One entry, or all of it. Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, ILLEGAL_TRANSITION. */
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

  /** Puts one that failed back into the queue: its run goes on, or is started. Throws ENTRY_NOT_FOUND, AMBIGUOUS_ID, INVALID_INPUT. */
  async retry(typed: string): Promise<Entry> {
    await using open = await this.#open();
    const { queue, id } = await this.#find(open, typed);
    const status = (await queue.get(id))?.status;
    if (status !== 'failed')
      throw new InvalidInputError(
        `${id.slice(0, 8)} is ${status ?? 'gone'}; only what failed is tried again`,
      );
    return await queue.retry(id);
  }

  async #lookAtRun(entry: EntryView): Promise<EntryView> {
    if (entry.status !== 'running') return entry;
    const runWait = await this.#parts.waitOf(entry);
    return runWait === null ? entry : { ...entry, runWait };
  }

  async #wanted(open: OpenQueues, wishes: AddWishes) {
    const { clock, place, checkAgent } = this.#parts;
    const queue = this.#target(open);
    // Which agents other machines have is for their workers to say.
    if (wishes.options.agent !== undefined && queue === open.local) checkAgent(wishes.options.agent);
    if (wishes.options.labels !== undefined && queue === open.local)
      throw new InvalidInputError('--labels are for a fleet: what is queued here runs on this machine', {
        hint: this.#parts.fleet === undefined ? 'Join one: holdfast fleet join <url>.' : 'Leave --local out.',
      });
    const after = await this.#idsIn(queue, wishes.after);
    const isShared = queue !== open.local;
    return planEntries(queue, { ...place(), now: clock.now(), isShared }, { ...wishes, after });
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

  async #update(queue: Queue, id: string): Promise<void> {
    const entry = await queue.get(id);
    if (entry === undefined) throw new EntryNotFoundError(id);
    // A row of another machine names no file here.
    if (entry.fleet?.isFromHere === false)
      throw new PlanNotQueuedError(`The plan of ${id.slice(0, 8)} is on ${visibleLine(entry.fleet.from)}`, {
        hint: 'Say --update there.',
      });
    const { fileSystem } = this.#parts.place();
    const { plan, project } = entry;
    const now = readAgain({ fileSystem, project, workingDirectory: project }, plan);
    if (now === undefined)
      throw new PlanNotQueuedError(`${plan.name} is gone from ${plan.source}`, {
        hint: 'What was queued is kept and still runs; remove the entry if you do not want that.',
      });
    await queue.updatePlan(id, now.plan, now.content);
  }

  async #open(): Promise<OpenQueues> {
    const { queue: local, fleet } = this.#parts;
    try {
      const shared = await fleet?.open();
      return { local, fleet: shared, [Symbol.asyncDispose]: async () => shared?.[Symbol.asyncDispose]() };
    } catch (error) {
      // Whoever wants something of this machine alone need not know.
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
        // What runs or waits on this machine alone first; each queue in its own order.
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

  /** Where what is queued now goes. */
  #target({ local, fleet, trouble }: OpenQueues): Queue {
    if (this.#parts.fleet?.isLocal === true) return local;
    if (trouble !== undefined) throw trouble;
    return fleet ?? local;
  }

  /** The entry that was meant, in whichever queue it is. */
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
