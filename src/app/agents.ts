import {
  type AgentConnection,
  type AgentDefinition,
  agentNamed,
  BUILT_IN_AGENTS,
  DEFAULT_ORDER,
  type DriverTools,
  type KeptReply,
  loadDriver,
  type McpServerSpec,
  type PermissionMode,
  type PermissionPolicy,
  type PermissionRequest,
  type ResumeHandle,
  readAgentFiles,
} from '../agents/index.js';
import { HoldfastError, messageOf } from '../foundation/index.js';
import { findProgram, ProgramNotStartedError, runProgram } from '../programs/index.js';
import { askPermission } from '../run/questions/ask-permission.js';
import type { Services } from './services.js';

/** No agent was named, and none of the usual ones is installed. */
class NoAgentError extends HoldfastError<'NO_AGENT'> {
  readonly code = 'NO_AGENT';

  constructor() {
    super(`None of ${DEFAULT_ORDER.join(', ')} is installed`, {
      hint: 'Install one, set `agent` in config.json, or try `--agent scripted`, which needs nothing.',
    });
  }
}

/** Every agent there is: the user's own, then the built-in ones that they do not replace. */
export function knownAgents(services: Services): AgentDefinition[] {
  const { config } = services;
  const own = Object.entries(config.agents).map(
    ([name, settings]): AgentDefinition => ({ name, ...settings, source: config.layout.configFile }),
  );
  const names = new Set(own.map((agent) => agent.name));
  return [...own, ...[...BUILT_IN_AGENTS, scriptedAgent(services)].filter((agent) => !names.has(agent.name))];
}

/** Where an agent's program is; undefined when it is not installed. */
export function locateAgent(services: Services, agent: AgentDefinition): string | undefined {
  const searchPath = agent.environment.PATH ?? services.environment.PATH;
  return findProgram(services.tools.fileSystem, agent.command, searchPath);
}

const VERSION_TIMEOUT_MS = 10_000;

/** What an agent's program says to `--version`; null when it says nothing in time. */
export async function agentVersion(services: Services, agent: AgentDefinition): Promise<string | null> {
  const spec = {
    command: agent.command,
    args: [...agent.args, '--version'],
    workingDirectory: services.config.roots.temporary,
    environment: { ...services.environment, ...agent.environment },
  };
  try {
    const { lines, exit } = await runProgram(driverTools(services), spec, VERSION_TIMEOUT_MS);
    return exit.code === 0 ? (lines.find((line) => line.trim() !== '')?.trim() ?? null) : null;
  } catch (error) {
    services.log.debug('agent.no-version', { agent: agent.name, error: messageOf(error) });
    return null;
  }
}

/**
 * The agent to use: the named one, the configured one, or the first that is installed. Throws AGENT_UNKNOWN, NO_AGENT.
 */
export function chooseAgent(services: Services, name: string | undefined): AgentDefinition {
  const wanted = name ?? services.config.get('agent');
  if (wanted === undefined) return firstInstalled(services, knownAgents(services));
  const agents = [...knownAgents(services), ...describedAgents(services)];
  const isThere = agents.some((agent) => agent.name === wanted);
  // It is described, but there is no agent that could be it.
  const file = agentFiles(services).find(({ name: described }) => described === wanted);
  if (!isThere && file !== undefined) throw new NoAgentError();
  const agent = agentNamed(agents, wanted);
  // Who wrote `tools: Read` there should know that it restricts nothing here.
  if (file !== undefined && agent.source === file.path && file.notTaken.length > 0)
    services.log.warn('agent.file-keys-ignored', { path: file.path, keys: file.notTaken });
  return agent;
}

/** The agent to use, when its program is there. Throws AGENT_UNKNOWN, NO_AGENT, PROGRAM_NOT_STARTED. */
export function chooseInstalledAgent(services: Services, name: string | undefined): AgentDefinition {
  const agent = chooseAgent(services, name);
  if (locateAgent(services, agent) === undefined)
    throw new ProgramNotStartedError(agent.command, Object.assign(new Error(), { code: 'ENOENT' }));
  return agent;
}

/**
 * The agents that Markdown files of the project and of the user describe: the usual agent with another prompt and
 * perhaps another model. None where there is no usual agent.
 */
export function describedAgents(services: Services): AgentDefinition[] {
  const { config } = services;
  const files = agentFiles(services);
  const agents = knownAgents(services);
  const usual =
    agents.find((agent) => agent.name === config.get('agent')) ??
    (files.length > 0 && installed(services, agents));
  if (!usual) return [];
  return files.map(({ name, model, systemPrompt, path }) => ({
    ...usual,
    name,
    model: model ?? usual.model,
    systemPrompt,
    source: path,
  }));
}

/** The names that Markdown files of the project and of the user give to agents. */
export function describedNames(services: Services): string[] {
  return agentFiles(services).map(({ name }) => name);
}

function agentFiles({ workingDirectory, config, tools }: Services): ReturnType<typeof readAgentFiles> {
  return readAgentFiles(tools.fileSystem, { project: workingDirectory, home: config.roots.home });
}

function firstInstalled(services: Services, agents: readonly AgentDefinition[]): AgentDefinition {
  const found = installed(services, agents);
  if (found === undefined) throw new NoAgentError();
  return found;
}

function installed(services: Services, agents: readonly AgentDefinition[]): AgentDefinition | undefined {
  return DEFAULT_ORDER.flatMap((name) => agents.filter((agent) => agent.name === name)).find(
    (agent) => locateAgent(services, agent) !== undefined,
  );
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
  /** What the agent is told to do: it needs no leave for that. */
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
 * Our own server, as the agent starts it. It must find the same files as we do, also behind an agent that has a home of its
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
