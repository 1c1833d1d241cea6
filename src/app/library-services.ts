import type { Logger } from '../foundation/index.js';
import { processEnvironment } from './config.js';
import { createServices, type SelfCommand, type Services } from './services.js';

/** What a program that uses the library may specify. */
export interface LibraryOptions {
  /** Where Holdfast keeps its files; the platform's directories, or HOLDFAST_HOME, if absent. */
  readonly home?: string | undefined;
  /** What owner records say is running: the name of your program. */
  readonly command?: string | undefined;
  readonly log?: Logger | undefined;
}

/** The services for a program other than our command line. Throws CONFIG_INVALID. */
export function libraryServices(
  options: LibraryOptions,
  workingDirectory = process.cwd(),
  self?: SelfCommand,
): Services {
  const environment = processEnvironment();
  return createServices({
    environment: options.home === undefined ? environment : { ...environment, HOLDFAST_HOME: options.home },
    workingDirectory,
    command: options.command ?? 'holdfast library',
    self,
    log: options.log,
  });
}
