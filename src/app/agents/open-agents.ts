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

/** The agents of this user, as they are known from the working directory. */
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
  /** Where its whole output goes. */
  readonly logPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The session that the agent works for, so that its questions can be told from those of others. */
  readonly askerSession?: string | undefined;
  /** A person is there: what the mode `edits` does not allow becomes a question, instead of being denied. */
  readonly isAttended?: boolean | undefined;
  /** What the agent is told to do: it needs no permission for that. */
  readonly isTold?: ((request: PermissionRequest) => boolean) | undefined;
}

/** What the agent's own transcript of a conversation says; null where it has none that we know how to read. */
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

/** Starts an agent with `holdfast mcp` at its side; orphans of dead supervisors are ended first. */
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

/** What we keep, wherever that is: no agent edits it without a person. */
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

/** Where our files are depends on these. */
export const PLACES = ['HOLDFAST_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'];

/**
 * Our own server, as the agent starts it. It must find the same files as we do, even behind an agent that has a home of its
 * own, or that gives servers hardly any environment, as Codex does.
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
      // As people call it; what the agent calls its MCP client is another thing.
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
