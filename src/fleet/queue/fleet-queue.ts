import { dirname, join } from 'node:path';
import {
  IllegalTransitionError,
  isHoldfastError,
  isUuidV4,
  messageOf,
  visibleLine,
} from '../../foundation/index.js';
import { FleetRuleError, FleetUnreachableError, HubQueue, type TakenRow, type Use } from '../../hub/index.js';
import {
  type Entry,
  type EntryChange,
  type EntryEnd,
  EntryNeededError,
  EntryNotFoundError,
  EntryRecord,
  EntryRunningError,
  entryLifecycle,
  findCycle,
  hashOf,
  type Move,
  type NewEntry,
  type PlanFiles,
  PlanNotQueuedError,
  placeAt,
  type Queue,
  type QueueContent,
  QueueCycleError,
  type Taken,
  type TakenBefore,
  type Taker,
} from '../../queue/index.js';
import { createFile, ensureDirectory, type LockTools, lookAt } from '../../storage/index.js';
import type { Door } from '../door.js';
import { EntryLostError } from '../errors.js';
import type { OwnMachine } from '../own-machine.js';
import type { BootClock } from './boot-clock.js';
import { entryOfRow, isRowFault, rowOfEntry } from './entry-of-row.js';
import { type Fence, LeaseHolder, type LeaseTimes } from './lease.js';
import { QueueWatch } from './queue-watch.js';
import { accountKey, takeRules, tellAccounts, type WorkerRules } from './worker-rules.js';

export interface FleetQueueOptions {
  readonly door: Door;
  readonly machine: OwnMachine;
  readonly tools: LockTools;
  /** Where the plans of taken entries are kept. */
  readonly directory: string;
  readonly boot: BootClock;
  /** An address of the project's repository that has this commit. Throws PLAN_NOT_QUEUED. */
  repositoryOf(project: string, base: string | null): Promise<string>;
  /** What a worker of this machine takes; absent if it takes nothing. */
  readonly rules?: WorkerRules | undefined;
}

/** An entry of the fleet that is ours as long as its lease is. */
export interface FleetTaken extends Taken {
  readonly lease: LeaseHolder;
}

/** An attempt to take something. */
interface Attempt {
  readonly token: string;
  /** The boot time just before it was last sent. */
  sentAtMs: number;
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 100;
/** How much before the lease's end whatever runs under it is ended; a fifth for a short lease. */
const MARGIN_MS = 60_000;
const RENEW_MS = 20_000;
const EDIT_ATTEMPTS = 10;

/** The queue that machines share: the database decides who has what, and for how long. */
export class FleetQueue implements Queue, AsyncDisposable {
  readonly #options: FleetQueueOptions;
  #known: { readonly revision: number; readonly atMs: number; readonly content: QueueContent } | undefined;
  /** An attempt to take whose reply never came: it is repeated with the same token while a lease of it may last. */
  #asked: Attempt | undefined;
  #taking: Promise<unknown> = Promise.resolve();
  readonly #watches = new Set<QueueWatch>();

  constructor(options: FleetQueueOptions) {
    this.#options = options;
  }

  async add(entry: NewEntry, plan: PlanFiles): Promise<Entry> {
    const { tools, machine, repositoryOf } = this.#options;
    if (entry.isInPlace)
      throw new PlanNotQueuedError('An entry of the fleet runs in a worktree of its own, on any machine', {
        hint: 'Use --local with --in-place to queue it for this machine alone.',
      });
    const id = tools.ids.uuid();
    const row = rowOfEntry(entry, await repositoryOf(entry.project, entry.base));
    const content = Object.fromEntries(
      [...plan.files].map(([file, bytes]) => [file, bytes.toString('base64')]),
    );
    // The id was chosen before: after a cut between commit and reply, the entry is still stored only once.
    await this.#repeat(async (hub) => hub.enqueue(machine.id, id, row, content)).catch(
      asTyped({ id, 'no-such-entry': () => new EntryNotFoundError(entry.after[0] ?? id) }),
    );
    return await this.#found(id);
  }

