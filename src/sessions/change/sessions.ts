import { type Clock, type Ids, InvalidInputError, timestamp } from '../../foundation/index.js';
import {
  ChangePlan,
  findChange,
  findProject,
  guessVerifyCommands,
  isComplete,
  type Project,
  type Scenario,
  type Story,
  TaskNotFoundError,
} from '../../plans/index.js';
import type { LockTools, TrashEntry } from '../../storage/index.js';
import {
  ChangeLockedError,
  ChangeNotHeldError,
  ChangeSessionNotFoundError,
  SessionIdTakenError,
} from './errors.js';
import { flushLearnings, settleFlush } from './flush.js';
import {
  activeSessions,
  checkSessionId,
  endedSession,
  type Located,
  type LocateTools,
  locateSession,
  namedSession,
  planOfSession,
  projectAround,
  resolveSessionId,
  sessionEnded,
  sessionOfHere,
} from './locate.js';
import {
  type ChangeDetail,
  type ChangeSessionSummary,
  type ChangeSummary,
  listChangeSummaries,
  showChange,
  summarizeSessions,
} from './overview.js';
import { isSameSession, Projections } from './projection.js';
import { type ChangeRecovery, recoverSession } from './recover.js';
import { retireSession, stateOf } from './retire.js';
import type { ChangeState, Learning } from './schema.js';
import { nextStory, type Progress, progressOf, storyInScope, taskInScope } from './scope.js';
import { endState, newState } from './state.js';
import { ChangeStore, type HeldChange, type TrashedSession } from './store.js';

export interface ChangeSessionsOptions extends LockTools {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Where the search for the project starts. */
  readonly workingDirectory: string;
  /** The directories of the published copies, outermost first; all of them must be ours. */
  readonly temporaryDirectories: readonly string[];
  /** Called with the project in which a session was started. */
  readonly onStarted?: ((project: string) => void) | undefined;
}

/** Which session and story a command is about; whatever is left out is found automatically. */
export interface Scope {
  readonly sessionId?: string | undefined;
  readonly storyId?: string | undefined;
}

/** A session right after it was started. */
export interface StartedSession {
  readonly state: ChangeState;
  readonly stories: readonly Story[];
}

/** Everything an agent needs to know to work on its story. */
export interface StoryContext {
  readonly story: Story;
  readonly proposal: string;
  readonly design: string;
  readonly scenarios: readonly Scenario[];
  readonly learnings: readonly Learning[];
  readonly verify: { readonly checks: readonly string[]; readonly tests: string };
}

/** What is left of a story after one of its tasks was ticked or unticked. */
export interface CompletedTask {
  readonly taskId: string;
  readonly remaining: readonly string[];
  readonly isStoryComplete: boolean;
}

const MAX_TEXT_CHARACTERS = 64 * 1024;

/** Change sessions: one session at a time works through the stories of an OpenSpec change. */
export class ChangeSessions {
  readonly #store: ChangeStore;
  readonly #projections: Projections;
  readonly #options: ChangeSessionsOptions;
  readonly #locate: LocateTools;

  constructor(options: ChangeSessionsOptions) {
    this.#options = options;
    this.#store = new ChangeStore(options);
    this.#projections = new Projections(options, options.temporaryDirectories);
    const { fileSystem, workingDirectory } = options;
    this.#locate = { fileSystem, workingDirectory, store: this.#store, projections: this.#projections };
  }

  /**
   * Starts a session, which holds its change until it is flushed or released. Starting the same session again gets the
   * same reply. Throws CHANGE_NOT_FOUND, CHANGE_LOCKED, SESSION_ID_TAKEN, INVALID_SESSION_ID, INVALID_CHANGE_NAME.
   */
  async create(
    changeName: string,
    options: { sessionId?: string | undefined } = {},
  ): Promise<StartedSession> {
    const { fileSystem, ids, workingDirectory } = this.#options;
    const sessionId = options.sessionId ?? ids.uuid();
    checkSessionId(sessionId);
    const project = findProject(fileSystem, workingDirectory);
    const stories = this.#planToHold(project, changeName, sessionId).stories();
    using _project = await this.#store.holdProject(project);
    this.#assertIdIsFree(sessionId, project, changeName);
    this.#store.prepare(project, changeName);
    using hold = await this.#store.hold(project, changeName);
    const holder = hold.read();
    if (holder !== undefined && holder.sessionId !== sessionId)
      throw new ChangeLockedError(changeName, { sessionId: holder.sessionId, since: holder.createdAt });
    const state =
      holder ?? newState({ sessionId, changeName, project: project.root }, timestamp(this.#options.clock));
    if (holder === undefined) hold.create(state);
    this.#projections.write(state);
    if (holder === undefined) this.#options.onStarted?.(project.root);
    return { state, stories };
  }

  /** Takes the next story with work left to do into scope; null if everything is done. Throws NO_TASKS. */
  nextStory(scope: Scope = {}): Promise<Story | null> {
    return this.#change(scope, (state, plan) => {
      const story = nextStory(state.changeName, plan().stories());
      return { state: { ...state, currentStoryId: story?.id ?? null }, result: story };
    });
  }

