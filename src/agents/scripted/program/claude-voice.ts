import { newId } from './actor.js';
import { NO_USE, type TurnUsage } from './conversation.js';
import type { Launch } from './launch.js';
import { limitText } from './limit-text.js';
import { type Output, piecesOf } from './output.js';
import type { StepValue } from './script.js';
import {
  isFree,
  type Tool,
  type ToolOutcome,
  type ToolUse,
  type TurnOutcome,
  toolName,
  type Voice,
} from './voice.js';

type Json = Record<string, unknown>;

/** How Claude Code speaks: one line for each block of a message. */
export class ClaudeVoice implements Voice {
  permissionMode: string;
  model: string;
  denials: Json[] = [];
  readonly #output: Output;
  readonly #launch: Launch;
  readonly #sessionId: string;
  /** The reply that carries the usage of the turn. */
  #payer: { readonly id: string; readonly usage: TurnUsage } | undefined;
  #usage = NO_USE;
  readonly #questions = new Map<string, (response: Json) => void>();

  constructor(output: Output, launch: Launch, sessionId: string) {
    this.#output = output;
    this.#launch = launch;
    this.#sessionId = sessionId;
    this.permissionMode = launch.permissionMode;
    this.model = launch.model;
  }

  note(usage: TurnUsage): void {
    this.#usage = usage;
  }

  say(text: string): Promise<void> {
    return this.#speak('text', { type: 'text', text }, text);
  }

  think(thinking: string): Promise<void> {
    return this.#speak('thinking', { type: 'thinking', thinking, signature: 'c2NyaXB0ZWQ=' }, thinking);
  }

  toolStart({ id, tool }: ToolUse): Promise<void> {
    return this.#assistant({ type: 'tool_use', id, name: toolName(tool), input: toolInput(tool) });
  }

