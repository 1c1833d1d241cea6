import { join } from 'node:path';
import { type Logger, messageOf, sleepOrHint, visibleLine } from '../../foundation/index.js';
import type { CheckpointRow, Checkpoints } from '../../hub/index.js';
import { bootTimeMs, GUARD_NAME, type Guard, startGuard } from '../../programs/index.js';
import type { Entry, Queue } from '../../queue/index.js';
import {
  changePlanIn,
  listWorktreeRecords,
  prepareWorktree,
  type RunServices,
  retireRun,
  retireWorktree,
  runOfWorktree,
  type WorktreeRecord,
  worktreeName,
  writeWorktree,
} from '../../run/index.js';
import { ensureDirectory, type LockTools, lookAt } from '../../storage/index.js';
import { type EntryPlace, EntryPlaceError } from '../../worker/index.js';
import { findBranch, placeSnapshot, registerWorktree, unlockWorktree } from '../../workspace/index.js';
import type { FleetPlace } from '../queue/fleet-place.js';
import type { LeaseHolder } from '../queue/lease.js';
import { adoptRun } from './adopt-run.js';
import { forgetLease, type LeaseRecord, readLease, writeLease } from './lease-file.js';
import { noteLeftBehind } from './left-behind.js';
import {
  bringCommit,
  type FleetRepository,
  openRepository,
  type RefKind,
  refPrefix,
  refuseTree,
  repositoryName,
} from './repository.js';
import { isOutOfReach } from './run-checkpoint.js';

export interface MovingPlaceOptions {
  readonly queue: Queue;
  readonly services: RunServices;
  readonly tools: LockTools;
  readonly log: Logger;
  /** `<state>/fleet`. */
  readonly directory: string;
  /** How to start the guard. */
  readonly guard: { readonly command: string; readonly args: readonly string[] };
  /** Where snapshots go: refs of our own, or branches. */
  readonly refs: RefKind;
  checkpoints(): Promise<Checkpoints>;
}

/** A run that is working here. */
interface Held {
  readonly guard: Guard;
  readonly place: EntryPlace;
  readonly holder: LeaseHolder;
  readonly stop: () => void;
  lease: LeaseRecord;
  /** Its guard is gone, and we did not end it. */
  isUnguarded: boolean;
}

const LOOK_MS = 250;
const RETRY_MS = 2_000;

/**
 * Runs of the fleet in worktrees of a bare mirror, each under its own guard. A run that another machine had resumes
 * from its last checkpoint; a run that this machine had last resumes with its own files.
 */
