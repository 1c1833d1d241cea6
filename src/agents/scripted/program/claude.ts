import { type Actor, answer, newId } from './actor.js';
import { initLine, resultLine } from './claude-lines.js';
import { ClaudeVoice } from './claude-voice.js';
import type { Conversation } from './conversation.js';
import { readLines } from './input.js';

type Json = Record<string, unknown>;

/** Plays Claude Code: stream-json in and out over one live process, with its control requests. */
export function playClaude(actor: Actor): void {
  const conversation = openConversation(actor);
  if (conversation !== null) new ClaudeSession(actor, conversation).listen();
}

function openConversation(actor: Actor): Conversation | null {
  const { launch, conversations } = actor;
  const { resume, sessionId, isFork } = launch;
  if (resume !== null && !conversations.has(resume)) {
    void refuseResume(actor, resume);
    return null;
  }
  if (resume !== null)
    return isFork ? conversations.fork(resume, sessionId ?? newId()) : conversations.open(resume);
  if (sessionId !== null && conversations.has(sessionId)) {
    process.stderr.write(`Error: Session ID ${sessionId} is already in use.\n`);
    actor.leave(1);
    return null;
  }
  return conversations.open(sessionId ?? newId());
}

async function refuseResume({ stage, leave }: Actor, id: string): Promise<void> {
  await stage.output.json({
    duration_ms: 0,
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    session_id: id,
    errors: [`No conversation found with session ID: ${id}`],
  });
  leave(1);
}

class ClaudeSession {
  readonly #actor: Actor;
  readonly #conversation: Conversation;
  readonly #voice: ClaudeVoice;
  readonly #waiting: string[] = [];
  #turn: AbortController | null = null;
  #hasInputEnded = false;
  #results = 0;

  constructor(actor: Actor, conversation: Conversation) {
    this.#actor = actor;
    this.#conversation = conversation;
    this.#voice = new ClaudeVoice(actor.stage.output, actor.launch, conversation.id);
  }

  listen(): void {
    const onEnd = () => {
      this.#hasInputEnded = true;
      if (this.#turn === null) this.#actor.leave(0);
    };
    readLines(process.stdin, (line) => this.#receive(line), onEnd);
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    const message = JSON.parse(line) as Json;
    if (message.type === 'control_request') this.#control(message);
    if (message.type === 'control_response') this.#voice.takeResponse(message.response as Json);
    if (message.type === 'user') this.#enqueue(textOf((message.message as Json).content));
  }

  #enqueue(prompt: string): void {
    this.#waiting.push(prompt);
    if (this.#turn === null) void this.#work();
  }

  #control({ request_id: id, request }: Json): void {
    const response = this.#obey(request as Json);
    const reply =
      response === null
        ? { subtype: 'error', request_id: id, error: 'Unsupported control request' }
        : { subtype: 'success', request_id: id, response };
    void this.#actor.stage.output.json({ type: 'control_response', response: reply });
  }

  #obey({ subtype, mode, model }: Json): Json | null {
    if (subtype === 'interrupt') this.#turn?.abort();
    if (subtype === 'set_permission_mode') this.#voice.permissionMode = String(mode);
    if (subtype === 'set_model') this.#voice.model = String(model);
    if (subtype === 'initialize') return { commands: [], models: [], output_style: 'default' };
    if (subtype === 'mcp_status') return { mcpServers: [] };
    if (subtype === 'get_context_usage') return this.#contextUsage();
    return ['interrupt', 'set_permission_mode', 'set_model'].includes(String(subtype)) ? {} : null;
  }

  /** Prompts that arrive during another one wait for their turn. */
  async #work(): Promise<void> {
    for (let prompt = this.#waiting.shift(); prompt !== undefined; prompt = this.#waiting.shift()) {
      this.#turn = new AbortController();
      const { output } = this.#actor.stage;
      await output.json(initLine(this.#actor, this.#conversation.id, this.#voice));
      const played = await answer(this.#actor, this.#conversation, prompt, this.#voice, this.#turn.signal);
      await this.#voice.sayOutcome(played.outcome);
      await output.json(resultLine(played, this.#conversation, this.#voice, this.#results++));
      this.#voice.denials = [];
      if (played.turn.exit !== null) process.exit(played.turn.exit);
    }
    this.#turn = null;
    if (this.#hasInputEnded) this.#actor.leave(0);
  }

  #contextUsage(): Json {
    const last = this.#conversation.messages.findLast(({ usage }) => usage !== undefined)?.usage;
    const used = last === undefined ? 0 : last.input + last.cacheRead + last.cacheWrite + last.output;
    const size = last?.window ?? 200_000;
    return {
      totalTokens: used,
      maxTokens: size,
      percentage: Math.round((100 * used) / size),
      categories: [],
    };
  }
}

/** A prompt is a string or a list of content blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n');
}
