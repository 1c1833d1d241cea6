import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import {
  type Actor,
  allows,
  firstIssue,
  InvalidInputError,
  SessionNotFoundError,
} from '../../foundation/index.js';
import {
  type DirectoryWatch,
  DOCUMENT_VERSION,
  type LockState,
  type LockTools,
  lookAt,
  readUserFile,
  resolveUserPath,
} from '../../storage/index.js';
import { type TrashedLoop, UNREADABLE_LOOP } from './archive.js';
import {
  LoopEndedError,
  LoopNotFoundError,
  LoopNotResumableError,
  PhaseNotSkippableError,
} from './errors.js';
import { HeldLoop } from './held-loop.js';
import { presetOf } from './iteration.js';
import { loopLifecycle } from './lifecycle.js';
import { adoptedFiles, type LoopExport } from './moved-loop.js';
import { completeDocuments, type FirstStory, type NewLoop, newDocuments } from './new-loop.js';
import { type PhaseSetting, PRESETS, type Preset, resolvePreset } from './policies/presets.js';
import { checkState, type LoopSnapshot } from './read-loop.js';
import { findApplied, type LoopRequest, LoopRequestInput, sendRequest, whoHalted } from './requests.js';
import {
  checkExpiry,
  type DetectAction,
  detectAction,
  type Expiry,
  type SessionFacts,
  validateState,
} from './resume.js';
import { type Budget, DOCUMENTS, type LoopState } from './schema.js';
import { LoopStore, NOTHING } from './store.js';
import { type Informants, type LoopView, viewOf } from './view.js';

export interface LoopSessionsOptions extends LockTools {
  /** The `.prp-session` directory. */
  readonly directory: string;
  /** Where relative plan paths start; the directory's parent if absent. */
  readonly projectDirectory?: string | undefined;
  /** Where plan paths start instead, if plans are kept outside the project. */
  readonly plansDirectory?: string | undefined;
  /** The id of a new session, if already decided; generated if absent. */
  readonly sessionId?: string | undefined;
  /** Whether the directory was found rather than chosen by the user. If so, the place it is in must be safe. */
  readonly isPlaceFound?: boolean | undefined;
  /** Finds a loop further up, which is not used from here. */
  readonly findAbove?: (() => string | undefined) | undefined;
  readonly callsPerHour?: number | undefined;
  readonly budget?: Budget | undefined;
  /** Phases in another order, fewer of them, or retuned. */
  readonly phases?: readonly PhaseSetting[] | undefined;
  /** Called with the project in which a session was started. */
  readonly onStarted?: ((project: string) => void) | undefined;
  /** What a dead process left running; asked about the loop's last owner. */
  readonly leftBehindBy?: Informants['leftBehindBy'] | undefined;
  /** Who acts through this object, recorded with requests; `library` if absent. */
  readonly actor?: Actor | undefined;
}

/** What was found for a plan. */
export interface Detection {
  readonly found: boolean;
  readonly session: LoopState | null;
  readonly action: DetectAction;
  readonly reason: string | null;
  readonly expiry: Expiry;
  /** What is worth mentioning but stops nothing: an edited plan, files of a newer version. */
  readonly warnings: readonly string[];
  readonly view: LoopView | undefined;
}

export interface CreateLoopOptions {
  readonly criteriaCount?: number | undefined;
  /** Makes it a session over stories: the first one, and how many there are. */
  readonly story?: FirstStory | undefined;
  /** The phases; if absent, those of `tdd` as configured. */
  readonly preset?: Preset | undefined;
  readonly budget?: Budget | undefined;
  /** The id, unless the sessions were opened with one; a new one if absent. */
  readonly sessionId?: string | undefined;
}

export interface ResumeOptions {
  /** Lets a halted session try again. */
  readonly reset?: boolean | undefined;
  readonly guidance?: string | undefined;
  /** Resumes only this session; refuses another that took its place. */
  readonly sessionId?: string | undefined;
  /** Takes ownership of a halted session as it is, so that a phase can be skipped; refuses any other. */
  readonly skip?: boolean | undefined;
}

