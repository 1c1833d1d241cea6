import { join } from 'node:path';
import type { AgentDefinition } from '../../agents/index.js';
import {
  type AgentLaunch,
  FileProcessStore,
  ProcessSessions,
  type ProcessSessionsOptions,
  type Workbench,
} from '../../sessions/process/index.js';
import type { SnapshotOptions } from '../../workspace/index.js';
import { openAgents, readReplies, type StartAgentOptions, startAgent } from '../agents/open-agents.js';
import { type LibraryOptions, libraryServices } from '../library-services.js';
import { builtOnce, type Services } from '../services.js';
import { projectDirectoryOf } from './open-loops.js';

/** The agent processes of this command, recorded where all commands see them. */
export function openProcesses(
  services: Services,
  {
    memory,
    isMeasured = true,
    ...options
  }: Pick<ProcessSessionsOptions, 'capacity' | 'spares' | 'launch'> &
    Pick<SnapshotOptions, 'memory'> & {
      /** Whether to measure what each exchange changes in the working directory. */
      readonly isMeasured?: boolean;
    } = {},
): ProcessSessions {
  const store = processStore(services);
  const workbench = isMeasured ? { ...workbenchOf(services), memory } : undefined;
  return new ProcessSessions({ ...services.tools, store, workbench, ...options });
}

/** The store of this user's process sessions, built once. */
export function processStore({ tools, config: { layout } }: Services): FileProcessStore {
  const places = { directory: layout.processes, trash: layout.processTrash };
  return builtOnce(tools, 'process store', () => new FileProcessStore(tools, places));
}

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
  /** How many processes are started in advance; default none. */
  readonly spares?: number | undefined;
}

/** Opens the process sessions that the command line uses. Throws CONFIG_INVALID, AGENT_UNKNOWN, NO_AGENT. */
export function createProcessSessions(options: OpenProcessesOptions = {}): ProcessSessions {
  const services = libraryServices(options, options.workingDirectory);
  const agent = openAgents(services).choose(options.agent);
  const { capacity, spares, model, permissions = 'edits' } = options;
  return openProcesses(services, {
    capacity,
    spares,
    launch: () => launchOf(services, agent, { permissions, model }),
  });
}

/** What measures changes in working directories. */
export function workbenchOf(services: Services): Workbench {
  const { environment, tools, programs, workingDirectory, config } = services;
  // In a git project a .gitignore excludes our own files; in plain directories they are excluded here.
  const leaveOut = [
    config.layout.loop,
    join(workingDirectory, '.holdfast'),
    join(projectDirectoryOf(services), 'openspec', '.holdfast'),
  ];
  return { ...tools, registry: programs, environment, leaveOut };
}

/** Options for starting an agent for a session. */
export type LaunchOptions = Pick<
  StartAgentOptions,
  'permissions' | 'model' | 'workingDirectory' | 'askerSession' | 'isAttended' | 'isTold' | 'signal'
>;

/** How an agent is started for a session; this must be the same when the session is continued. */
export function launchOf(services: Services, agent: AgentDefinition, options: LaunchOptions): AgentLaunch {
  return {
    agent: agent.name,
    launch: {
      driver: agent.driver,
      command: agent.command,
      args: [...agent.args],
      workingDirectory: options.workingDirectory ?? services.workingDirectory,
      env: Object.keys(agent.environment).sort(),
      permissions: options.permissions,
      model: options.model ?? agent.model ?? null,
      mcpServers: ['holdfast'],
    },
    start: ({ resume, outputPath, onOutput, signal }) =>
      startAgent(services, agent, {
        ...options,
        resume,
        logPath: outputPath,
        onOutput,
        signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]),
      }),
    reportsUsage: agent.driver !== 'line',
    readReplies: (conversationId, since) =>
      readReplies(services, agent, { ...options, conversationId, since }),
  };
}
