import type { Clock } from '../../foundation/index.js';
import type { StartOptions } from '../driver.js';
import { AgentNotStartedError } from '../errors.js';
import { LATE, within } from '../time-limit.js';
import { type AnsweredError, isAnsweredError } from './outcome.js';
import type { Peer } from './peer.js';
import type { AcpPreset } from './presets.js';
import { Initialized, OpenedSession } from './schema.js';
import { chooseMode, chooseModel, modelOf } from './session-settings.js';

/** How long an agent may take for one step of the start: the slowest took 4 s, but MCP servers can take longer. */
const STEP_LIMIT_MS = 60_000;
const PROTOCOL_VERSION = 1;
const AUTHENTICATION_REQUIRED = -32_000;

export interface Handshake {
  readonly clock: Clock;
  readonly peer: Peer;
  readonly preset: AcpPreset;
  readonly options: StartOptions;
  readonly hasPerson: boolean;
  /** What the agent wrote to stderr, in case it says nothing else. */
  readonly stderr: () => string;
}

/** A session that takes prompts. */
export interface AcpSession {
  readonly id: string;
  readonly canResume: boolean;
  readonly canClose: boolean;
  readonly isLoaded: boolean;
  /** Sent ahead of the first prompt if the agent takes no system prompt from us. */
  readonly preamble: string | null;
  readonly version: string | null;
  readonly model: string | null;
}

/** Greets the agent and opens a session, new or resumed. Throws AGENT_NOT_STARTED, and errors of the connection. */
export async function openSession(handshake: Handshake): Promise<AcpSession> {
  const agent = await initialize(handshake);
  const way = wayToOpen(handshake, agent);
  const answer = await openAuthenticated(handshake, agent, way);
  const opened = OpenedSession.safeParse(answer ?? {});
  const id = way.sessionId ?? opened.data?.sessionId;
  if (opened.data === undefined || id === undefined) throw refuse(handshake, 'it opened no session');
  const send = (method: string, params: object) => ask(handshake, method, { sessionId: id, ...params });
  const { options, preset } = handshake;
  await chooseMode(send, opened.data, preset.modes[options.permissions.mode]);
  const needsModel = options.model !== undefined && preset.modelArgument === null;
  const isChosen = !needsModel || (await chooseModel(send, opened.data, options.model ?? ''));
  if (!isChosen) throw refuse(handshake, `it offers no way to choose the model ${options.model}`);
  return {
    id,
    canResume: resumeMethod(agent) !== undefined,
    canClose: agent.agentCapabilities?.sessionCapabilities?.close !== undefined,
    isLoaded: way.method === 'session/load',
    preamble: way.takesSystemPrompt || way.sessionId !== undefined ? null : (options.systemPrompt ?? null),
    version: agent.agentInfo?.version ?? null,
    model: options.model ?? modelOf(opened.data),
  };
}

async function initialize(handshake: Handshake): Promise<Initialized> {
  const answer = await ask(handshake, 'initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {
      // Agents access files themselves; Gemini cannot even create one through ours.
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...(handshake.hasPerson ? { elicitation: { form: {} } } : {}),
    },
    clientInfo: { name: 'holdfast', title: 'Holdfast', version: '1' },
  });
  const agent = Initialized.safeParse(answer);
  if (!agent.success) throw refuse(handshake, 'it does not speak the Agent Client Protocol');
  const { protocolVersion } = agent.data;
  if (protocolVersion !== undefined && protocolVersion !== PROTOCOL_VERSION) {
    throw refuse(
      handshake,
      `it speaks version ${protocolVersion} of the protocol, we speak ${PROTOCOL_VERSION}`,
    );
  }
  return agent.data;
}

interface WayToOpen {
  readonly method: string;
  readonly params: object;
  /** Known in advance if the session is resumed. */
  readonly sessionId: string | undefined;
  readonly takesSystemPrompt: boolean;
}