/** A session of the project: the current one, or one from its archive. */
export interface ListedLoop {
  /** Its id, or a stand-in if the id cannot be read. */
  readonly id: string;
  readonly loop: LoopSessions;
  readonly isArchived: boolean;
}

/** A session that a newer one replaced. */
export interface ArchivedLoop {
  /** Its id, or its stand-in in the archive. */
  readonly name: string;
  readonly loop: LoopSessions;
}

const LISTED_BY = 'holdfast sessions list --kind loop --all';
const DEFAULT_CALLS_PER_HOUR = 100;

/** The loop of one project: found, created, resumed, and asked from outside. */
export class LoopSessions {
  readonly directory: string;
  readonly #options: LoopSessionsOptions;
  readonly #store: LoopStore;
  readonly projectDirectory: string;
  /** Where plan paths start. */
  readonly plansDirectory: string;

  constructor(options: LoopSessionsOptions) {
    this.#options = options;
    this.directory = options.directory;
    const { directory, isPlaceFound = false } = options;
    this.#store = new LoopStore(options, { directory, isPlaceFound });
    this.projectDirectory = options.projectDirectory ?? dirname(options.directory);
    this.plansDirectory = options.plansDirectory ?? this.projectDirectory;
  }

  /** The path of a plan, given the name a session has for it. */
  planPath(prpFile: string): string {
    return resolve(this.plansDirectory, prpFile);
  }

