import { type Clock, isHoldfastError, type Logger, messageOf } from '../../foundation/index.js';
import { Checkpoints, FleetRuleError, FleetUnreachableError, type NewCheckpoint } from '../../hub/index.js';
import { bootTimeMs, watchGuard } from '../../programs/index.js';
import type { CheckpointFacts, CheckpointWait, RunCheckpoint } from '../../run/index.js';
import type { ConversationSessions } from '../../sessions/conversation/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { ensureDirectory, type FileSystem } from '../../storage/index.js';
import {
  commitSnapshot,
  findRemoteRef,
  GitRemoteError,
  hasCommit,
  pushCommit,
  type RemoteRepository,
  type SnapshotCommit,
  type WorkspaceTools,
} from '../../workspace/index.js';
import type { Door } from '../door.js';
import type { LeaseRecord } from './lease-file.js';

export interface RunCheckpointOptions {
  readonly door: Door;
  /** The lease as its worker last wrote it; undefined if it is gone. */
  readonly readLease: () => LeaseRecord | undefined;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  readonly log: Logger;
  readonly workbench: WorkspaceTools;
  readonly remote: RemoteRepository;
  /** The working tree of the run. */
  readonly projectDirectory: string;
  /** A directory of ours for temporary files of a snapshot. */
  readonly scratch: string;
  readonly conversations: ConversationSessions;
  readonly conversation: string;
  readonly questions: QuestionSessions;
  /** Where to read the boot time; the system's file if absent. */
  readonly uptimeFile?: string | undefined;
  /** How long a push may take. */
  readonly pushTimeoutMs?: number | undefined;
}

const RETRY_MS = 1_000;

/** Whether the git server or the hub cannot be reached, or is too slow, just now: waiting may help. */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof GitRemoteError) return error.trouble === 'away' || error.trouble === 'slow';
  return error instanceof FleetUnreachableError;
}

/**
 * The checkpoints of a leased run, made from within its process: a snapshot at the git server, then everything else in
 * one transaction of the hub, under the fence. It also watches its own guard, because worker and guard may be killed at
 * the same instant.
 */
export class FleetCheckpoint implements RunCheckpoint, AsyncDisposable {
  readonly #options: RunCheckpointOptions;
  readonly #lease: LeaseRecord;
  readonly #lost = new AbortController();
  readonly #wanted = new AbortController();
  readonly #watch: Disposable;
  /** How much of the conversation the hub has; unknown before the first checkpoint. */
  #sent = -1;
  readonly #listeners = new Set<(wait: CheckpointWait | null) => void>();
  #wait: CheckpointWait | null = null;
  #isStoring = false;
  /** Where the ref of this epoch stands, as far as we know. */
  #pushed: string | null | undefined;