  toolEnd({ id }: ToolUse, { isError, output }: ToolOutcome): Promise<void> {
    const result = {
      tool_use_id: id,
      type: 'tool_result',
      content: output,
      ...(isError ? { is_error: true } : {}),
    };
    return this.#line({
      type: 'user',
      message: { role: 'user', content: [result] },
      parent_tool_use_id: null,
      tool_use_result: output,
    });
  }

  async refusal({ id, tool }: ToolUse, signal: AbortSignal): Promise<string | null> {
    if (isFree(this.permissionMode, tool) || this.#isAllowed(tool)) return null;
    const denial = { tool_name: toolName(tool), tool_use_id: id, tool_input: toolInput(tool) };
    const response = this.#launch.asksOverStdio ? await this.#ask(id, tool, signal) : {};
    if (response.behavior === 'allow') return null;
    this.denials.push(denial);
    return String(
      response.message ?? 'Claude requested permissions to use this tool, but you have not granted it yet.',
    );
  }

  /** Takes the answer to one of our questions. */
  takeResponse({ request_id: id, response }: Json): void {
    this.#questions.get(String(id))?.((response ?? {}) as Json);
  }

  retry({ attempt = 1, of = 3, delayMs = 1_000, status = 529, message = 'overloaded' }: StepValue<'retry'>) {
    return this.#line({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: of,
      retry_delay_ms: delayMs,
      error_status: status,
      error: message,
    });
  }

  warn(resetsAt: Date | null): Promise<void> {
    return this.#limit('allowed_warning', resetsAt, { utilization: 0.9, surpassedThreshold: 0.9 });
  }

  /** What precedes the result when a turn ends badly. */
  async sayOutcome(outcome: TurnOutcome): Promise<void> {
    if (outcome.end === 'rate-limited') {
      await this.#limit('rejected', outcome.resetsAt, {});
      await this.#assistant({ type: 'text', text: limitText(outcome.resetsAt) }, { error: 'rate_limit' });
    }
    if (outcome.end === 'failed') {
      await this.#assistant(
        { type: 'text', text: `API Error: ${outcome.message}` },
        { error: 'server_error' },
      );
    }
  }

  #isAllowed(tool: Tool): boolean {
    const names = [
      toolName(tool),
      ...(tool.type === 'mcp' ? [`mcp__${tool.server}`, `mcp__${tool.server}__*`] : []),
    ];
    return this.#launch.allowedTools.some((allowed) => names.includes(allowed.replace(/\(.*\)$/, '')));
  }

  async #ask(toolUseId: string, tool: Tool, signal: AbortSignal): Promise<Json> {
    const requestId = newId();
    const withdraw = () => void this.#output.json({ type: 'control_cancel_request', request_id: requestId });
    const answered = new Promise<Json>((resolve, reject) => {
      this.#questions.set(requestId, resolve);
      signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
    });
    signal.addEventListener('abort', withdraw, { once: true });
    await this.#output.json({
      type: 'control_request',
      request_id: requestId,
      request: {
        subtype: 'can_use_tool',
        tool_name: toolName(tool),
        input: toolInput(tool),
        permission_suggestions: [],
        tool_use_id: toolUseId,
      },
    });
    const response = await answered;
    signal.removeEventListener('abort', withdraw);
    return response;
  }

  #limit(status: string, resetsAt: Date | null, more: Json): Promise<void> {
    const reset = resetsAt === null ? {} : { resetsAt: resetsAt.getTime() / 1_000 };
    const info = { status, ...reset, rateLimitType: 'five_hour', isUsingOverage: false, ...more };
    return this.#line({ type: 'rate_limit_event', rate_limit_info: info });
  }

  /** Sends a block of a reply, preceded by its pieces if they were asked for. */
  async #speak(type: 'text' | 'thinking', block: Json, text: string): Promise<void> {
    const id = `msg_${newId()}`;
    const event = (content: Json) =>
      this.#launch.streamsPartials
        ? this.#line({ type: 'stream_event', event: content, parent_tool_use_id: null })
        : Promise.resolve();
    await event({
      type: 'message_start',
      message: { id, role: 'assistant', model: this.model, usage: this.#tokens(id, 1) },
    });
    await event({ type: 'content_block_start', index: 0, content_block: { type, [type]: '' } });
    for (const piece of piecesOf(text)) {
      await event({ type: 'content_block_delta', index: 0, delta: { type: `${type}_delta`, [type]: piece } });
    }
    await this.#assistant(block, { id });
    await event({ type: 'content_block_stop', index: 0 });
    const usage = this.#tokens(id, this.#usage.output);
    await event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage });
    await event({ type: 'message_stop' });
  }

  #assistant(
    block: Json,
    { id = `msg_${newId()}`, error }: { id?: string; error?: string } = {},
  ): Promise<void> {
    const { model } = this;
    return this.#line({
      type: 'assistant',
      message: {
        id,
        role: 'assistant',
        model,
        content: [block],
        stop_reason: null,
        usage: this.#tokens(id, 1),
      },
      parent_tool_use_id: null,
      ...(error === undefined ? {} : { error }),
    });
  }

  /**
   * The number of output tokens is final only at the end of a reply. The first reply of a turn accounts for all of its
   * input; later ones find everything in the cache.
   */
  #tokens(id: string, output: number): Json {
    if (this.#payer?.usage !== this.#usage) this.#payer = { id, usage: this.#usage };
    if (this.#payer.id !== id) {
      const { input, cacheWrite, cacheRead } = this.#usage;
      return {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: input + cacheWrite + cacheRead + output,
        output_tokens: 0,
      };
    }
    return {
      input_tokens: this.#usage.input,
      cache_creation_input_tokens: this.#usage.cacheWrite,
      cache_read_input_tokens: this.#usage.cacheRead,
      output_tokens: output,
    };
  }

  #line(message: Json): Promise<void> {
    return this.#output.json({ ...message, session_id: this.#sessionId, uuid: newId() });
  }
}

function toolInput(tool: Tool): unknown {
  switch (tool.type) {
    case 'write':
      return { file_path: tool.path, content: tool.content };
    case 'edit':
      return { file_path: tool.path, old_string: tool.find, new_string: tool.replace };
    case 'run':
      return { command: tool.command };
    default:
      return tool.input;
  }
}
