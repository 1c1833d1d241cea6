import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ChangeSessions } from '../sessions/change/sessions.js';
import { type SystemOptions, systemTools } from '../storage/index.js';

// The specification publishes commands and a file, but no operations: these names are ours.
export {
  ChangeLockedError,
  ChangeNotHeldError,
  ChangeSessionEndedError,
  ChangeSessionNotFoundError,
  SessionRequiredError,
} from '../sessions/change/errors.js';
export type { ChangeSessionStatus } from '../sessions/change/lifecycle.js';
export type { ChangeDetail, ChangeSummary } from '../sessions/change/overview.js';
export type { ChangeState, Learning } from '../sessions/change/schema.js';
export type { Progress } from '../sessions/change/scope.js';
export {
  ChangeSessions,
  type CompletedTask,
  type Scope,
  type StartedSession,
  type StoryContext,
} from '../sessions/change/sessions.js';

/** Where changes are, and where the published file of a session goes. */
export interface ChangeConfig {
  /** Where the search for the OpenSpec project begins. */
  readonly workingDirectory: string;
  /** Where to put `<id>.json`; `<os temp>/ralph/sessions` if absent. It and its parent directory must belong to us. */
  readonly temporaryDirectory?: string | undefined;
}

/** The change sessions of a project, whatever is configured elsewhere. */
export function openChangeSessions(
  { workingDirectory, temporaryDirectory = join(tmpdir(), 'ralph', 'sessions') }: ChangeConfig,
  options: SystemOptions = {},
): ChangeSessions {
  const tools = systemTools('holdfast/change', options);
  const temporaryDirectories = [dirname(temporaryDirectory), temporaryDirectory];
  return new ChangeSessions({ ...tools, workingDirectory, temporaryDirectories });
}
