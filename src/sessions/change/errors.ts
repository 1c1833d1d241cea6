import { HoldfastError, shellWord, visibleExcerpt } from '../../foundation/index.js';

const INIT = '`ralphtool agent session init --change <name>`';
const INIT_FOR_PEOPLE = '`holdfast change init <change>`';

/** A name as it is typed after a command. */
function commandWord(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : shellWord(name);
}

/** No session was named, and none could be found automatically. */
export class SessionRequiredError extends HoldfastError<'SESSION_REQUIRED'> {
  readonly code = 'SESSION_REQUIRED';
  readonly candidates: readonly string[];

  /** `gone`: changes that sessions hold but that no longer exist. */
  constructor(reason: string, candidates: readonly string[] = [], gone: readonly string[] = []) {
    const releases = gone.map((changeName) => `holdfast change release ${commandWord(changeName)}`);
    super(
      `This command needs a session: RALPH_SESSION is not set, and ${reason}`,
      candidates.length > 0
        ? { hint: 'Say which one with --session <id>, or set RALPH_SESSION.' }
        : releases.length > 0
          ? {
              hint: `End a session whose change is gone with: ${releases.join('; ')}. Start another one with ${INIT}.`,
            }
          : {
              hint: `Sessions are managed by the orchestrator: let it start one with ${INIT}, and pass the id on in RALPH_SESSION or with --session <id>.`,
              hintForPeople: `Start one with ${INIT_FOR_PEOPLE}; \`holdfast change list\` shows the changes of the project.`,
            },
    );
    this.candidates = candidates;
  }
}

/** No story is in scope. */
export class StoryRequiredError extends HoldfastError<'STORY_REQUIRED'> {
  readonly code = 'STORY_REQUIRED';

  constructor(sessionId: string) {
    super(`This command needs a story, and session ${sessionId} has none in scope`, {
      hint: 'Take the next one with `ralphtool agent session next-story`, or name one with --story <id> or RALPH_STORY.',
      hintForPeople: 'Take the next one with `holdfast change next-story`, or name one with --story <id>.',
    });
  }
}

/** No active session here has this id. */
export class ChangeSessionNotFoundError extends HoldfastError<'SESSION_NOT_FOUND'> {
  readonly code = 'SESSION_NOT_FOUND';

  constructor(sessionId: string) {
    super(`Session not found: ${visibleExcerpt(sessionId, 80)}`, {
      hint: `\`holdfast change list\` shows the sessions of the project; start one with ${INIT}.`,
      hintForPeople: `\`holdfast change list\` shows the sessions of the project; start one with ${INIT_FOR_PEOPLE}.`,
    });
  }
}

/** The id is not valid for any session; no path was built from it. */
export class InvalidChangeSessionIdError extends HoldfastError<'INVALID_SESSION_ID'> {
  readonly code = 'INVALID_SESSION_ID';

  constructor(sessionId: string, isReserved: boolean) {
    super(`Invalid session id: ${visibleExcerpt(sessionId, 80)}`, {
      hint: isReserved
        ? 'Some systems keep this name for a device (con, prn, aux, nul, com1, lpt1 …). Take another one, such as my-session.'
        : 'An id has 1 to 64 letters, digits, dots, dashes and underscores, and starts with a letter or digit.',
    });
  }
}

/** The session works on a change of a different project from the one around the working directory. */
export class SessionElsewhereError extends HoldfastError<'SESSION_ELSEWHERE'> {
  readonly code = 'SESSION_ELSEWHERE';
  /** The root of the project that the session belongs to. */
  readonly project: string;

  constructor(sessionId: string, changeName: string, roots: { there: string; here: string }) {
    const [there, here] = [visibleExcerpt(roots.there, 200), visibleExcerpt(roots.here, 200)];
    super(
      `Session ${sessionId} works on change '${visibleExcerpt(changeName, 80)}' in ${there}, but this is ${here}`,
      {
        hint:
          `Run the command in ${there}, or work here with a session of this project: ` +
          'unset RALPH_SESSION, or name one with --session <id>.',
      },
    );
    this.project = roots.there;
  }
}