  constructor(options: RunCheckpointOptions, lease: LeaseRecord) {
    this.#options = options;
    this.#lease = lease;
    const { fileSystem, uptimeFile } = options;
    const watch = watchGuard({
      fileSystem,
      guard: lease.guard,
      bootTimeMs: () => bootTimeMs(fileSystem, uptimeFile),
      deadlineMs: () => this.#deadlineNow(),
    });
    watch.signal.addEventListener('abort', () => this.#lose(String(watch.signal.reason)));
    if (watch.signal.aborted) this.#lose(String(watch.signal.reason));
    this.#watch = watch;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get wanted(): AbortSignal {
    // Asked between two iterations: a wish that came a moment ago must not wait for the end of the next one.
    this.#deadlineNow();
    return this.#wanted.signal;
  }

  follow(listener: (wait: CheckpointWait | null) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async store(facts: CheckpointFacts, signal: AbortSignal): Promise<boolean> {
    this.#isStoring = true;
    try {
      return await this.#storePatiently(facts, AbortSignal.any([signal, this.#lost.signal]));
    } finally {
      this.#isStoring = false;
    }
  }

  async #storePatiently(facts: CheckpointFacts, stop: AbortSignal): Promise<boolean> {
    let snapshot: SnapshotCommit | undefined;
    while (!stop.aborted) {
      try {
        snapshot ??= await this.#snapshot();
        await this.#push(snapshot.commit);
        await this.#storeInHub(snapshot, facts);
        this.#tell(null);
        return !stop.aborted;
      } catch (error) {
        if (this.#isElsewhere(error)) {
          this.#lose(messageOf(error));
          break;
        }
        if (!isOutOfReach(error)) throw error;
        const what = error instanceof GitRemoteError ? 'git' : 'fleet';
        this.#tell(this.#waitOn(what));
        this.#options.log.info('fleet.checkpoint-waits', { what, error: messageOf(error) });
        await this.#options.clock.sleep(RETRY_MS, stop).catch(() => {});
      }
    }
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    await this.#options.door.close();
  }

  #tell(wait: CheckpointWait | null): void {
    // Compares only the subject and the start: the end moves with every renewal.
    if (wait?.what === this.#wait?.what && wait?.since === this.#wait?.since) return;
    this.#wait = wait;
    for (const listener of [...this.#listeners]) listener(wait);
  }

  #lose(reason: string): void {
    if (!this.#lost.signal.aborted) this.#lost.abort(reason);
  }

  /** Read again and again, because the worker writes what it learns into the lease file. */
  #deadlineNow(): number {
    const now = this.#options.readLease();
    if (now === undefined || now.epoch !== this.#lease.epoch || now.token !== this.#lease.token) {
      this.#lose('another lease has replaced this one');
      return 0;
    }
    const { cutOffSince: since, deadlineAt: until } = now;
    if (since !== null && this.#wait === null) this.#tell({ what: 'fleet', since, until });
    if (since === null && this.#wait?.what === 'fleet' && !this.#isStoring) this.#tell(null);
    if (now.wish === 'hand-over' && !this.#wanted.signal.aborted) this.#wanted.abort('hand-over');
    return now.deadlineMs;
  }

  #waitOn(what: CheckpointWait['what']): CheckpointWait {
    const now = this.#options.readLease();
    const known = this.#wait?.what === what ? this.#wait.since : null;
    const since = known ?? now?.cutOffSince ?? this.#options.clock.now().toISOString();
    return { what, since, until: what === 'fleet' ? (now?.deadlineAt ?? null) : null };
  }

  #isElsewhere(error: unknown): boolean {
    if (error instanceof GitRemoteError) return error.trouble === 'overtaken';
    return isHoldfastError(error) && error instanceof FleetRuleError && error.rule === 'fenced';
  }

  #snapshot(): Promise<SnapshotCommit> {
    const { workbench, projectDirectory, scratch, fileSystem } = this.#options;
    const { run, epoch, base } = this.#lease;
    ensureDirectory(fileSystem, scratch);
    return commitSnapshot(workbench, projectDirectory, {
      base,
      message: `holdfast: snapshot of run ${run}, epoch ${epoch}`,
      scratch,
      token: `${run}-${epoch}`,
    });
  }

  async #push(commit: string): Promise<void> {
    const { workbench, remote, pushTimeoutMs: timeoutMs } = this.#options;
    const { ref } = this.#lease;
    if (this.#pushed === commit) return;
    if (this.#pushed === undefined) this.#pushed = (await this.#known()) ?? null;
    const push = () =>
      pushCommit(workbench, remote, { commit, ref, expected: this.#pushed ?? null, timeoutMs });
    try {
      await push();
    } catch (error) {
      if (!(error instanceof GitRemoteError) || error.trouble !== 'overtaken') throw error;
      // Only this machine writes to this epoch's ref: if we have the commit there, an earlier process of ours pushed
      // it.
      const there = await findRemoteRef(workbench, remote, ref);
      if (there === undefined || there === this.#pushed || !(await hasCommit(workbench, remote, there)))
        throw error;
      this.#pushed = there;
      await push();
    }
    this.#pushed = commit;
  }

  /** What an earlier process of this epoch pushed. */
  async #known(): Promise<string | undefined> {
    const last = await this.#checkpoints((checkpoints) => checkpoints.last(this.#lease.entry));
    return last?.epoch === this.#lease.epoch ? last.git_oid : undefined;
  }

  async #storeInHub(
    snapshot: SnapshotCommit,
    { loop, prompt, openQuestions }: CheckpointFacts,
  ): Promise<void> {
    const { conversations, conversation } = this.#options;
    const { ref } = this.#lease;
    const records = conversations.exportRecords(conversation, this.#sent);
    const count = this.#sent + 1 + records.length;
    const made: NewCheckpoint = {
      git: {
        commit: snapshot.commit,
        parent: snapshot.parent,
        ref,
        left_out: snapshot.leftOut.slice(0, MAX_LEFT_OUT),
      },
      documents: loop,
      records,
      count,
      questions: await this.#views(openQuestions),
      prompt,
    };
    await this.#checkpoints((checkpoints) => checkpoints.store(this.#lease, made));
    this.#sent = count - 1;
  }

  async #views(ids: readonly string[]): Promise<unknown[]> {
    const views = [];
    for (const id of ids) {
      const view = await this.#options.questions.get(id).catch((error: unknown) => {
        if (!isHoldfastError(error)) throw error;
        return undefined; // deleted or unreadable: nobody can answer it any more
      });
      if (view !== undefined) views.push(view);
    }
    return views;
  }

  async #checkpoints<Result>(ask: (checkpoints: Checkpoints) => Promise<Result>): Promise<Result> {
    const hub = await this.#options.door.open();
    return ask(new Checkpoints(hub.connection));
  }
}

const MAX_LEFT_OUT = 1_000;