export class MovingPlace implements FleetPlace {
  readonly #options: MovingPlaceOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: MovingPlaceOptions) {
    this.#options = options;
  }

  async prepare(entry: Entry, lease: LeaseHolder, signal: AbortSignal): Promise<EntryPlace> {
    await this.end(entry);
    const { tools, directory, services } = this.#options;
    const run = entry.runId ?? '';
    const url = entry.fleet?.repository ?? '';
    const base = entry.base ?? '';
    const workbench = services.workbench();
    const repository = await openRepository(tools, workbench, directory, url);
    await this.#patiently(signal, () => bringCommit(tools, workbench, repository, { commit: base }));
    await refuseTree(workbench, repository, base);
    const last = await this.#patiently(signal, async () =>
      (await this.#options.checkpoints()).last(entry.id),
    );
    const before = readLease(tools.fileSystem, directory, run);
    const isOurs = last === undefined || last.epoch === before?.epoch;
    // Nothing of the run starts before there is a guard to end it.
    const guard = await this.#startGuard(lease);
    // Preparing may take longer than a lease lasts.
    using _fed = lease.onRenewed((deadlineMs) => guard.renew(deadlineMs));
    guard.renew(lease.deadlineMs);
    try {
      const worktree = isOurs
        ? await this.#worktreeHere(entry, repository)
        : await this.#patiently(signal, () => this.#worktreeAt(entry, repository, last, lease.fence.epoch));
      const ready = await prepareWorktree(this.#servicesFor(entry), worktree, { tell: () => {}, signal });
      const there = services.at(ready.path);
      if (!isOurs) {
        if (before !== undefined) {
          noteLeftBehind(tools, directory, { lease: before, last });
          // That lease says nothing about the run any more: it is here again.
          forgetLease(tools, directory, run);
        }
        const { log } = this.#options;
        const { fence } = lease;
        await this.#patiently(signal, async () =>
          adoptRun({ services: there, checkpoints: await this.#options.checkpoints(), fence, last, log }),
        );
      }
      const record = this.#leaseOf(entry, lease, guard, { ready, url, base });
      writeLease(tools, directory, record);
      const isThere = there.openLoops().get()?.sessionId === run;
      const place = this.#placeOf(entry, there, ready, guard, isThere);
      const stop = this.#follow(entry.id, lease, guard);
      const held: Held = { guard, place, lease: record, holder: lease, isUnguarded: false, stop };
      this.#held.set(entry.id, held);
      void guard.left.then(() => {
        held.isUnguarded = true;
      });
      return place;
    } catch (error) {
      await guard.end();
      throw error;
    }
  }

  isUnguarded({ id }: Entry): boolean {
    return this.#held.get(id)?.isUnguarded ?? false;
  }

  async end({ id }: Entry): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    held.stop();
    await held.guard.end();
    if (!held.holder.lost.aborted) this.#write({ ...held.lease, isOver: true });
  }

  async handOver(entry: Entry, lease: LeaseHolder): Promise<void> {
    const held = this.#held.get(entry.id);
    if (held === undefined) return;
    const { tools, services, directory } = this.#options;
    held.lease = { ...held.lease, wish: 'hand-over' };
    writeLease(tools, directory, held.lease);
    const loops = held.place.services.openLoops();
    while (loops.owner().hold === 'held' && !lease.lost.aborted)
      await sleepOrHint(services.clock, LOOK_MS, new Promise(() => {}), lease.lost);
    await this.end(entry);
    if (lease.lost.aborted) return;
    // Everything has moved along: what is left here belongs to no run.
    const run = entry.runId ?? '';
    retireRun({ tools, log: this.#options.log }, services, run);
    forgetLease(tools, directory, run);
  }

  /** A server that is unreachable for a moment is no reason to give up a run. */
  async #patiently<Result>(signal: AbortSignal, act: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!isOutOfReach(error)) throw error;
        this.#options.log.info('fleet.place-waits', { error: messageOf(error) });
        await this.#options.services.clock.sleep(RETRY_MS, signal);
      }
    }
  }

  #startGuard(lease: LeaseHolder): Promise<Guard> {
    const { tools, guard: program } = this.#options;
    const { fileSystem, ids } = tools;
    return startGuard({ fileSystem, program, marker: ids.token(), deadlineMs: lease.deadlineMs });
  }

  /** Feeds the guard, and tells the run how its lease stands. */
  #follow(id: string, lease: LeaseHolder, guard: Guard): () => void {
    const { services } = this.#options;
    const tell = () => {
      const held = this.#held.get(id);
      if (held === undefined) return;
      const now = { ...held.lease, ...standingOf(lease, this.#bootMs(), services.clock.now()) };
      if (JSON.stringify(now) === JSON.stringify(held.lease)) return;
      held.lease = now;
      this.#write(now);
    };
    const renewed = lease.onRenewed((deadlineMs) => {
      guard.renew(deadlineMs);
      tell();
    });
    // Nothing announces a renewal that does not arrive.
    const timer = setInterval(tell, LOOK_MS);
    timer.unref();
    return () => {
      clearInterval(timer);
      renewed[Symbol.dispose]();
    };
  }

  /** It only informs: the guard acts in any case. */
  #write(lease: LeaseRecord): void {
    const { tools, directory, log } = this.#options;
    try {
      writeLease(tools, directory, lease);
    } catch (error) {
      log.warn('fleet.lease-not-written', { error: messageOf(error) });
    }
  }

  #bootMs(): number {
    return bootTimeMs(this.#options.tools.fileSystem);
  }

  #leaseOf(
    entry: Entry,
    lease: LeaseHolder,
    guard: Guard,
    { ready, url, base }: { ready: WorktreeRecord; url: string; base: string },
  ): LeaseRecord {
    const { tools, refs, services } = this.#options;
    const { epoch, token } = lease.fence;
    const run = entry.runId ?? '';
    return {
      version: 1,
      run,
      entry: entry.id,
      epoch,
      token,
      repository: url,
      base,
      ref: `${refPrefix(refs)}/${run}/${epoch}`,
      guard: guard.process,
      bootId: tools.identity.bootId,
      ...standingOf(lease, this.#bootMs(), services.clock.now()),
      wish: null,
      isOver: false,
      worktree: ready.path,
    };
  }

  #placeOf(
    entry: Entry,
    there: RunServices,
    ready: WorktreeRecord,
    guard: Guard,
    isMoved: boolean,
  ): EntryPlace {
    const services: RunServices = {
      ...there,
      guard: {
        environment: { [GUARD_NAME]: guard.marker },
        around: (start) => guard.around(start),
        follow: (pid) => guard.follow(pid),
      },
    };
    const plan =
      entry.plan.kind === 'change' ? { change: entry.plan.name } : { prp: join(ready.path, ready.plan) };
    return { services, plan, worktree: ready.path, isMoved };
  }

  /** Uses `--prepare` as the person who queued the entry typed it; nothing in this machine's own config runs for others. */
  #servicesFor({ options: { prepare } }: Entry): RunServices {
    const { services } = this.#options;
    const { settings } = services;
    return {
      ...services,
      worktree: undefined,
      settings: { ...settings, worktree: { ...settings.worktree, setup: prepare } },
    };
  }

  #known(run: string): WorktreeRecord | undefined {
    const { tools, services, log } = this.#options;
    return listWorktreeRecords({ fileSystem: tools.fileSystem, log }, services).find(
      (one) => runOfWorktree(one) === run && one.status !== 'removed',
    );
  }

  /** This machine's worktree as it is, or a new one at the base. */
  async #worktreeHere(entry: Entry, repository: FleetRepository): Promise<WorktreeRecord> {
    const known = this.#known(entry.runId ?? '');
    if (known !== undefined) return known;
    const worktree = await this.#intended(entry, repository, '');
    writeWorktree(this.#options.tools, this.#options.services, worktree);
    return worktree;
  }

  /** A worktree at the last checkpoint. What this machine had of the run stays where it is. */
  async #worktreeAt(
    entry: Entry,
    repository: FleetRepository,
    last: CheckpointRow,
    epoch: number,
  ): Promise<WorktreeRecord> {
    const { tools, services } = this.#options;
    const workbench = services.workbench();
    const old = this.#known(entry.runId ?? '');
    if (old !== undefined) retireWorktree(tools, services, old);
    // What is there already was left behind here and stays untouched.
    const isNew = old === undefined && lookAt(tools.fileSystem, this.#treeOf(entry)) === undefined;
    const worktree = await this.#intended(entry, repository, isNew ? '' : `-${epoch}`);
    writeWorktree(tools, services, worktree);
    const { git_oid: commit, git_parent: parent, git_ref: ref } = last;
    await bringCommit(tools, workbench, repository, { commit, ref });
    await bringCommit(tools, workbench, repository, { commit: parent });
    const { path, branch } = worktree;
    const isBranch = (await findBranch(workbench, repository.mirror, branch)) !== undefined;
    if (lookAt(tools.fileSystem, join(path, '.git')) === undefined)
      await registerWorktree(
        workbench,
        repository.mirror,
        isBranch ? { path, branch } : { path, branch, from: parent },
      );
    await unlockWorktree(workbench, repository.mirror, path);
    await placeSnapshot(workbench, path, { commit, parent });
    const placed: WorktreeRecord = { ...worktree, step: 'checked-out' };
    writeWorktree(tools, services, placed);
    return placed;
  }

  #treeOf({ runId }: Entry): string {
    return join(this.#options.directory, 'worktrees', runId ?? '');
  }

  async #intended(entry: Entry, { mirror, url }: FleetRepository, suffix: string): Promise<WorktreeRecord> {
    const { tools, services, directory, queue } = this.#options;
    const run = entry.runId ?? '';
    const isChange = entry.plan.kind === 'change';
    if (isChange)
      throw new EntryPlaceError(`${visibleLine(entry.plan.name)} is a change, which cannot be moved yet`, {
        hint: 'Queue it for one machine alone: `holdfast queue add --local`.',
      });
    const [file = entry.plan.name] = entry.plan.files;
    const root = join(directory, 'worktrees');
    ensureDirectory(tools.fileSystem, root);
    const name = worktreeName('', entry.plan.name);
    return {
      version: 1,
      status: 'preparing',
      step: 'intended',
      sessionId: run,
      path: join(tools.fileSystem.resolve(root), `${run}${suffix}`),
      branch: `holdfast/${name}-${run.slice(0, 8)}${suffix}`,
      repository: mirror,
      repositoryName: repositoryName(url),
      gitCommonDirectory: mirror,
      baseCommit: entry.base ?? '',
      baseBranch: null,
      planSource: await queue.planPath(entry, file),
      plan: isChange ? changePlanIn(entry.plan.name) : file,
      included: [],
      createdAt: services.clock.now().toISOString(),
    };
  }
}

/** How a lease stands, for the run and for people. */
function standingOf(
  lease: LeaseHolder,
  bootMs: number,
  now: Date,
): Pick<LeaseRecord, 'deadlineMs' | 'deadlineAt' | 'cutOffSince'> {
  const at = (thenMs: number) => new Date(now.getTime() + thenMs - bootMs).toISOString().slice(0, 19);
  const { deadlineMs, trouble } = lease;
  return {
    deadlineMs,
    deadlineAt: `${at(deadlineMs)}.000Z`,
    cutOffSince: trouble === undefined ? null : `${at(trouble.sinceMs)}.000Z`,
  };
}