  async read(): Promise<QueueContent> {
    const hub = await this.#hub();
    const { revision, paused_at: pausedAt, hold_until: holdUntil } = await hub.queue();
    if (this.#known?.revision === revision) {
      const aged = this.#aged(this.#known);
      // A renewal changes no revision: if a lease seems to be over, this looks again.
      if (aged.entries.every(({ fleet }) => !fleet?.lease || fleet.lease.endsInSeconds > 0)) return aged;
    }
    const offers = await hub.offers();
    const { rows, refused } = await hub.entries();
    const damaged: { path: string; reason: string }[] = [];
    const entries = rows.flatMap((row) => {
      try {
        return [entryOfRow(row, { machine: this.#options.machine.id, ...this.#options.tools, offers })];
      } catch (error) {
        if (!isRowFault(error)) throw error;
        damaged.push({ path: `entry ${row.id} of the fleet`, reason: messageOf(error) });
        return [];
      }
    });
    if (refused > 0) damaged.push({ path: 'the fleet', reason: `${refused} entries have no known form` });
    const isHeldBack =
      holdUntil !== null && Date.parse(holdUntil) > this.#options.tools.clock.now().getTime();
    const content = { entries, pausedAt: pausedAt ?? (isHeldBack ? holdUntil : null), damaged };
    this.#known = { revision, atMs: this.#options.boot.bootMs(), content };
    return content;
  }

  async get(id: string): Promise<Entry | undefined> {
    if (!isUuidV4(id)) return undefined;
    const row = await (await this.#hub()).entry(id);
    return row === undefined
      ? undefined
      : entryOfRow(row, { machine: this.#options.machine.id, ...this.#options.tools });
  }

  async edit(id: string, change: (entry: Entry) => EntryChange): Promise<Entry> {
    return this.#change(id, async (entry) => {
      const changed = { ...entry, ...change(entry) };
      const { entries } = await this.read();
      const cycle = findCycle(changed, (one) => entries.find((other) => other.id === one)?.after ?? []);
      if (cycle !== undefined) throw new QueueCycleError(cycle);
      return { changed, content: null };
    });
  }

  updatePlan(id: string, plan: Entry['plan'], { files }: PlanFiles): Promise<Entry> {
    const content = Object.fromEntries([...files].map(([file, bytes]) => [file, bytes.toString('base64')]));
    return this.#change(id, async (entry) => ({ changed: { ...entry, plan }, content }));
  }

  async move(id: string, to: Move): Promise<Entry> {
    const entry = await this.#found(id);
    const others = (await this.read()).entries.filter((one) => one.id !== id);
    const { position, priority } = placeAt(others, to);
    await (await this.#hub()).move(id, position, priority ?? null).catch(asTyped({ id, entry }));
    return await this.#found(id);
  }

  async remove(id: string): Promise<Entry> {
    const entry = await this.#found(id);
    const isNeeding = ({ after, status }: Entry) =>
      after.includes(id) && status !== 'done' && status !== 'failed';
    const needing = (await this.read()).entries.filter(isNeeding);
    await (await this.#hub()).remove(id).catch(asTyped({ id, entry, needing }));
    return entry;
  }

  async pause(id?: string): Promise<void> {
    await this.#setPaused(id, true);
  }

  async resume(id?: string): Promise<void> {
    await this.#setPaused(id, false);
  }

  async retry(id: string, { isNewRun = false } = {}): Promise<Entry> {
    await (await this.#hub()).retry(id, isNewRun).catch(asTyped({ id, event: 'retry' }));
    return await this.#found(id);
  }

  async settle(id: string, onFailure: 'stop' | 'continue'): Promise<Entry> {
    await (await this.#hub()).settle(id, onFailure).catch(asTyped({ id }));
    return await this.#found(id);
  }

  /**
   * One after the other, because a token stands for one entry. Throws as the hub if it is unreachable; the next call
   * asks again.
   */
  take(taker: Taker): Promise<FleetTaken | undefined> {
    const taking = this.#taking.then(() => this.#take(taker));
    this.#taking = taking.catch(() => {});
    return taking;
  }

  async ownerOf(id: string): Promise<string | undefined> {
    const known = this.#known === undefined ? undefined : this.#aged(this.#known);
    const entry = known?.entries.find((one) => one.id === id) ?? (await this.get(id));
    const { lease, machine } = entry?.fleet ?? {};
    return lease && lease.endsInSeconds > 0 ? (machine ?? undefined) : undefined;
  }

  async reportOf(id: string): Promise<string | undefined> {
    return (await this.#hub()).report(id);
  }

  async planPath(entry: Entry, file: string): Promise<string> {
    const { tools, directory } = this.#options;
    const kept = join(directory, 'plans', entry.id, entry.plan.hash.slice(0, 16));
    const path = join(kept, file);
    if (lookAt(tools.fileSystem, path) !== undefined) return path;
    const files = await this.#planOf(entry);
    for (const [name, bytes] of files) {
      const target = join(kept, name);
      ensureDirectory(tools.fileSystem, dirname(target));
      createFile(tools, target, bytes);
    }
    return path;
  }

  watch(onHint: () => void): { close(): void } {
    const { door, machine, rules, tools } = this.#options;
    const watch = new QueueWatch({ door, machine, rules, tools, onHint });
    this.#watches.add(watch);
    return { close: () => watch.close() };
  }

  /** Says goodbye to the hub. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of this.#watches) {
      watch.close();
      await watch.ended;
    }
    await this.#options.door.close();
  }

  async #take(taker: Taker): Promise<FleetTaken | undefined> {
    const { rules, machine, boot } = this.#options;
    if (rules === undefined) return undefined;
    for (;;) {
      const uses = await (await this.#hub()).waitingUses();
      if (uses.length === 0 && this.#asked === undefined) return undefined;
      const usualAgent = taker.agentOf(NO_ENTRY);
      const accounts = await tellAccounts(await this.#hub(), machine.id, rules, usualAgent, uses);
      const wanted = takeRules(rules, taker, usualAgent, uses);
      const asked = this.#attempt(rules);
      const { token } = asked;
      const row = await this.#repeat((hub) => {
        asked.sentAtMs = boot.bootMs();
        return hub.take(machine.id, token, wanted);
      });
      const entry = row === undefined ? undefined : await this.#readTaken(row, token, rules);
      if (row !== undefined && entry !== undefined) {
        const use: Use = { agent: row.agent, account: row.account };
        const window = accounts.find(({ name }) => name === accountKey(use, usualAgent));
        if (window !== undefined) await rules.accounts.adoptWindow(use, window);
      }
      const before = row?.is_taken_over === true ? await this.#before(row) : undefined;
      // Not before now: after a failure above, the next call asks again with the same token and gets the same entry.
      this.#asked = undefined;
      if (row === undefined) return undefined;
      if (entry !== undefined) {
        const fence = { entry: row.id, epoch: row.epoch, token };
        const held = this.#hold(entry, fence, leasedSinceMs(row, asked, rules), rules);
        return { ...held, isTakenOver: row.is_taken_over, before };
      }
    }
  }

  /**
   * The attempt before, if only its reply may have been lost after the database granted it: the same token gets the same
   * entry. Once a lease from then would be over, the token stands for nothing, and a new one is used.
   */
  #attempt({ leaseSeconds }: WorkerRules): Attempt {
    const { boot, tools } = this.#options;
    const now = boot.bootMs();
    if (this.#asked === undefined || now - this.#asked.sentAtMs >= leaseSeconds * 1_000)
      this.#asked = { token: tools.ids.uuid(), sentAtMs: now };
    return this.#asked;
  }

  /** For people: if it cannot be found out now, it is left out. */
  async #before({ id, epoch }: TakenRow): Promise<TakenBefore | undefined> {
    try {
      const found = await (await this.#hub()).before(id, epoch);
      if (found === undefined) return undefined;
      return { machine: found.machine, isMoved: found.is_moved, isHere: found.is_here };
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return undefined;
    }
  }

  /** Undefined if it cannot run here, which is recorded. */
  async #readTaken(row: TakenRow, token: string, rules: WorkerRules): Promise<Entry | undefined> {
    const { tools, machine } = this.#options;
    try {
      if (!rules.trusted.includes(row.created_by))
        throw new PlanNotQueuedError(`this machine runs nothing queued by ${visibleLine(row.created_by)}`);
      const entry = entryOfRow(row, { machine: machine.id, ...tools });
      await this.#planOf(entry);
      return entry;
    } catch (error) {
      if (!isRowFault(error) && !isHoldfastError(error, 'PLAN_NOT_QUEUED')) throw error;
      const reason = `it cannot be run: ${messageOf(error)}`;
      await this.#repeat((hub) => hub.finish(row.id, row.epoch, token, { ...NEVER_RAN, reason }));
      return undefined;
    }
  }

  #hold(
    entry: Entry,
    fence: Fence,
    askedAtMs: number,
    rules: WorkerRules,
  ): Omit<FleetTaken, 'isTakenOver' | 'before'> {
    const { tools, boot } = this.#options;
    const { leaseSeconds } = rules;
    const lease = new LeaseHolder({
      fence,
      times: leaseTimes(leaseSeconds),
      askedAtMs,
      boot,
      clock: tools.clock,
      log: tools.log,
      renew: async ({ entry: id, epoch, token }) => (await this.#hub()).renew(id, epoch, token, leaseSeconds),
    });
    return {
      entry,
      fence: fence.epoch,
      lost: lease.lost,
      wanted: lease.wanted,
      lease,
      renew: () => lease.renew(),
      finish: (end) => this.#finish(entry, lease, end),
      release: () => this.#release(lease),
    };
  }

  /** The run is over; finishing is retried as long as the lease is ours. */
  async #finish(entry: Entry, lease: LeaseHolder, end: EntryEnd): Promise<Entry> {
    const { id, epoch, token } = { ...lease.fence, id: lease.fence.entry };
    const row = {
      outcome: end.outcome,
      reason: end.reason?.slice(0, 4_000) ?? null,
      worktree: end.worktree,
      has_prompted: end.hasPrompted,
      report: end.report,
      question: end.question,
    };
    for (;;) {
      try {
        await this.#repeat((hub) => hub.finish(id, epoch, token, row));
        lease.close();
        return (
          (await this.get(id).catch(() => undefined)) ?? { ...entry, status: end.outcome, reason: end.reason }
        );
      } catch (error) {
        if (error instanceof FleetRuleError && error.rule === 'fenced') {
          lease.close();
          throw new EntryLostError(id, epoch, { cause: error });
        }
        if (!(error instanceof FleetUnreachableError) || lease.lost.aborted) throw error;
        await this.#options.tools.clock.sleep(1_000, lease.lost).catch(() => {});
      }
    }
  }

  async #release(lease: LeaseHolder): Promise<void> {
    lease.close();
    const { entry, epoch, token } = lease.fence;
    try {
      await this.#repeat((hub) => hub.release(entry, epoch, token));
    } catch (error) {
      // If the message does not arrive, the lease ends on its own.
      if (!isHoldfastError(error)) throw error;
      this.#options.tools.log.info('fleet.not-released', { entry, error: messageOf(error) });
    }
  }

  /** The files of a plan, as they were queued. Throws PLAN_NOT_QUEUED. */
  async #planOf({ id, plan }: Entry): Promise<Map<string, Buffer>> {
    const content = await this.#repeat((hub) => hub.content(id));
    const files = new Map(
      plan.files.flatMap((file) => {
        const text = content !== undefined && Object.hasOwn(content, file) ? content[file] : undefined;
        return text === undefined ? [] : [[file, Buffer.from(text, 'base64')] as const];
      }),
    );
    if (files.size !== plan.files.length || hashOf(files) !== plan.hash)
      throw new PlanNotQueuedError(`The plan of ${id.slice(0, 8)} does not match its hash`);
    return files;
  }

  async #setPaused(id: string | undefined, isPaused: boolean): Promise<void> {
    const hub = await this.#hub();
    if (id === undefined) return hub.pauseAll(isPaused);
    await hub.pause(id, isPaused).catch(asTyped({ id, event: isPaused ? 'pause' : 'resume' }));
  }

  async #change(
    id: string,
    change: (entry: Entry) => Promise<{ changed: Entry; content: Readonly<Record<string, string>> | null }>,
  ): Promise<Entry> {
    for (let left = EDIT_ATTEMPTS; ; left -= 1) {
      const hub = await this.#hub();
      const row = await hub.entry(id);
      if (row === undefined) throw new EntryNotFoundError(id);
      const entry = entryOfRow(row, { machine: this.#options.machine.id, ...this.#options.tools });
      if (entry.status !== 'queued' && entry.status !== 'paused') throw new EntryRunningError(entry);
      const { changed, content } = await change(entry);
      try {
        await hub.change(id, row.revision, rowOfChange(changed), content);
        return await this.#found(id);
      } catch (error) {
        const isRaced = error instanceof FleetRuleError && error.rule === 'changed-meanwhile';
        if (!isRaced || left === 0) return asTyped({ id, entry })(error);
      }
    }
  }

  async #found(id: string): Promise<Entry> {
    const entry = await this.get(id);
    if (entry === undefined) throw new EntryNotFoundError(id);
    return entry;
  }

  /** What was read, with each lease aged to now. */
  #aged({ atMs, content }: { readonly atMs: number; readonly content: QueueContent }): QueueContent {
    const seconds = (this.#options.boot.bootMs() - atMs) / 1_000;
    const entries = content.entries.map((entry) => {
      const lease = entry.fleet?.lease;
      if (!entry.fleet || !lease) return entry;
      const { quietSeconds, endsInSeconds } = lease;
      const aged = { quietSeconds: quietSeconds + seconds, endsInSeconds: endsInSeconds - seconds };
      return { ...entry, fleet: { ...entry.fleet, lease: aged } };
    });
    return { ...content, entries };
  }

  async #hub(): Promise<HubQueue> {
    return new HubQueue((await this.#options.door.open()).connection);
  }

  /** For calls that may be repeated: if the reply was cut off, it asks again. Throws as the hub. */
  async #repeat<Reply>(ask: (hub: HubQueue) => Promise<Reply>): Promise<Reply> {
    const { clock } = this.#options.tools;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask(await this.#hub());
      } catch (error) {
        if (!(error instanceof FleetUnreachableError) || attempt === ATTEMPTS) throw error;
        await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }
}

/**
 * Since when a lease has lasted, in boot time; never later than in the database. An attempt that came before the last
 * one may have been granted, so the database says how much of the lease is left.
 */
function leasedSinceMs(
  { ends_in_seconds: leftSeconds }: TakenRow,
  { sentAtMs }: Attempt,
  { leaseSeconds }: WorkerRules,
): number {
  return sentAtMs - Math.max(0, leaseSeconds - (leftSeconds ?? 0)) * 1_000;
}

export function leaseTimes(leaseSeconds: number): LeaseTimes {
  const leaseMs = leaseSeconds * 1_000;
  return {
    leaseMs,
    marginMs: Math.min(MARGIN_MS, leaseMs / 5),
    renewEveryMs: Math.min(RENEW_MS, leaseMs / 15),
  };
}

const NEVER_RAN = {
  outcome: 'failed',
  worktree: null,
  has_prompted: true,
  report: null,
  question: null,
} as const;

/** For callers that only want to know the usual agent. */
const NO_ENTRY = { options: {} } as Entry;

function rowOfChange(changed: Entry): Record<string, unknown> {
  const { fleet: _, ...record } = changed;
  const { plan, options } = EntryRecord.toDisk(record) as { plan: unknown; options: unknown };
  return {
    plan,
    options,
    after: changed.after,
    not_before: changed.notBefore,
    priority: changed.priority,
    on_failure: changed.onFailure,
    retries_left: changed.retriesLeft,
    base: changed.base,
    continues: changed.continues,
  };
}

/** Turns a rule of the schema into the queue error that says the same. */
function asTyped(about: {
  readonly id: string;
  readonly entry?: Entry;
  readonly needing?: readonly Entry[];
  readonly event?: keyof typeof entryLifecycle.on;
  readonly 'no-such-entry'?: () => Error;
}): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof FleetRuleError)) throw error;
    const { id, entry, needing = [], event } = about;
    if (error.rule === 'no-such-entry') throw about['no-such-entry']?.() ?? new EntryNotFoundError(id);
    if (error.rule === 'entry-running' && entry !== undefined) throw new EntryRunningError(entry);
    if (error.rule === 'entry-needed' && entry !== undefined) throw new EntryNeededError(entry, needing);
    if (error.rule === 'not-from-here' && event !== undefined)
      throw new IllegalTransitionError(error.detail, event, entryLifecycle.on[event].from);
    throw error;
  };
}
