import { dollarsOf, type KeptReply, type ResumeHandle } from '../../agents/index.js';
import {
  type Clock,
  findId,
  type Ids,
  isHoldfastError,
  type Logger,
  messageOf,
  type Retirable,
  SessionNotFoundError,
  timestamp,
} from '../../foundation/index.js';
import { DOCUMENT_VERSION, type FileSystem, lookAt, resolveUserPath } from '../../storage/index.js';
import {
  LaunchDiffersError,
  NotResumableError,
  ProcessIdTakenError,
  ProcessStartError,
  TerminateFailedError,
  TooManyProcessesError,
  unusableDirectory,
} from './errors.js';
import { launchDifferences } from './launch.js';
import { isOver } from './lifecycle.js';
import type { Workbench } from './measure.js';
import { Pool } from './pool.js';
import { retirableProcesses } from './retirable.js';
import { handleIn, type Launch, type ProcessFile, processId, type StopMode } from './schema.js';
import { type ProcessOptions, ProcessSession, type StartConnection } from './session.js';
import { type FileProcessStore, type HeldProcess, LISTED_BY } from './store.js';
import { infoOf, type ProcessInfo } from './view.js';

/** How to start the agent of a new session. */
export interface AgentLaunch {
  readonly agent: string;
  readonly launch: Launch;
  readonly start: StartConnection;
  /** Whether it reports the usage of its replies. */
  readonly reportsUsage?: boolean | undefined;
  /** What the agent's own transcript says about a conversation since a given moment; null if it says nothing. */
  readonly readReplies?:
    | ((conversationId: string, since: Date) => Promise<readonly KeptReply[] | null>)
    | undefined;
}

export interface ProcessSessionsOptions extends ProcessOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly fileSystem: FileSystem;
  readonly workbench?: Workbench | undefined;
  /** Where sessions are kept; absent = nothing is written. */
  readonly store?: FileProcessStore | undefined;
  /** What new sessions start unless given another launch. */
  readonly launch?: (() => AgentLaunch | Promise<AgentLaunch>) | undefined;
  /** How many processes may run at the same time; default 5. */
  readonly capacity?: number | undefined;
  /** How many processes are started ahead; default none. */
  readonly spares?: number | undefined;
}

const DEFAULT_CAPACITY = 5;
/** How many ended sessions this process still remembers; the store has them all. */
const MAX_REMEMBERED = 100;

/** This process's agent processes, and the records of all sessions. */
export class ProcessSessions {
  readonly capacity: number;
  readonly #options: ProcessSessionsOptions;
  readonly #sessions = new Map<string, ProcessSession>();
  readonly #pool: Pool;
  #currentId: string | undefined;
  #creating: Promise<ProcessSession> | undefined;
  /** Slots reserved for sessions that are being started. */
  #reserved = 0;

  constructor(options: ProcessSessionsOptions) {
    this.#options = options;
    this.capacity = options.capacity ?? DEFAULT_CAPACITY;
    this.#pool = new Pool(options.spares ?? 0, () => this.#startNew(), options.log);
    if (options.spares !== undefined && options.spares > 0) this.#fillPool();
  }

