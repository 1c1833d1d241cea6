import { dirname } from 'node:path';
import { ChangeSessions } from '../../sessions/change/index.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';
import { builtOnce, type Services } from '../services.js';
import { remembering } from './remembering.js';

/** The change sessions of the project around the working directory. Only the commands that need them build them. */
export function openChanges(services: Services): ChangeSessions {
  return builtOnce(services, 'changes', () => buildChanges(services));
}

function buildChanges(services: Services): ChangeSessions {
  const { config, tools, workingDirectory } = services;
  const published = config.layout.changes;
  // `<os temp>/ralph` is ours too; the parent of a directory that the user chose is not.
  const isMoved = config.get('change.tempDir') !== undefined;
  const temporaryDirectories = isMoved ? [published] : [dirname(published), published];
  const onStarted = remembering(services);
  return new ChangeSessions({ ...tools, workingDirectory, temporaryDirectories, onStarted });
}

export interface OpenChangesOptions extends LibraryOptions {
  /** Where the search for the project begins; the working directory if absent. */
  readonly workingDirectory?: string | undefined;
}

/** Opens the change sessions that the command line and `ralphtool` use. Throws CONFIG_INVALID. */
export function createChangeSessions(options: OpenChangesOptions = {}): ChangeSessions {
  return openChanges(libraryServices(options, options.workingDirectory));
}

/** The session and story named in the environment; an empty variable counts as unset. */
export function environmentScope(services: Services): {
  sessionId: string | undefined;
  storyId: string | undefined;
} {
  const { RALPH_SESSION, RALPH_STORY } = services.environment;
  return { sessionId: RALPH_SESSION || undefined, storyId: RALPH_STORY || undefined };
}
