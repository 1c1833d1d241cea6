import { isHoldfastError, type Logger, messageOf } from '../../foundation/index.js';
import type {
  Entry,
  EntryChange,
  Move,
  NewEntry,
  PlanFiles,
  Queue,
  QueueContent,
  Taken,
  Taker,
} from '../../queue/index.js';

/**
 * The queue of this machine and that of its fleet, as one queue for a worker. An unreachable fleet holds up nothing
 * that is queued here: it is reported once, and tried again.
 */
export class JoinedQueue implements Queue {
  readonly #local: Queue;
  readonly #fleet: Queue;
  readonly #log: Logger;
  readonly #onTrouble: (reason: string | undefined) => void;
  #trouble: string | undefined;
  #isFleetFirst = false;

  constructor(
    { local, fleet }: { readonly local: Queue; readonly fleet: Queue },
    {
      log,
      onTrouble = () => {},
    }: { readonly log: Logger; readonly onTrouble?: (reason: string | undefined) => void },
  ) {
    this.#local = local;
    this.#fleet = fleet;
    this.#log = log;
    this.#onTrouble = onTrouble;
  }

  add(entry: NewEntry, plan: PlanFiles): Promise<Entry> {
    return this.#local.add(entry, plan);
  }

  async read(): Promise<QueueContent> {
    const local = shut(await this.#local.read());
    const fleet = await this.#unlessAway(async () => shut(await this.#fleet.read()));
    return {
      entries: [...local.entries, ...(fleet?.entries ?? [])],
      pausedAt: null,
      damaged: [...local.damaged, ...(fleet?.damaged ?? [])],
    };
  }

  async get(id: string): Promise<Entry | undefined> {
    return (await this.#local.get(id)) ?? (await this.#fleet.get(id));
  }

  async edit(id: string, change: (entry: Entry) => EntryChange): Promise<Entry> {
    return (await this.#of(id)).edit(id, change);
  }

  async updatePlan(id: string, plan: Entry['plan'], content: PlanFiles): Promise<Entry> {
    return (await this.#of(id)).updatePlan(id, plan, content);
  }

  async move(id: string, to: Move): Promise<Entry> {
    return (await this.#of(id)).move(id, to);
  }

  async remove(id: string): Promise<Entry> {
    return (await this.#of(id)).remove(id);
  }

  async pause(id?: string): Promise<void> {
    if (id !== undefined) return (await this.#of(id)).pause(id);
    await this.#local.pause();
    await this.#fleet.pause();
  }

  async resume(id?: string): Promise<void> {
    if (id !== undefined) return (await this.#of(id)).resume(id);
    await this.#local.resume();
    await this.#fleet.resume();
  }

  async retry(id: string, options?: { readonly isNewRun?: boolean }): Promise<Entry> {
    return (await this.#of(id)).retry(id, options);
  }

  async settle(id: string, onFailure: 'stop' | 'continue'): Promise<Entry> {
    return (await this.#of(id)).settle(id, onFailure);
  }

  /** Takes turns, so that a long queue does not keep the other one waiting. */
  async take(taker: Taker): Promise<Taken | undefined> {
    const fromFleet = () => this.#unlessAway(() => this.#fleet.take(taker));
    const fromHere = () => this.#local.take(taker);
    const ways = this.#isFleetFirst ? [fromFleet, fromHere] : [fromHere, fromFleet];
    for (const way of ways) {
      const taken = await way();
      if (taken === undefined) continue;
      this.#isFleetFirst = taken.entry.fleet === undefined;
      return taken;
    }
    return undefined;
  }

  async ownerOf(id: string): Promise<string | undefined> {
    return (await this.#local.ownerOf(id)) ?? (await this.#unlessAway(async () => this.#fleet.ownerOf(id)));
  }

  async reportOf(id: string): Promise<string | undefined> {
    return (await this.#of(id)).reportOf(id);
  }

  planPath(entry: Entry, file: string): string | Promise<string> {
    return (entry.fleet === undefined ? this.#local : this.#fleet).planPath(entry, file);
  }

  watch(onHint: () => void): { close(): void } {
    const watches = [this.#local.watch(onHint), this.#fleet.watch(onHint)];
    return {
      close() {
        for (const watch of watches) watch.close();
      },
    };
  }

  async #of(id: string): Promise<Queue> {
    return (await this.#local.get(id)) === undefined ? this.#fleet : this.#local;
  }

  async #unlessAway<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await ask();
      this.#tell(undefined);
      return value;
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      this.#tell(messageOf(error));
      return undefined;
    }
  }

  #tell(reason: string | undefined): void {
    if ((reason === undefined) === (this.#trouble === undefined)) return;
    this.#trouble = reason;
    this.#log.info('fleet.queue', { trouble: reason ?? null });
    this.#onTrouble(reason);
  }
}

/** Each queue is paused separately: in a view of both, the waiting entries of a paused queue show as paused. */
function shut(content: QueueContent): QueueContent {
  if (content.pausedAt === null) return content;
  const entries = content.entries.map((entry) =>
    entry.status === 'queued' ? { ...entry, status: 'paused' as const } : entry,
  );
  return { ...content, entries };
}