  /** Everything about the story in scope. Throws STORY_REQUIRED, STORY_NOT_FOUND. */
  async context(scope: Scope = {}): Promise<StoryContext> {
    const { project, state, plan } = this.#look(scope);
    const story = storyInScope(state, plan.stories(), scope.storyId);
    return {
      story,
      proposal: plan.read('proposal.md') ?? '',
      design: plan.read('design.md') ?? '',
      scenarios: plan.scenarios(),
      learnings: state.learnings,
      verify: guessVerifyCommands(this.#options.fileSystem, project.root),
    };
  }

  /** The progress of the story in scope and of the change. */
  async progress(scope: Scope = {}): Promise<Progress> {
    const { state, plan } = this.#look(scope);
    const stories = plan.stories();
    const hasScope = scope.storyId !== undefined || state.currentStoryId !== null;
    return progressOf(stories, hasScope ? storyInScope(state, stories, scope.storyId) : undefined);
  }

  /** The stories of the change with their tasks, or only the named one, and which one is in scope. Throws STORY_NOT_FOUND. */
  async tasks(scope: Scope = {}): Promise<{ stories: readonly Story[]; currentStoryId: string | null }> {
    const { state, plan } = this.#look(scope);
    const all = plan.stories();
    const stories = scope.storyId === undefined ? all : [storyInScope(state, all, scope.storyId)];
    return { stories, currentStoryId: state.currentStoryId };
  }

  /** Ticks a task of the story in scope. Throws TASK_NOT_FOUND, SCOPE_ERROR, STORY_REQUIRED. */
  completeTask(taskId: string, scope: Scope = {}): Promise<CompletedTask> {
    return this.#tick(taskId, scope, true);
  }

  /** Unticks a task of the story in scope. Throws TASK_NOT_FOUND, SCOPE_ERROR, STORY_REQUIRED. */
  undoTask(taskId: string, scope: Scope = {}): Promise<CompletedTask> {
    return this.#tick(taskId, scope, false);
  }

  #tick(taskId: string, scope: Scope, isDone: boolean): Promise<CompletedTask> {
    return this.#change(scope, (state, plan) => {
      const choose = (there: readonly Story[]) =>
        taskInScope(state, there, storyInScope(state, there, scope.storyId), taskId);
      const story = storyInScope(state, plan().tick(choose, isDone), scope.storyId);
      const remaining = story.tasks.filter((task) => !task.isDone).map(({ id }) => id);
      const others = state.completedTasks.filter((id) => id !== taskId);
      const completedTasks = isDone ? [...others, taskId] : others;
      const result = { taskId, remaining, isStoryComplete: isComplete(story) };
      return { state: { ...state, completedTasks }, result };
    });
  }

  /** Keeps a learning until the flush. Throws INVALID_INPUT, TASK_NOT_FOUND, STORY_NOT_FOUND. */
  async learn(
    description: string,
    options: { taskId?: string | undefined } & Scope = {},
  ): Promise<{ learning: Learning; total: number }> {
    checkText('learning', description);
    return this.#change(options, (state, plan) => {
      const { taskId, storyId } = options;
      const stories = taskId === undefined && storyId === undefined ? [] : plan().stories();
      if (storyId !== undefined) storyInScope(state, stories, storyId);
      if (taskId !== undefined && !stories.some(({ tasks }) => tasks.some(({ id }) => id === taskId)))
        throw new TaskNotFoundError(taskId, state.changeName);
      const learning = {
        description,
        taskId: taskId ?? null,
        storyId: storyId ?? state.currentStoryId,
        timestamp: timestamp(this.#options.clock),
      };
      const learnings = [...state.learnings, learning];
      return { state: { ...state, learnings }, result: { learning, total: learnings.length } };
    });
  }

  /**
   * Writes what was learned into design.md, gives up the change and ends the session. Flushing again gets the same
   * reply. If the change was archived in the meantime, its archive gets the learnings. Throws SESSION_REQUIRED,
   * SESSION_NOT_FOUND, SESSION_ENDED (it was released), SESSION_ELSEWHERE, CHANGE_NOT_FOUND.
   */
  async flush(scope: Scope = {}): Promise<{ learningsWritten: number }> {
    const { sessionId } = scope;
    const active = sessionId === undefined ? undefined : sessionOfHere(this.#locate, sessionId);
    const before = sessionId === undefined || active !== undefined ? undefined : this.#finished(sessionId);
    if (before !== undefined) return { learningsWritten: before.learnings.length };
    const located = active ?? locateSession(this.#locate, sessionId);
    using hold = await this.#store.hold(located.project, located.state.changeName);
    // Another flush of this session may have been faster.
    const now = hold.read();
    const meanwhile = isHeld(now, located) ? undefined : this.#flushedBefore(located.state.sessionId);
    if (meanwhile !== undefined) return { learningsWritten: meanwhile.learnings.length };
    const { state, plan } = this.#begin(hold, located, now);
    const hasNews = state.learnings.length > state.flushedLearnings;
    const flushed = hasNews ? flushLearnings(plan(), state, (intent) => hold.write(intent)) : state;
    hold.end(endState(flushed, 'flush', { at: timestamp(this.#options.clock), reason: null }));
    this.#projections.remove(flushed);
    return { learningsWritten: flushed.learnings.length };
  }

  /**
   * Takes a change away from its session and keeps the session's state. Throws CHANGE_NOT_HELD, CHANGE_NOT_FOUND,
   * INVALID_INPUT.
   */
  async release(changeName: string, reason?: string): Promise<ChangeState> {
    if (reason !== undefined) checkText('reason', reason);
    const project = this.#project();
    if (!this.#store.claims(project).some((claim) => claim.changeName === changeName)) {
      findChange(this.#options.fileSystem, project, changeName);
      throw new ChangeNotHeldError(changeName);
    }
    using hold = await this.#store.hold(project, changeName);
    const state = hold.read();
    if (state === undefined) throw new ChangeNotHeldError(changeName);
    const released = endState(state, 'release', {
      at: timestamp(this.#options.clock),
      reason: reason ?? null,
    });
    hold.end(released);
    this.#projections.remove(released);
    return released;
  }

  /** Mends what a crash or a damaged disk left of a session, identified by its change or its id; see `recoverSession`. */
  recover(target: string): Promise<ChangeRecovery> {
    return recoverSession(this.#locate, this.#options, target);
  }

  /** The changes of the project with their progress and holders. */
  listChanges(options: { isAll?: boolean | undefined } = {}): ChangeSummary[] {
    return listChangeSummaries(this.#locate, this.#options, this.#project(), options);
  }

  /** One change with its stories, what was learned, and its earlier sessions. Throws CHANGE_NOT_FOUND. */
  showChange(changeName: string): ChangeDetail {
    return showChange(this.#locate, this.#options, this.#project(), changeName);
  }

  /**
   * Every session of the project around the working directory, and of every project that the temporary directory knows
   * about.
   */
  list(): ChangeSessionSummary[] {
    return summarizeSessions(this.#locate);
  }

  /**
   * The state of a session, active or ended; a change whose claim cannot be read stands in for its session. Throws
   * SESSION_NOT_FOUND, DOCUMENT_DAMAGED.
   */
  get(sessionId: string): ChangeState {
    return stateOf(this.#locate, sessionId);
  }

  /** Moves an ended session of this project to its trash; see `retireSession`. */
  remove(sessionId: string, options: { createdAt?: string | undefined } = {}): Promise<TrashEntry> {
    return retireSession(this.#locate, sessionId, options.createdAt);
  }

  /** What is in the trash of this project, oldest first. */
  trashed(): TrashedSession[] {
    const project = projectAround(this.#locate);
    return project === undefined ? [] : this.#store.trashed(project);
  }

  /** Puts a session from the trash back; false if one is already in its place. Throws STORAGE_FAILED. */
  restore(trashed: TrashedSession): boolean {
    return this.#store.restore(this.#project(), trashed);
  }

  /** Permanently removes what has been in this project's trash longer than this. Throws STORAGE_FAILED. */
  purgeTrash(olderThanMs: number): TrashedSession[] {
    const project = projectAround(this.#locate);
    return project === undefined ? [] : this.#store.purgeTrash(project, olderThanMs);
  }

  /** The full id for a prefix. Throws AMBIGUOUS_ID, INVALID_SESSION_ID. */
  resolve(prefix: string): string {
    return resolveSessionId(this.#locate, prefix);
  }

  /** Where the lock of an active session is, for those who want to inspect it or take it away. */
  lockPath(sessionId: string): string | undefined {
    const located = namedSession(this.#locate, sessionId);
    return located && this.#store.lockPath(located.project, located.state.changeName);
  }

  /** Changes the state under the lock, starting from what the files say then. */
  async #change<Result>(
    scope: Scope,
    act: (state: ChangeState, plan: () => ChangePlan) => { state: ChangeState; result: Result },
  ): Promise<Result> {
    const located = locateSession(this.#locate, scope.sessionId);
    using hold = await this.#store.hold(located.project, located.state.changeName);
    const { state, plan } = this.#begin(hold, located);
    const { state: changed, result } = act(state, plan);
    const written = { ...changed, project: located.project.root, updatedAt: timestamp(this.#options.clock) };
    hold.write(written);
    this.#projections.write(written);
    return result;
  }

  /** The state to start from, and the files of the change. Throws SESSION_ENDED, SESSION_NOT_FOUND. */
  #begin(
    hold: HeldChange,
    located: Located,
    state = hold.read(),
  ): { state: ChangeState; plan: () => ChangePlan } {
    const { project, state: found } = located;
    if (!isHeld(state, located)) throw this.#whyGone(found);
    let plan: ChangePlan | undefined;
    const open = () => {
      if (plan === undefined) {
        plan = planOfSession(this.#options, project, state);
        plan.sweep();
      }
      return plan;
    };
    return { state: settleFlush(state, () => open().read('design.md')), plan: open };
  }

  #whyGone(found: ChangeState): Error {
    const ended = endedSession(this.#locate, found.sessionId);
    return ended === undefined ? new ChangeSessionNotFoundError(found.sessionId) : sessionEnded(ended.state);
  }

  #flushedBefore(sessionId: string): ChangeState | undefined {
    return namedSession(this.#locate, sessionId) === undefined ? this.#finished(sessionId) : undefined;
  }

  /** The flushed session with this id; removes the copy that a crash may have left. */
  #finished(sessionId: string): ChangeState | undefined {
    const state = endedSession(this.#locate, sessionId)?.state;
    if (state?.status !== 'finished') return undefined;
    this.#projections.remove(state);
    return state;
  }

  #look(scope: Scope): Located & { plan: ChangePlan } {
    const located = locateSession(this.#locate, scope.sessionId);
    return { ...located, plan: planOfSession(this.#options, located.project, located.state) };
  }

  /** The change to hold; a session that already holds it continues even if it was archived in the meantime. */
  #planToHold(project: Project, changeName: string, sessionId: string): ChangePlan {
    const { fileSystem } = this.#options;
    const own = activeSessions(this.#locate, project).find((state) => state.sessionId === sessionId);
    if (own?.changeName === changeName) return planOfSession(this.#options, project, own);
    return new ChangePlan(this.#options, project, findChange(fileSystem, project, changeName));
  }

  #assertIdIsFree(sessionId: string, project: Project, changeName: string): void {
    const holder = namedSession(this.#locate, sessionId);
    if (holder === undefined) return;
    const { project: where, state } = holder;
    if (where.directory === project.directory && state.changeName === changeName) return;
    throw new SessionIdTakenError(sessionId, { changeName: state.changeName, project: where.root });
  }

  #project(): Project {
    return findProject(this.#options.fileSystem, this.#options.workingDirectory);
  }
}

function checkText(place: string, text: string): void {
  if (text.trim() === '') throw new InvalidInputError(`The ${place} is empty`, { place });
  if (text.length > MAX_TEXT_CHARACTERS)
    throw new InvalidInputError(`The ${place} has more than ${MAX_TEXT_CHARACTERS} characters`, { place });
}

function isHeld(state: ChangeState | undefined, located: Located): state is ChangeState {
  return state !== undefined && isSameSession(state, located.state);
}
