import { Readable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { AcpVoice } from './acp-voice.js';
import { type Actor, type Answer, answer, newId } from './actor.js';
import type { Conversation } from './conversation.js';
import type { McpServers } from './mcp-servers.js';
import { piecesOf } from './output.js';

const MODES: acp.SessionMode[] = [
  { id: 'default', name: 'Default' },
  { id: 'acceptEdits', name: 'Accept edits' },
  { id: 'bypassPermissions', name: 'Bypass permissions' },
];

/** Plays an agent of the Agent Client Protocol, version 1, through the official library. */
export function playAcp(actor: Actor): void {
  const sessions = new AcpSessions(actor);
  const { methods } = acp;
  const app = acp
    .agent({ name: 'holdfast-scripted' })
    .onRequest(methods.agent.initialize, ({ params }) => sessions.initialize(params))
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, ({ params }) => sessions.create(params))
    .onRequest(methods.agent.session.load, ({ params, client }) => sessions.load(params, client))
    .onRequest(methods.agent.session.resume, ({ params }) => sessions.resume(params))
    .onRequest(methods.agent.session.list, () => sessions.list())
    .onRequest(methods.agent.session.close, ({ params }) => sessions.cancel(params.sessionId))
    .onRequest(methods.agent.session.setMode, ({ params }) => sessions.setMode(params))
    .onRequest(methods.agent.session.prompt, ({ params, client }) => sessions.prompt(params, client))
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.cancel(params.sessionId));
  const { output } = actor.stage;
  const writable = new WritableStream<Uint8Array>({ write: (chunk) => output.bytes(chunk) });
  const readable = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(acp.ndJsonStream(writable, readable));
  void connection.closed.then(() => actor.leave(0));
}

interface AcpSession {
  readonly conversation: Conversation;
  readonly workingDirectory: string;
  mode: string;
  turn: AbortController | null;
}

