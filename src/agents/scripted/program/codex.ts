import { type Actor, type Answer, answer, newId } from './actor.js';
import { CodexVoice, limitText } from './codex-voice.js';
import type { Conversation } from './conversation.js';
import { readLines } from './input.js';
import { readCodexServers } from './mcp-servers.js';

type Json = Record<string, unknown>;

/** Plays `codex app-server`: one live process with several threads, exchanging lines of JSON. */
export function playCodex(actor: Actor): void {
  new CodexServer(actor).listen();
}

interface Thread {
  readonly conversation: Conversation;
  readonly voice: CodexVoice;
}

interface Turn {
  readonly id: string;
  readonly controller: AbortController;
}

class CodexServer {
  #actor: Actor;
  readonly #threads = new Map<string, Thread>();
  #turn: Turn | null = null;
  #hasInputEnded = false;

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  /** Once its input ends there is nobody to work for, so it leaves, even in the middle of a turn. */
  listen(): void {
    const onEnd = () => {
      this.#hasInputEnded = true;
      this.#turn?.controller.abort();
      if (this.#turn === null) this.#actor.leave(0);
    };
    readLines(process.stdin, (line) => this.#receive(line), onEnd);
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    const { id, method, params, result } = JSON.parse(line) as Json;
    if (method === undefined) {
      for (const { voice } of this.#threads.values()) voice.takeAnswer(id, (result ?? {}) as Json);
    } else if (id !== undefined) void this.#respond(id, String(method), (params ?? {}) as Json);
  }

  async #respond(id: unknown, method: string, params: Json): Promise<void> {
    const { output } = this.#actor.stage;
    try {
      await output.json({ id, result: this.#obey(method, params) });
    } catch (error) {
      return await output.json({ id, error: { code: -32_600, message: (error as Error).message } });
    }
    if (method === 'turn/start') await this.#work(params);
  }

  #obey(method: string, params: Json): Json {
    switch (method) {
      case 'initialize':
        return { userAgent: `${nameIn(params)}/1.0.0 (scripted)`, platformFamily: 'unix' };
      case 'config/read':
        return { config: {}, origins: {} };
      case 'thread/start':
        return this.#openThread(this.#actor.conversations.begin(newId()), params);
      case 'thread/resume':
        return this.#openThread(this.#known(String(params.threadId)), params);
      case 'turn/start':
        return { turn: this.#beginTurn(params) };
      case 'turn/interrupt':
        this.#turn?.controller.abort();
        return {};
      case 'turn/steer':
        if (this.#turn?.id !== params.expectedTurnId) throw new Error('no active turn to steer');
        this.#actor.conversations.note({ steer: textOf(params.input) });
        return {};
      default:
        throw new Error(`Invalid request: unknown variant ${method}`);
    }
  }

  #known(id: string): Conversation {
    const { conversations } = this.#actor;
    if (!conversations.has(id)) throw new Error(`no rollout found for thread id ${id}`);
    return conversations.open(id);
  }

  #openThread(conversation: Conversation, params: Json): Json {
    const { stage, launch } = this.#actor;
    stage.questioner.servers = { ...launch.mcpServers, ...readCodexServers((params.config ?? {}) as Json) };
    const systemPrompt = (params.developerInstructions as string | undefined) ?? launch.systemPrompt;
    this.#actor = { ...this.#actor, launch: { ...launch, systemPrompt } };
    const model = (params.model as string | undefined) ?? launch.model;
    const voice = new CodexVoice(stage.output, conversation, params.experimentalRawEvents === true);
    this.#threads.set(conversation.id, { conversation, voice });
    if (params.threadId !== undefined) setTimeout(() => void voice.sayTotal(), 0);
    return { thread: { id: conversation.id, model, cliVersion: '1.0.0' }, model };
  }

  #beginTurn({ threadId }: Json): Json {
    if (!this.#threads.has(String(threadId))) throw new Error(`thread not found: ${String(threadId)}`);
    if (this.#turn !== null) throw new Error('a turn is in progress');
    this.#turn = { id: newId(), controller: new AbortController() };
    return { id: this.#turn.id, status: 'inProgress', items: [], error: null };
  }

  async #work(params: Json): Promise<void> {
    const thread = this.#threads.get(String(params.threadId));
    const turn = this.#turn;
    if (thread === undefined || turn === null) return;
    const { conversation, voice } = thread;
    voice.begin(turn.id, modeIn(params));
    await voice.notify('turn/started', { turn: { id: turn.id, status: 'inProgress', error: null } });
    const played = await answer(
      this.#actor,
      conversation,
      textOf(params.input),
      voice,
      turn.controller.signal,
    );
    await voice.sayUsage(played.usage);
    this.#turn = null;
    await this.#sayEnd(voice, turn, played);
    if (played.turn.exit !== null) this.#actor.leave(played.turn.exit);
    if (this.#hasInputEnded) this.#actor.leave(0);
  }

  async #sayEnd(voice: CodexVoice, { id }: Turn, played: Answer): Promise<void> {
    const error = problemOf(played);
    if (error !== null) await voice.notify('error', { error, willRetry: false });
    const isCancelled = played.outcome.end === 'cancelled';
    const status = isCancelled ? 'interrupted' : error === null ? 'completed' : 'failed';
    await voice.notify('turn/completed', { turn: { id, status, error, items: [] } });
  }
}

function problemOf({ outcome }: Answer): Json | null {
  switch (outcome.end) {
    case 'completed':
    case 'cancelled':
      return null;
    case 'failed':
      return problem(
        outcome.status === null ? outcome.message : `${outcome.message}, last status: ${outcome.status}`,
      );
    case 'rate-limited':
      return problem(limitText(outcome.resetsAt), 'usageLimitExceeded');
    case 'context-overflow':
      return problem(
        "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
        'contextWindowExceeded',
      );
    default:
      return problem(`the turn ended: ${outcome.end}`);
  }
}

function problem(message: string, codexErrorInfo = 'other'): Json {
  return { message, codexErrorInfo, additionalDetails: null };
}

/** The mode by Claude's name for it, as everywhere in this program. */
function modeIn({ approvalPolicy, sandboxPolicy }: Json): string {
  if (approvalPolicy === 'untrusted') return 'default';
  const { type } = (sandboxPolicy ?? {}) as { type?: string };
  if (type === 'dangerFullAccess') return 'bypassPermissions';
  return type === 'workspaceWrite' ? 'acceptEdits' : 'default';
}

function nameIn({ clientInfo }: Json): string {
  return (clientInfo as { name?: string } | undefined)?.name ?? 'unknown';
}

function textOf(input: unknown): string {
  return (input as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}
