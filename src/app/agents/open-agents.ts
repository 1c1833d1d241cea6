import {
  AgentChoice,
  type AgentConnection,
  type AgentDefinition,
  type DriverTools,
  type KeptReply,
  loadDriver,
  type McpServerSpec,
  type PermissionMode,
  type PermissionPolicy,
  type PermissionRequest,
  type ResumeHandle,
} from '../../agents/index.js';
import { askPermission } from '../../run/questions/ask-permission.js';
import { builtOnce, type Services } from '../services.js';

/** The agents of this user, as seen from the working directory. */
export function openAgents(services: Services): AgentChoice {
  return builtOnce(services, 'agents', () => {
    const { config, environment, log, tools, workingDirectory } = services;
    return new AgentChoice({
      fileSystem: tools.fileSystem,
      log,
      environment,
      own: Object.entries(config.agents).map(([name, settings]) => ({
        name,
        ...settings,
        source: config.layout.configFile,
      })),
      scripted: scriptedAgent(services),
      usual: config.get('agent'),
      places: { project: workingDirectory, home: config.roots.home },
      versions: { tools: driverTools(services), directory: config.roots.temporary },
    });
  });
}

export interface StartAgentOptions {
  readonly permissions: PermissionMode;
  readonly workingDirectory?: string | undefined;
  readonly model?: string | undefined;
  readonly resume?: ResumeHandle | undefined;
  readonly onOutput?: ((stream: 'stdout' | 'stderr', chunk: Buffer) => void) | undefined;
  /** The file that gets its whole output. */
  readonly logPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The session that the agent works for, which tells its questions from those of others. */
  readonly askerSession?: string | undefined;
  /** A person is there: what the mode `edits` does not allow becomes a question instead of being denied. */
  readonly isAttended?: boolean | undefined;
  /** Whether we told the agent to do this: then it needs no permission. */
  readonly isTold?: ((request: PermissionRequest) => boolean) | undefined;
}

/** The replies in the agent's own transcript of a conversation; null if it has none that we can read. */
export async function readReplies(
  services: Services,
  agent: AgentDefinition,
  options: Pick<StartAgentOptions, 'workingDirectory'> & {
    readonly conversationId: string;
    readonly since: Date;
  },
): Promise<readonly KeptReply[] | null> {
  const driver = await loadDriver(agent);
  const place = {
    command: agent.command,
    args: agent.args,
    workingDirectory: options.workingDirectory ?? services.workingDirectory,
    environment: { ...services.environment, ...agent.environment },
    conversationId: options.conversationId,
  };
  return (await driver.readReplies?.(driverTools(services), place, options.since)) ?? null;
}

/** Starts an agent along with `holdfast mcp`; orphans of dead supervisors are ended first. */
export async function startAgent(
  services: Services,
  agent: AgentDefinition,
  options: StartAgentOptions,
): Promise<AgentConnection> {
  services.programs.endOrphans();
  const driver = await loadDriver(agent);
  const workingDirectory = options.workingDirectory ?? services.workingDirectory;
  return driver.start(driverTools(services), {
    name: agent.name,
    command: agent.command,
    args: agent.args,
    workingDirectory,
    environment: { ...services.environment, ...agent.environment },
    model: options.model ?? agent.model,
    systemPrompt: agent.systemPrompt,
    permissions: {
      mode: options.permissions,
      isTold: options.isTold,
      ground: {
        fileSystem: services.tools.fileSystem,
        workingDirectory,
        ownDirectories: ownDirectories(services),
      },
      ...(options.permissions === 'ask' || options.isAttended === true
        ? { ask: asker(services, agent, { ...options, workingDirectory }) }
        : {}),
    },
    mcpServers: [holdfastServer(services, agent, options.askerSession)],
    resume: options.resume,
    onOutput: options.onOutput,
    logPath: options.logPath,
    signal: options.signal,
  });
}

function asker(
  services: Services,
  agent: AgentDefinition,
  { askerSession, workingDirectory }: StartAgentOptions,
): NonNullable<PermissionPolicy['ask']> {
  return (request, signal) =>
    askPermission(services, agent, request, { signal, askerSession, workingDirectory });
}

/** Our own directories, wherever they are: no agent edits them without a person's permission. */
function ownDirectories({ config }: Services): string[] {
  const { roots, layout } = config;
  return [
    roots.config,
    roots.data,
    roots.state,
    layout.questions,
    layout.conversations,
    layout.loop,
    layout.changes,
  ];
}

/** What drivers need from their surroundings. */
export function driverTools(services: Services): DriverTools {
  const { fileSystem, ids } = services.tools;
  return { fileSystem, ids, clock: services.clock, log: services.log, registry: services.programs };
}

/** The variables that decide where our files are. */
export const PLACES = ['HOLDFAST_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'];

/**
 * Our own server, as the agent starts it. It must find the same files as we do, even if the agent has a home of its
 * own or gives servers hardly any environment, as Codex does.
 */
function holdfastServer(
  services: Services,
  agent: AgentDefinition,
  askerSession: string | undefined,
): McpServerSpec {
  const places = PLACES.flatMap((name) => {
    const value = services.environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    name: 'holdfast',
    command: services.self.command,
    args: [...services.self.args, 'mcp'],
    environment: {
      ...Object.fromEntries(places),
      // The name that people use; the agent may call its MCP client something else.
      HOLDFAST_ASKER_AGENT: agent.name,
      ...(askerSession === undefined ? {} : { HOLDFAST_ASKER_SESSION: askerSession }),
    },
  };
}

/** Our own agent program, which plays a script: for the demo, for tests, for trying things out. */
function scriptedAgent(services: Services): AgentDefinition {
  const [entry] = services.self.args;
  const program = entry === undefined ? 'scripted.cjs' : entry.replace(/cli\/[^/]+$/, 'agents/scripted.cjs');
  return {
    name: 'scripted',
    driver: 'acp',
    command: process.execPath,
    args: [program, '--protocol', 'acp', '--state', services.config.layout.scripted],
    environment: {},
    source: 'built in',
  };
}
