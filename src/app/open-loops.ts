import type { LoopSessions } from '../sessions/loop/index.js';
import { type LibraryOptions, libraryServices } from './library-services.js';
import { openLoops } from './loops.js';

export interface OpenLoopsOptions extends Omit<LibraryOptions, 'home'> {
  /** The project; the working directory if absent. */
  readonly directory?: string | undefined;
}

/** Opens the loop of a project as the command line does. Throws CONFIG_INVALID. */
export function createLoopSessions(options: OpenLoopsOptions = {}): LoopSessions {
  return openLoops(libraryServices(options, options.directory));
}