  /** The same loop, with its requests sent on behalf of someone else. */
  as(actor: Actor): LoopSessions {
    return new LoopSessions({ ...this.#options, actor });
  }

  /** The error that there is no loop here, and where there may be one instead. */
  notFound(): LoopNotFoundError {
    return new LoopNotFoundError(this.directory, this.#options.findAbove?.());
  }

  /** What exists for a plan and what to offer. Reads only. */
  detect(prpFile: string): Detection {
    const snapshot = this.#store.read();
    const { state } = snapshot.documents;
    const expiry = snapshot.isFound ? this.#expiryOf(snapshot, prpFile) : ({ isExpired: false } as const);
    return {
      found: snapshot.isFound,
      session: state ?? null,
      action: detectAction(snapshot.isFound, expiry),
      reason: expiry.isExpired ? expiry.detail : null,
      expiry,
      warnings: snapshot.isFound ? this.#warnings(snapshot) : this.#warningsOfNone(),
      view: this.#view(snapshot),
    };
  }

  /** The published check: undefined if the session can be resumed for a plan, otherwise the published message. Reads only. */
  validate(prpFile: string): string | undefined {
    const snapshot = this.#store.read();
    if (!snapshot.isFound) throw this.notFound();
    const facts = this.#factsOf(snapshot, prpFile);
    return facts.found === undefined ? facts.faults[0] : validateState(facts.found, facts);
  }

  /** The same checks, plus those of expiry, on a state the caller has read. Reads only. */
  judge(
    raw: Readonly<Record<string, unknown>>,
    prpFile: string,
  ): { error: string | undefined; expiry: Expiry } {
    const { found, state, fault } = checkState(raw);
    const { breaker } = this.#store.read().documents;
    const documents = {
      ...(state === undefined ? {} : { state }),
      ...(breaker === undefined ? {} : { breaker }),
    };
    const known = this.#factsOf({ ...NOTHING, isFound: true, found, documents }, prpFile);
    const facts = fault === undefined ? known : { ...known, faults: [fault] };
    return { error: validateState(found, facts), expiry: checkExpiry(facts) };
  }

  /** The current session, or undefined if there is none that can be read. Reads only. */
  get(): LoopView | undefined {
    return this.#view(this.#store.read());
  }

  /** Whether there is a session, readable or not. */
  isFound(): boolean {
    return this.#store.read().isFound;
  }

  /** What is wrong with the files; empty if they are whole. */
  verify(): string[] {
    const { faults, missing, isFound } = this.#store.read();
    if (!isFound) return [];
    return [
      ...faults.map(({ file, reason }) => `${file}: ${reason}`),
      ...missing.map((file) => `${file}: it is missing`),
    ];
  }

  /**
   * Creates a session and owns it. An existing one is archived first, whatever its state; if it is running, nothing
   * happens. Throws LOCKED, INVALID_INPUT, DOCUMENT_REFUSED, NEWER_VERSION, UNSAFE_PATH.
   */
  async create(prpFile: string, options: CreateLoopOptions = {}): Promise<HeldLoop> {
    const facts = this.#newLoop(prpFile, options);
    const at = () => this.#options.clock.now().toISOString();
    const { sessionId } = this.#options;
    const { lock, documents } = await this.#store.create(
      () => newDocuments(facts, at()),
      // A caller that decided the id may have started it twice: what was created once is not created again.
      (found) => {
        if (sessionId !== undefined && found?.sessionId === sessionId)
          throw new LoopNotResumableError('it was already created', 'no_resume');
      },
    );
    this.#options.onStarted?.(this.projectDirectory);
    return new HeldLoop(this.#options, this.directory, lock, documents, 0);
  }

  /**
   * Imports a session as another machine committed and exported it; false if it is already here. When it is resumed, an
   * iteration in flight is treated as after a crash. Throws DOCUMENT_DAMAGED, LOCKED, NEWER_VERSION, UNSAFE_PATH.
   */
  async adopt(exported: LoopExport, movedFrom: string): Promise<boolean> {
    const isNew = await this.#store.adopt(adoptedFiles(exported, movedFrom));
    if (isNew) this.#options.onStarted?.(this.projectDirectory);
    return isNew;
  }

  /** What a new session would start with. Writes nothing. Throws INVALID_INPUT. */
  preview(prpFile: string, options: CreateLoopOptions = {}): LoopState {
    return newDocuments(this.#newLoop(prpFile, options), this.#options.clock.now().toISOString()).state;
  }

  /**
   * Resumes the existing session and owns it. A commit that a crash cut short is completed first. Throws LOCKED,
   * LOOP_NOT_FOUND, LOOP_NOT_RESUMABLE, NEWER_VERSION, SESSION_NOT_FOUND.
   */
  async resume(prpFile: string, options: ResumeOptions = {}): Promise<HeldLoop> {
    const loop = await this.hold();
    try {
      const { sessionId } = options;
      if (sessionId !== undefined && sessionId !== loop.state.sessionId)
        throw new SessionNotFoundError(sessionId, LISTED_BY);
      const expiry = this.#expiryOf(this.#store.read(), prpFile);
      if (!expiry.isExpired) {
        if (options.skip === true) throw new PhaseNotSkippableError(loop.state.status);
        loop.resume(options.guidance);
        return loop;
      }
      const mayReset = options.reset === true && expiry.action === 'reset_or_abort';
      const isAborted = loop.state.status === 'aborted';
      if (options.skip === true && loop.state.status === 'halted') return loop;
      if (!mayReset || isAborted)
        throw new LoopNotResumableError(expiry.detail, expiry.action, { isAborted });
      loop.reset(options.guidance);
      loop.resume();
      return loop;
    } catch (error) {
      loop[Symbol.dispose]();
      throw error;
    }
  }

  /** Takes ownership of the existing session without changing its state, to end or repair it. Throws as `resume`. */
  async hold(): Promise<HeldLoop> {
    if (!this.#store.exists()) throw this.notFound();
    const lock = await this.#store.hold();
    try {
      const snapshot = this.#store.read();
      if (!snapshot.isFound) throw this.notFound();
      this.#store.assertOurs(snapshot);
      const { state } = snapshot.documents;
      const damaged = snapshot.faults.find((fault) => fault.kind !== 'mixed');
      if (state === undefined || damaged !== undefined) {
        const fault = damaged ?? { file: DOCUMENTS.state.file, reason: 'it cannot be read' };
        throw new LoopNotResumableError(`State corrupted: ${fault.file}: ${fault.reason}`, 'reset');
      }
      const callsPerHour = this.#options.callsPerHour ?? DEFAULT_CALLS_PER_HOUR;
      const at = this.#options.clock.now().toISOString();
      const documents = completeDocuments({ ...snapshot.documents, state }, callsPerHour, at);
      return new HeldLoop(this.#options, this.directory, lock, documents, snapshot.commit ?? 0);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Sends a request to the owner of the session, now or later, durably. A request from another machine keeps its id
   * there and is stored only once. Throws LOOP_NOT_FOUND, LOOP_ENDED, INVALID_INPUT, NEWER_VERSION.
   */
  async request(
    input: LoopRequestInput,
    { appliedRequest }: { readonly appliedRequest?: string | undefined } = {},
  ): Promise<{ request: LoopRequest; owner: LockState }> {
    const parsed = LoopRequestInput.safeParse(input);
    if (!parsed.success) throw new InvalidInputError(`Not a request: ${firstIssue(parsed.error).reason}`);
    if (!this.isFound()) throw this.notFound();
    const actor = this.#options.actor ?? 'library';
    const sender = { actor, appliedRequest };
    const request = await sendRequest(this.#options, this.directory, parsed.data, sender, () => {
      const snapshot = this.#store.read();
      const { state } = snapshot.documents;
      if (state === undefined) throw this.notFound();
      this.#store.assertOurs(snapshot);
      if (!allows(loopLifecycle, state.status, 'abort'))
        throw new LoopEndedError(state.status, parsed.data.kind);
      return state.sessionId;
    });
    return { request, owner: this.owner() };
  }

  /** The request from another machine stored here under this id, and whether an owner took it. Throws STORAGE_FAILED. */
  applied(
    appliedRequest: string,
  ): { readonly kind: LoopRequest['kind']; readonly isTaken: boolean } | undefined {
    const { state } = this.#store.read().documents;
    if (state === undefined) return undefined;
    const found = findApplied(this.#options, this.directory, state.sessionId, appliedRequest);
    return found && { kind: found.kind, isTaken: found.number <= state.lastRequest };
  }

  /**
   * The current session and those that newer ones replaced, each with its own reader. After a crash the current one may
   * be in the archive too; then it counts as the current one. Throws UNSAFE_PATH.
   */
  list(): ListedLoop[] {
    const id = this.isFound() ? (this.get()?.sessionId ?? UNREADABLE_LOOP) : undefined;
    const current = id === undefined ? [] : [{ id, loop: this, isArchived: false }];
    const archived = this.archived().map(({ name, loop }) => ({ id: name, loop, isArchived: true }));
    return [...current, ...archived.filter((one) => one.id !== id)];
  }

  /** The sessions that newer ones replaced; with `since`, only those changed after it. Throws UNSAFE_PATH. */
  archived(since?: Date): ArchivedLoop[] {
    return this.#store.archived(since).map((name) => {
      const directory = join(this.directory, 'archive', name);
      const projectDirectory = this.projectDirectory;
      return { name, loop: new LoopSessions({ ...this.#options, directory, projectDirectory }) };
    });
  }

  /**
   * Moves the existing session, readable or not, to the directory's trash; it must not be running. Throws LOCKED,
   * LOOP_NOT_FOUND, NEWER_VERSION, UNSAFE_PATH.
   */
  async remove(): Promise<void> {
    if (!this.#store.exists() || !(await this.#store.remove())) throw this.notFound();
  }

  /** Moves an archived session to the trash. Throws LOOP_NOT_FOUND, STORAGE_FAILED. */
  removeArchived(name: string): void {
    this.#store.removeArchived(name);
  }

  /** What is in the trash, oldest first. */
  trashed(): TrashedLoop[] {
    return this.#store.trashed();
  }

  /** Puts a session back where it was; false if another one is there. Throws LOCKED, STORAGE_FAILED, UNSAFE_PATH. */
  restore(trashed: TrashedLoop): Promise<boolean> {
    return this.#store.restore(trashed);
  }

  /** Removes for good what has been in the trash longer than this, and returns the ids. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): string[] {
    return this.#store.purgeTrash(olderThanMs);
  }

  /** Who runs the loop. */
  owner(): LockState {
    return this.#store.ownerOf();
  }

  /** The path of the loop's lock, for inspecting it or taking it over. */
  lockPath(): string {
    return this.#store.lockPath();
  }

  /** Whether there is a loop directory, with or without a session in it. Throws UNSAFE_PATH. */
  hasDirectory(): boolean {
    return this.#store.exists();
  }

  /** Calls back whenever the loop may have changed, its requests included. */
  watch(onHint: () => void): DirectoryWatch {
    return this.#store.watch(onHint);
  }

  #newLoop(prpFile: string, options: CreateLoopOptions): NewLoop {
    const stored = this.#storedPath(prpFile);
    return {
      sessionId: this.#options.sessionId ?? options.sessionId ?? this.#options.ids.uuid(),
      prpFile: stored,
      prpHash: this.#hashOf(stored),
      preset:
        options.story === undefined
          ? (options.preset ?? resolvePreset('tdd', this.#options.phases))
          : PRESETS.story,
      criteriaCount: options.criteriaCount ?? 0,
      callsPerHour: this.#options.callsPerHour ?? DEFAULT_CALLS_PER_HOUR,
      budget: options.budget ?? this.#options.budget ?? {},
      story: options.story,
    };
  }

  #view(snapshot: LoopSnapshot): LoopView | undefined {
    if (!snapshot.isFound) return undefined;
    return viewOf(this.directory, snapshot, this.owner(), this.#options.clock.now(), {
      whoHalted: (state) => whoHalted(this.#options, this.directory, state),
      leftBehindBy: this.#options.leftBehindBy ?? (() => null),
    });
  }

  #expiryOf(snapshot: LoopSnapshot, prpFile: string): Expiry {
    return checkExpiry(this.#factsOf(snapshot, prpFile));
  }

  #factsOf(snapshot: LoopSnapshot, prpFile: string): SessionFacts {
    const { documents, found } = snapshot;
    const { state, breaker } = documents;
    const preset = state === undefined ? PRESETS['tdd-strict'] : presetOf(state);
    return {
      found,
      state,
      faults: snapshot.faults.map(({ file, reason }) => `${file}: ${reason}`),
      breaker,
      prpFile,
      isSamePrp:
        typeof found?.prpFile === 'string' && this.#realPath(found.prpFile) === this.#realPath(prpFile),
      phases: preset.phases.map((phase) => phase.name),
      now: this.#options.clock.now(),
    };
  }

  #warnings(snapshot: LoopSnapshot): string[] {
    const { state } = snapshot.documents;
    const warnings: string[] = [];
    if (snapshot.version > DOCUMENT_VERSION)
      warnings.push(
        `The files were written by a newer Holdfast (format version ${snapshot.version}); this one only reads them`,
      );
    if (typeof state?.prpHash === 'string' && this.#hashOf(state.prpFile) !== state.prpHash)
      warnings.push('The PRP has been edited since the session began');
    return warnings;
  }

  #warningsOfNone(): string[] {
    const above = this.#options.findAbove?.();
    return above === undefined
      ? []
      : [
          `There is a loop in ${above}, which is not used from here; run the command in ${dirname(above)} to resume it`,
        ];
  }

  /** A plan inside the project is stored relative to it, as people write it. */
  #storedPath(prpFile: string): string {
    const path = this.planPath(prpFile);
    const inside = relative(this.plansDirectory, path);
    return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
  }

  #realPath(prpFile: string): string {
    const path = this.planPath(prpFile);
    return resolveUserPath(this.#options.fileSystem, path) ?? path;
  }

  /** Null for a plan that is a directory or does not exist. */
  #hashOf(prpFile: string): string | null {
    const { fileSystem } = this.#options;
    const path = this.#realPath(prpFile);
    if (lookAt(fileSystem, path)?.kind !== 'file') return null;
    const text = readUserFile(fileSystem, path);
    return text === undefined ? null : createHash('sha256').update(text).digest('hex');
  }
}