  /** The current session, or a new one; concurrent calls start only one. Throws as `fresh`. */
  async getOrCreate(): Promise<ProcessSession> {
    const current = this.current();
    if (current !== undefined) return current;
    this.#creating ??= this.fresh().finally(() => {
      this.#creating = undefined;
    });
    return this.#creating;
  }

  /**
   * Starts a new session, which becomes the current one, and then ends the old one. Throws TOO_MANY_PROCESSES,
   * PROCESS_START_FAILED; then the old one stays.
   */
  async fresh(): Promise<ProcessSession> {
    const session = this.#pool.take() ?? (await this.#startNew());
    const previous = this.current();
    this.#currentId = session.id;
    await previous?.end('replaced by a fresh session');
    this.#fillPool();
    return session;
  }

  /**
   * Starts a session with a launch of its own, optionally in a conversation that the agent already has; it does not
   * become the current one. `id` names a session that does not exist yet. Throws as `fresh`, and SESSION_ID_TAKEN.
   */
  async create(
    launch: AgentLaunch,
    resume: ResumeHandle | null = null,
    { id }: { readonly id?: string | undefined } = {},
  ): Promise<ProcessSession> {
    const record = {
      ...newRecord(this.#options, launch),
      ...resumeIn(resume),
      ...(id === undefined ? {} : { id }),
    };
    return this.#reserving(() => this.#begin(record, launch));
  }

  /** The agent's conversation in a recorded session, even an ended one; null if there is none. */
  handleOf(id: string): ResumeHandle | null {
    try {
      return handleIn(this.#storeOf(id).read(id));
    } catch (error) {
      this.#options.log.debug('process.no-handle', { sessionId: id, error: messageOf(error) });
      return null;
    }
  }

  /**
   * Resumes a session whose owner is gone, in the agent's own conversation. Throws SESSION_NOT_FOUND, LOCKED,
   * NOT_RESUMABLE, LAUNCH_DIFFERS, PROCESS_START_FAILED, TOO_MANY_PROCESSES.
   */
  async reopen(
    id: string,
    launch: AgentLaunch,
    options: { readonly acceptsChanges?: boolean | undefined } = {},
  ): Promise<ProcessSession> {
    // Before the lock as well: one that is over is that, whoever holds it.
    const { state } = this.#storeOf(id).read(id);
    if (isOver(state)) throw new NotResumableError(id, `it is ${state}`);
    const owned = await this.#storeOf(id).hold(id);
    try {
      // Read under the lock: another process may have ended or continued the session in the meantime.
      const before = this.#storeOf(id).read(id);
      this.#checkResumable(before, launch.launch, options);
      const record: ProcessFile = { ...before, state: 'creating', launch: launch.launch };
      return await this.#reserving(() => this.#begin(record, launch, { owned, before }));
    } catch (error) {
      owned[Symbol.dispose]();
      throw error;
    }
  }

  /** The session in use, unless it has ended. */
  current(): ProcessSession | undefined {
    const current = this.#currentId === undefined ? undefined : this.#sessions.get(this.#currentId);
    current?.checkAlive();
    return current === undefined || isOver(current.state) ? undefined : current;
  }

  live(id: string): ProcessSession | undefined {
    return this.#sessions.get(id);
  }

  /** The sessions of this process, newest first. */
  mine(): ProcessInfo[] {
    for (const session of this.#sessions.values()) session.checkAlive();
    return newestFirst([...this.#sessions.values()].map((session) => infoOf(session.record, true)));
  }

  /** All recorded sessions, newest first, whoever owns them. */
  list(): ProcessInfo[] {
    const infos: ProcessInfo[] = [];
    for (const id of this.#options.store?.ids() ?? []) {
      try {
        infos.push(this.get(id));
      } catch (error) {
        this.#options.log.warn('process.unreadable', { sessionId: id, error: String(error) });
      }
    }
    return newestFirst(infos);
  }

  /** One session, whoever owns it. Throws SESSION_NOT_FOUND, INVALID_PROCESS_ID, DOCUMENT_DAMAGED. */
  get(id: string): ProcessInfo {
    const own = this.#sessions.get(id);
    if (own !== undefined) return infoOf(own.record, true);
    const store = this.#storeOf(id);
    return infoOf(store.read(id), store.ownerOf(id).hold === 'held');
  }

  /** What may go to the trash, for the cleaner. */
  retirable(before: number): Iterable<Retirable> {
    const { store } = this.#options;
    return store === undefined ? [] : retirableProcesses(store, before);
  }

  /** The full id for a prefix of 4 or more characters, with or without `ses_`. Throws SESSION_NOT_FOUND, AMBIGUOUS_ID. */
  resolve(typed: string): string {
    const ids = [...new Set([...this.#sessions.keys(), ...(this.#options.store?.ids() ?? [])])];
    const full = typed.startsWith('ses_') ? typed : processId(typed);
    const found = full.length < MIN_TYPED ? undefined : findId(ids, full);
    if (found === undefined) throw new SessionNotFoundError(typed, LISTED_BY);
    return found;
  }

  /** How many sessions this process knows, and how many of them have not ended. */
  counts(): { total: number; active: number } {
    return { total: this.#sessions.size, active: this.#active().length };
  }

  /** Ends the current session; if that fails, it stays current. */
  async endCurrent(): Promise<void> {
    const current = this.current();
    await current?.end();
    if (current !== undefined && this.#currentId === current.id) this.#currentId = undefined;
  }

  /** Terminates all sessions of this process at once. Throws TERMINATE_FAILED with all failures. */
  async terminateAll(): Promise<void> {
    const active = this.#active();
    const outcomes = await Promise.allSettled(active.map((session) => session.terminate()));
    this.#currentId = undefined;
    const failures = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ sessionId: active[index]?.id ?? '', error: outcome.reason }] : [],
    );
    if (failures.length > 0) throw new TerminateFailedError(failures);
  }

  /**
   * Stops a session, whoever owns it: asks its owner, or closes it here if it has none. Throws SESSION_NOT_FOUND, and
   * ABORTED if the owner does not react before the signal fires.
   */
  async stop(id: string, mode: StopMode, signal?: AbortSignal): Promise<ProcessInfo> {
    const own = this.#sessions.get(id);
    if (own !== undefined) await (mode === 'end' ? own.end() : own.terminate());
    else await this.#stopStored(id, mode, signal);
    return this.get(id);
  }

  async #stopStored(id: string, mode: StopMode, signal: AbortSignal | undefined): Promise<void> {
    const store = this.#storeOf(id);
    for (let isAsked = false; !isOver(store.read(id).state); ) {
      if (store.ownerOf(id).hold !== 'held' && (await this.#closeLeft(id, mode))) return;
      if (!isAsked) store.requestStop(id, mode);
      isAsked = true;
      await this.#options.clock.sleep(LOOK_AGAIN_MS, signal);
    }
  }

  /** Closes the record of a session without an owner, unless it is over by now. Returns false if it has an owner again. */
  async #closeLeft(id: string, mode: StopMode): Promise<boolean> {
    const store = this.#storeOf(id);
    try {
      using owner = await store.hold(id);
      const record = store.read(id);
      if (!isOver(record.state)) owner.write(closed(record, mode, timestamp(this.#options.clock)));
      return true;
    } catch (error) {
      if (isHoldfastError(error, 'LOCKED')) return false;
      throw error;
    }
  }

  async #startNew(): Promise<ProcessSession> {
    const { launch } = this.#options;
    if (launch === undefined) throw new Error('No launch was given for new sessions');
    return this.#reserving(async () => {
      const wanted = await launch();
      return this.#begin(newRecord(this.#options, wanted), wanted);
    });
  }

  /** Reserves a slot while a session starts, so concurrent calls cannot exceed the capacity. */
  async #reserving(start: () => Promise<ProcessSession>): Promise<ProcessSession> {
    const started = this.#active().filter(({ state }) => state !== 'creating');
    if (started.length + this.#reserved >= this.capacity) throw new TooManyProcessesError(this.capacity);
    this.#reserved += 1;
    try {
      return await start();
    } finally {
      this.#reserved -= 1;
    }
  }

  async #begin(
    record: ProcessFile,
    { start }: AgentLaunch,
    reopened?: { readonly owned: HeldProcess; readonly before: ProcessFile },
  ): Promise<ProcessSession> {
    // This comes before anything is written: by default the record is kept in the working directory.
    if (reopened === undefined) this.#checkDirectory(record.id, record.launch);
    const owned = reopened?.owned ?? (await this.#options.store?.create(record));
    // A store has checked this; without one, nobody else does.
    if (owned === undefined && this.#sessions.has(record.id)) throw new ProcessIdTakenError(record.id);
    const session = new ProcessSession(this.#options, record, owned, {
      ...this.#options,
      before: reopened?.before,
    });
    // Remembered from now on, so that it can be ended while it starts; its slot is reserved until `start` returns.
    this.#remember(session);
    await session.start(start);
    return session;
  }

  /** Throws NOT_RESUMABLE, LAUNCH_DIFFERS, PROCESS_START_FAILED. */
  #checkResumable(
    record: ProcessFile,
    launch: Launch,
    { acceptsChanges = false }: { readonly acceptsChanges?: boolean | undefined },
  ): void {
    const { id, state, resume } = record;
    if (isOver(state)) throw new NotResumableError(id, `it is ${state}`);
    if (resume === null) throw new NotResumableError(id, 'the agent gave no handle to its conversation');
    const differences = launchDifferences(record.launch, launch);
    if (differences.length > 0 && !acceptsChanges) throw new LaunchDiffersError(id, differences);
    this.#checkDirectory(id, launch);
  }

  /** Does not create a missing directory: the agent would work in a place that nobody has looked at. */
  #checkDirectory(id: string, { workingDirectory: path }: Launch): void {
    const { fileSystem } = this.#options;
    const real = resolveUserPath(fileSystem, path);
    if (real !== undefined && lookAt(fileSystem, real)?.kind === 'directory') return;
    throw new ProcessStartError(id, unusableDirectory(path, real !== undefined));
  }

  #remember(session: ProcessSession): void {
    this.#sessions.set(session.id, session);
    const over = [...this.#sessions.values()].filter(({ state }) => isOver(state));
    for (const old of over.slice(0, Math.max(0, over.length - MAX_REMEMBERED))) this.#sessions.delete(old.id);
  }

  #active(): ProcessSession[] {
    return [...this.#sessions.values()].filter(({ state }) => !isOver(state));
  }

  #fillPool(): void {
    this.#pool.fill().catch(() => {}); // it logs its own failures
  }

  #storeOf(id: string): FileProcessStore {
    const { store } = this.#options;
    if (store === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return store;
  }
}

const LOOK_AGAIN_MS = 50;
const MIN_TYPED = 'ses_'.length + 4;

function newRecord(
  options: Pick<ProcessSessionsOptions, 'clock' | 'ids'>,
  { agent, launch }: AgentLaunch,
): ProcessFile {
  const now = timestamp(options.clock);
  return {
    version: DOCUMENT_VERSION,
    id: processId(options.ids.uuid()),
    state: 'creating',
    agent,
    createdAt: now,
    lastActivity: now,
    promptCount: 0,
    totalExecutionMs: 0,
    contextUsage: 0,
    launch,
    resume: null,
    prompt: null,
    ended: null,
  };
}

function resumeIn(resume: ResumeHandle | null): Pick<ProcessFile, 'resume' | 'resumeCostUsd'> {
  if (resume === null) return { resume };
  const { driver, id } = resume;
  const costUsd = dollarsOf(resume.costUsd);
  return { resume: { driver, id }, ...(costUsd === null ? {} : { resumeCostUsd: costUsd }) };
}

/** The record of a session that was closed when it no longer had an owner. */
function closed(record: ProcessFile, mode: StopMode, at: string): ProcessFile {
  return {
    ...record,
    state: mode === 'end' ? 'ended' : 'terminated',
    lastActivity: at,
    ended: { at, reason: 'stopped after its owner had gone', exitCode: null, signal: null },
  };
}

function newestFirst(infos: ProcessInfo[]): ProcessInfo[] {
  return infos.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? -1 : 1));
}