class AcpSessions {
  readonly #actor: Actor;
  readonly #sessions = new Map<string, AcpSession>();
  #showsNotices = false;

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  initialize({ clientCapabilities }: acp.InitializeRequest): acp.InitializeResponse {
    this.#showsNotices = clientCapabilities?.session?.notices != null;
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: 'holdfast-scripted', title: 'Scripted', version: '1.0.0' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        mcpCapabilities: {},
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    };
  }

  create({ cwd, mcpServers }: acp.NewSessionRequest): acp.NewSessionResponse {
    const id = newId();
    this.#open(this.#actor.conversations.begin(id), cwd, mcpServers);
    return { sessionId: id, modes: this.#modes(id) };
  }

  /** Replays everything said so far, then answers. */
  async load(request: acp.LoadSessionRequest, client: acp.AgentContext): Promise<acp.LoadSessionResponse> {
    const { sessionId } = request;
    const { messages } = this.#reopen(sessionId, request.cwd, request.mcpServers);
    for (const { role, text } of messages) {
      const sessionUpdate = role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
      for (const piece of piecesOf(text)) {
        const update = { sessionUpdate, content: { type: 'text', text: piece } } as acp.SessionUpdate;
        await client.notify(acp.methods.client.session.update, { sessionId, update });
      }
    }
    return { modes: this.#modes(sessionId) };
  }

  resume({ sessionId, cwd, mcpServers }: acp.ResumeSessionRequest): acp.ResumeSessionResponse {
    this.#reopen(sessionId, cwd, mcpServers ?? []);
    return { modes: this.#modes(sessionId) };
  }

  list(): acp.ListSessionsResponse {
    const sessions = [...this.#sessions].map(([sessionId, session]) => ({
      sessionId,
      cwd: session.workingDirectory,
    }));
    return { sessions };
  }

  setMode({ sessionId, modeId }: acp.SetSessionModeRequest): acp.SetSessionModeResponse {
    if (!MODES.some(({ id }) => id === modeId)) throw acp.RequestError.invalidParams({ modeId });
    this.#get(sessionId).mode = modeId;
    return {};
  }

  cancel(sessionId: string): void {
    this.#sessions.get(sessionId)?.turn?.abort();
  }

  async prompt(
    { sessionId, prompt }: acp.PromptRequest,
    client: acp.AgentContext,
  ): Promise<acp.PromptResponse> {
    const session = this.#get(sessionId);
    if (session.turn !== null)
      throw acp.RequestError.invalidRequest({ reason: 'a prompt is being answered' });
    session.turn = new AbortController();
    const voice = new AcpVoice(client, sessionId, () => session.mode, this.#showsNotices);
    const text = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
    try {
      const played = await answer(this.#actor, session.conversation, text, voice, session.turn.signal);
      await voice.sayUsage(played.usage, session.conversation.total.cost);
      await voice.sayOutcome(played.outcome);
      // The reply is sent after this function has returned.
      if (played.turn.exit !== null) setTimeout(() => process.exit(played.turn.exit ?? 0), 5);
      return responseTo(played);
    } finally {
      session.turn = null;
    }
  }

  #open(conversation: Conversation, cwd: string, servers: readonly acp.McpServer[]): void {
    this.#actor.stage.questioner.servers = { ...this.#actor.launch.mcpServers, ...stdioServers(servers) };
    const mode = this.#actor.launch.permissionMode;
    this.#sessions.set(conversation.id, { conversation, workingDirectory: cwd, mode, turn: null });
  }

  #reopen(id: string, cwd: string, servers: readonly acp.McpServer[]): Conversation {
    if (!this.#actor.conversations.has(id)) throw acp.RequestError.resourceNotFound(id);
    const conversation = this.#actor.conversations.open(id);
    this.#open(conversation, cwd, servers);
    return conversation;
  }

  #get(id: string): AcpSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw acp.RequestError.resourceNotFound(id);
    return session;
  }

  #modes(id: string): acp.SessionModeState {
    return { currentModeId: this.#get(id).mode, availableModes: MODES };
  }
}

const STOP_REASONS: Readonly<Record<string, acp.StopReason>> = {
  completed: 'end_turn',
  refused: 'refusal',
  'turn-limit': 'max_turn_requests',
  cancelled: 'cancelled',
};

/** `usage` is not in the stable protocol, but the agents we know send it. */
function responseTo({ outcome, usage }: Answer): acp.PromptResponse {
  if (outcome.end === 'failed') {
    const data = {
      errorKind: 'server_error',
      ...(outcome.status === null ? {} : { status: outcome.status }),
    };
    throw new acp.RequestError(-32603, `Internal error: ${outcome.message}`, data);
  }
  if (outcome.end === 'rate-limited') {
    const resetsAt = outcome.resetsAt === null ? {} : { resetsAt: outcome.resetsAt.toISOString() };
    throw new acp.RequestError(-32603, "Internal error: You've hit your limit", {
      errorKind: 'rate_limit',
      ...resetsAt,
    });
  }
  if (outcome.end === 'context-overflow') {
    throw new acp.RequestError(-32603, 'Internal error: Prompt is too long', {
      errorKind: 'invalid_request',
    });
  }
  const tokens = {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cachedReadTokens: usage.cacheRead,
    cachedWriteTokens: usage.cacheWrite,
    totalTokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
  };
  return { stopReason: STOP_REASONS[outcome.end] ?? 'end_turn', usage: tokens } as acp.PromptResponse;
}

function stdioServers(servers: readonly acp.McpServer[]): McpServers {
  const entries = servers.flatMap((server) =>
    'command' in server
      ? [
          [
            server.name,
            {
              command: server.command,
              args: server.args,
              env: Object.fromEntries(server.env.map(({ name, value }) => [name, value])),
            },
          ] as const,
        ]
      : [],
  );
  return Object.fromEntries(entries);
}