/** The change of a session is neither in its place nor in the archive. */
export class ChangeGoneError extends HoldfastError<'CHANGE_NOT_FOUND'> {
  readonly code = 'CHANGE_NOT_FOUND';

  constructor(state: { sessionId: string; changeName: string; endedAt: string | null }, unflushed: number) {
    const { sessionId, changeName } = state;
    const kept =
      unflushed === 0 ? '' : ` What it learned (${unflushed}) is kept: holdfast sessions show ${sessionId}.`;
    super(
      `Change '${visibleExcerpt(changeName, 80)}' of session ${sessionId} is gone: there is neither ` +
        `openspec/changes/${changeName} nor an archive of it`,
      {
        hint:
          state.endedAt === null
            ? `End the session with: holdfast change release ${commandWord(changeName)}.${kept}`
            : `Bring the directory back, and run the command again.${kept}`,
      },
    );
  }
}

/** The session has ended: it was flushed, or someone released its change. */
export class ChangeSessionEndedError extends HoldfastError<'SESSION_ENDED'> {
  readonly code = 'SESSION_ENDED';

  constructor(sessionId: string, ended: { status: string; at: string; reason: string | null }) {
    const reason = ended.reason === null ? '' : `: ${visibleExcerpt(ended.reason, 200)}`;
    super(`Session ${sessionId} is over: it was ${ended.status} at ${ended.at}${reason}`, {
      hint: `Nothing was changed. Start another one with ${INIT}.`,
      hintForPeople: `Nothing was changed. Start another one with ${INIT_FOR_PEOPLE}.`,
    });
  }
}

/** Another session holds the change. */
export class ChangeLockedError extends HoldfastError<'CHANGE_LOCKED'> {
  readonly code = 'CHANGE_LOCKED';
  readonly sessionId: string;
  readonly since: string;

  constructor(changeName: string, holder: { sessionId: string; since: string }) {
    super(`Change '${changeName}' is locked by session ${holder.sessionId} since ${holder.since}`, {
      hint:
        `Wait until that session is flushed, or continue as that session (--session ${holder.sessionId}). If nobody ` +
        `is working on it: holdfast change release ${commandWord(changeName)}`,
    });
    this.sessionId = holder.sessionId;
    this.since = holder.since;
  }
}

/** The id belongs to a session of another change. */
export class SessionIdTakenError extends HoldfastError<'SESSION_ID_TAKEN'> {
  readonly code = 'SESSION_ID_TAKEN';

  constructor(sessionId: string, holder: { changeName: string; project: string }) {
    const change = visibleExcerpt(holder.changeName, 80);
    super(
      `Session ${sessionId} is already working on change '${change}' in ${visibleExcerpt(holder.project, 200)}`,
      { hint: 'Flush that session first, or use another id (RALPH_SESSION, --session).' },
    );
  }
}

/** The task does not belong to the story in scope. */
export class TaskOutOfScopeError extends HoldfastError<'SCOPE_ERROR'> {
  readonly code = 'SCOPE_ERROR';

  constructor(taskId: string, storyId: string) {
    super(`Task '${taskId}' is not in scope: it does not belong to story ${visibleExcerpt(storyId, 80)}`, {
      hint: 'It can be ticked and unticked only in its own story: --story <id>.',
    });
  }
}

/** The change has no tasks, so it is impossible to say whether it is complete. */
export class NoTasksError extends HoldfastError<'NO_TASKS'> {
  readonly code = 'NO_TASKS';

  constructor(changeName: string) {
    super(`Change '${changeName}' has no tasks: its tasks.md is missing or contains no checkbox`, {
      hint: 'Write its tasks.md first; a change without tasks is not complete.',
    });
  }
}

/** No session holds the change, so there is nothing to give up. */
export class ChangeNotHeldError extends HoldfastError<'CHANGE_NOT_HELD'> {
  readonly code = 'CHANGE_NOT_HELD';

  constructor(changeName: string) {
    super(`Change '${changeName}' is not held by any session`, {
      hint: 'Nothing was changed; `holdfast change list` shows which changes are held.',
    });
  }
}
