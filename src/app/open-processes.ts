import type { Logger } from '../foundation/index.js';
import type { ProcessSessions } from '../sessions/process/index.js';
import { chooseAgent } from './agents.js';
import { processEnvironment } from './config.js';
import { launchOf, openProcesses } from './processes.js';
import { createServices } from './services.js';

export interface OpenProcessesOptions {
  /** Where Holdfast keeps its files; the platform's directories, or HOLDFAST_HOME, if absent. */
  readonly home?: string | undefined;
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
  /** What owner records say you are doing; the name of your program. */
  readonly command?: string | undefined;
  readonly log?: Logger | undefined;
}

/** Opens the process sessions that the command line uses. Throws CONFIG_INVALID, AGENT_UNKNOWN, NO_AGENT. */
export function createProcessSessions(options: OpenProcessesOptions = {}): ProcessSessions {
  const environment = processEnvironment();
  const services = createServices({
    environment: options.home === undefined ? environment : { ...environment, HOLDFAST_HOME: options.home },
    workingDirectory: options.workingDirectory ?? process.cwd(),
    command: options.command ?? 'holdfast library',
    log: options.log,
  });
  const agent = chooseAgent(services, options.agent);
  const { capacity, spares, model, permissions = 'edits' } = options;
  return openProcesses(services, {
    capacity,
    spares,
    launch: () => launchOf(services, agent, { permissions, model }),
  });
}
