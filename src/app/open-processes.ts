import type { ProcessSessions } from '../sessions/process/index.js';
import { chooseAgent } from './agents.js';
import { type LibraryOptions, libraryServices } from './library-services.js';
import { launchOf, openProcesses } from './processes.js';

export interface OpenProcessesOptions extends LibraryOptions {
  /** Where the agent works; the current directory if absent. */
  readonly workingDirectory?: string | undefined;
  /** Which agent; the configured one, or the first that is installed, if absent. */
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** Default `edits`. */
  readonly permissions?: 'edits' | 'ask' | 'bypass' | undefined;
  /** How many processes may run at the same time; default 5. */
  readonly capacity?: number | undefined;
  /** How many processes are started ahead; default none. */
  readonly spares?: number | undefined;
}

/** Opens the process sessions that the command line uses. Throws CONFIG_INVALID, AGENT_UNKNOWN, NO_AGENT. */
export function createProcessSessions(options: OpenProcessesOptions = {}): ProcessSessions {
  const services = libraryServices(options, options.workingDirectory);
  const agent = chooseAgent(services, options.agent);
  const { capacity, spares, model, permissions = 'edits' } = options;
  return openProcesses(services, {
    capacity,
    spares,
    launch: () => launchOf(services, agent, { permissions, model }),
  });
}
