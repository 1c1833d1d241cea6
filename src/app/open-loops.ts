import type { Logger } from '../foundation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';
import { processEnvironment } from './config.js';
import { openLoops } from './loops.js';
import { createServices } from './services.js';

export interface OpenLoopsOptions {
  /** The project; the working directory if absent. */
  readonly directory?: string | undefined;
  /** What owner records say you are doing; the name of your program. */
  readonly command?: string | undefined;
  readonly log?: Logger | undefined;
}

/** Opens the loop of a project as the command line does. Throws CONFIG_INVALID. */
export function createLoopSessions(options: OpenLoopsOptions = {}): LoopSessions {
  const services = createServices({
    environment: processEnvironment(),
    workingDirectory: options.directory ?? process.cwd(),
    command: options.command ?? 'holdfast library',
    log: options.log,
  });
  return openLoops(services);
}