function wayToOpen(handshake: Handshake, agent: Initialized): WayToOpen {
  const { options } = handshake;
  const sessionId = options.resume?.id;
  const method = sessionId === undefined ? 'session/new' : resumeMethod(agent);
  if (method === undefined) throw refuse(handshake, 'it cannot resume a session');
  if (options.resume !== undefined && options.resume.driver !== 'acp') {
    throw refuse(handshake, `the session belongs to the driver ${options.resume.driver}`);
  }
  const takesSystemPrompt = agent.agentCapabilities?.sessionCapabilities?.systemPrompt !== undefined;
  const params = {
    ...(sessionId === undefined ? {} : { sessionId }),
    cwd: options.workingDirectory,
    mcpServers: options.mcpServers.map(({ name, command, args, environment }) => ({
      name,
      command,
      args: [...args],
      env: Object.entries(environment).map(([variable, value]) => ({ name: variable, value })),
    })),
    ...(takesSystemPrompt && options.systemPrompt !== undefined
      ? { systemPrompt: { mode: 'append', content: [{ type: 'text', text: options.systemPrompt }] } }
      : {}),
  };
  return { method, params, sessionId, takesSystemPrompt };
}

/** The method without replay if the agent has one, otherwise the one with it. */
function resumeMethod(agent: Initialized): string | undefined {
  const announced = agent.agentCapabilities;
  if (announced?.sessionCapabilities?.resume !== undefined) return 'session/resume';
  return announced?.loadSession === true ? 'session/load' : undefined;
}

/** Opens the session. If the agent wants us to authenticate first, does so, provided that it takes no person. */
async function openAuthenticated(handshake: Handshake, agent: Initialized, way: WayToOpen): Promise<unknown> {
  const open = () => handshake.peer.request(way.method, way.params);
  try {
    return await inTime(handshake, way.method, open());
  } catch (error) {
    if (!isAnsweredError(error)) throw error;
    if (error.code !== AUTHENTICATION_REQUIRED) throw refuse(handshake, describeAnsweredError(error), error);
    const known = handshake.preset.authentication.find(
      ({ methodId, variable }) =>
        handshake.options.environment[variable] && agent.authMethods?.some(({ id }) => id === methodId),
    );
    if (known === undefined) throw refuse(handshake, describeLogin(error, agent), error);
    await ask(handshake, 'authenticate', { methodId: known.methodId });
    return await ask(handshake, way.method, way.params);
  }
}

async function ask(handshake: Handshake, method: string, params: object): Promise<unknown> {
  try {
    return await inTime(handshake, method, handshake.peer.request(method, params));
  } catch (error) {
    if (!isAnsweredError(error)) throw error;
    throw refuse(handshake, `${method}: ${describeAnsweredError(error)}`, error);
  }
}

async function inTime(handshake: Handshake, method: string, answer: Promise<unknown>): Promise<unknown> {
  const result = await within(handshake.clock, STEP_LIMIT_MS, answer);
  if (result !== LATE) return result;
  const reason = `no answer to ${method} in ${STEP_LIMIT_MS / 1_000} s`;
  throw new AgentNotStartedError(nameOf(handshake), reason, { output: handshake.stderr() });
}

function refuse(handshake: Handshake, reason: string, cause?: unknown): AgentNotStartedError {
  return new AgentNotStartedError(nameOf(handshake), reason, cause === undefined ? {} : { cause });
}

function nameOf({ options, preset }: Handshake): string {
  return options.name ?? preset.name;
}

/** In the agent's own words, with the details it adds. */
function describeAnsweredError({ message, data }: AnsweredError): string {
  return data === undefined || data === null ? message : `${message} (${JSON.stringify(data)})`;
}

function describeLogin(error: AnsweredError, agent: Initialized): string {
  const ways = (agent.authMethods ?? []).map(({ id, name, description }) => description ?? name ?? id);
  return ways.length === 0
    ? describeAnsweredError(error)
    : `${describeAnsweredError(error)}; it offers: ${ways.join('; ')}`;
}
