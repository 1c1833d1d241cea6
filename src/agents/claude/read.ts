import { firstIssue } from '../../foundation/index.js';
import { type AgentEvent, NO_USAGE } from '../events.js';
import { scopeNamed } from '../service-errors.js';
import { countOf, hasTokens } from '../usage.js';
import { type JsonLine, JsonLines } from './json-lines.js';
import {
  type AssistantLine,
  type ClaudeLine,
  type ControlRequestLine,
  isStreamLine,
  type RateLimitLine,
  ReplyStart,
  type ResultLine,
  type StreamLine,
  type SystemLine,
  schemaOf,
  Tokens,
  type UserLine,
} from './schema.js';
import { StreamedReply } from './streamed-reply.js';
import { toolCall, toolResult } from './tool.js';
import { contextTokensOf, contextWindowOf, messageOfResult, reasonOf } from './turn-end.js';
import { UsageMeter } from './usage.js';

/** The agent wants an answer from us. */
export interface ControlRequest {
  readonly type: 'control-request';
  readonly id: string;
  readonly request: ControlRequestLine['request'];
}

/** The agent no longer waits for the answer. */
export interface ControlWithdrawal {
  readonly type: 'control-withdrawal';
  readonly id: string;
}

/** A reply of the model; `id` is undefined if the line does not name it. */
interface ReplyName {
  readonly id: string | undefined;
  readonly model: string | null;
}

export type ClaudeOutput = AgentEvent | ControlRequest | ControlWithdrawal;

/**
 * Turns the lines of one Claude Code process into events. It knows nothing about processes, and keeps only what later
 * lines need from earlier ones. It leaves out the text and thinking of sub-agents, but not their tool calls.
 */
export class ClaudeReader {
  /** Whether we asked for the end of the turn. */
  isCancelling = false;
  readonly #lines = new JsonLines();
  readonly #reply = new StreamedReply();
  readonly #usage: UsageMeter;
  /** The reply being streamed, by the tool call of its sub-agent; '' is the main agent's. */
  readonly #streamed = new Map<string, ReplyName>();
  #sessionId: string | null = null;
  #version: string | null = null;
  #model: string | null = null;
  #replyModel: string | null = null;
  #replyTokens: { messageId: string | undefined; tokens: Tokens } | undefined;
  #isLimited = false;
  #hasToldLimit = false;

  constructor(options: { isResumed: boolean }) {
    this.#usage = new UsageMeter(options);
  }

  get sessionId(): string | null {
    return this.#sessionId;
  }

  get facts(): { readonly version: string | null; readonly model: string | null } {
    return { version: this.#version, model: this.#model };
  }

  read(line: string): ClaudeOutput[] {
    const lines = this.#lines.read(line);
    const first = lines[0];
    if (first !== undefined && lines.length === 1) return this.#readParsed(first);
    return lines.flatMap((parsed) => this.#readParsed(parsed));
  }

  /** Reports what is left once no more input comes. */
  end(): ClaudeOutput[] {
    return this.#lines.end().flatMap((parsed) => this.#readParsed(parsed));
  }

  #readParsed(parsed: JsonLine): ClaudeOutput[] {
    if (parsed.type === undefined) return [errorEvent(parsed.damage)];
    if (parsed.type === 'stream_event' && isStreamLine(parsed.value)) return this.#readStream(parsed.value);
    const schema = schemaOf(parsed.type);
    if (schema === undefined) return [];
    const result = schema.safeParse(parsed.value);
    if (result.success) return this.#readLine(result.data);
    const { place } = firstIssue(result.error);
    return [errorEvent(`A line of type ${parsed.type} is malformed at ${place}`)];
  }

  #readLine(line: ClaudeLine): ClaudeOutput[] {
    switch (line.type) {
      case 'system':
        return this.#readSystem(line);
      case 'stream_event':
        return this.#readStream(line);
      case 'assistant':
        return this.#readAssistant(line);
      case 'user':
        return readUser(line);
      case 'rate_limit_event':
        return this.#readRateLimit(line);
      case 'result':
        return this.#readResult(line);
      case 'control_request':
        return [{ type: 'control-request', id: line.request_id, request: line.request }];
      case 'control_cancel_request':
        return [{ type: 'control-withdrawal', id: line.request_id }];
    }
  }

  #readSystem(line: SystemLine): AgentEvent[] {
    if (line.subtype === 'init') {
      this.#sessionId = line.session_id ?? this.#sessionId;
      this.#version = line.claude_code_version ?? this.#version;
      this.#model = line.model ?? this.#model;
    }
    if (line.subtype !== 'api_retry') return [];
    return [
      {
        type: 'retry',
        attempt: countOf(line.attempt) || 1,
        delayMs: countOf(line.retry_delay_ms) || null,
        status: countOf(line.error_status) || null,
        message: retryWords(line),
      },
    ];
  }

  #readStream({ event, parent_tool_use_id: parent }: StreamLine): AgentEvent[] {
    const isSubAgent = typeof parent === 'string';
    if (event.type === 'message_start') return this.#beginReply(event, parent ?? '');
    if (event.type === 'message_delta') return this.#endReply(event, parent ?? '');
    if (isSubAgent) return [];
    if (event.type === 'content_block_delta') return this.#readDelta(event);
    if (event.type === 'content_block_start') this.#reply.beginBlock(event.index ?? 0);
    return [];
  }

  #beginReply(event: StreamLine['event'], parent: string): AgentEvent[] {
    const { id, model, usage } = ReplyStart.safeParse(event.message).data ?? {};
    this.#streamed.set(parent, { id: id ?? undefined, model: model ?? null });
    if (parent === '') {
      this.#reply.begin(id ?? undefined);
      this.#countTokens(id ?? undefined, usage);
    }
    return this.#tellReply({ id: id ?? undefined, model: model ?? null }, usage);
  }

  #endReply(event: StreamLine['event'], parent: string): AgentEvent[] {
    const usage = Tokens.parse(event.usage);
    if (parent === '') {
      this.#reply.end();
      // The number of output tokens is final only here.
      const known = this.#replyTokens;
      if (known !== undefined && usage?.output_tokens)
        known.tokens = { ...known.tokens, output_tokens: usage.output_tokens };
    }
    return this.#tellReply(this.#streamed.get(parent) ?? { id: undefined, model: null }, usage);
  }

  /** Reports the tokens a reply used since the last report. A reply without a name is counted at the end of the turn. */
  #tellReply({ id, model }: ReplyName, tokens: Tokens | null | undefined): AgentEvent[] {
    if (id === undefined || tokens === undefined || tokens === null) return [];
    const more = this.#usage.tellReply(id, tokens);
    if (!hasTokens(more)) return [];
    return [{ type: 'usage', usage: { ...NO_USAGE, ...more }, model, reply: id }];
  }

  #readDelta({ index = 0, delta }: StreamLine['event']): AgentEvent[] {
    const type = delta?.text === undefined ? 'thinking' : 'text';
    const text = delta?.[type];
    if (!text) return [];
    const fresh = this.#reply.add(type, index, text);
    return fresh === '' ? [] : [{ type, text: fresh }];
  }

  #readAssistant({ message, parent_tool_use_id: parent, error }: AssistantLine): AgentEvent[] {
    if (typeof error === 'string') {
      this.#isLimited ||= error === 'rate_limit';
      return message.content.flatMap(({ text }) => (text ? [errorEvent(text)] : []));
    }
    const isSubAgent = typeof parent === 'string';
    if (!isSubAgent) {
      this.#replyModel = message.model ?? this.#replyModel;
      this.#countTokens(message.id ?? undefined, message.usage);
    }
    const name = { id: message.id ?? undefined, model: message.model ?? null };
    const events = this.#tellReply(name, message.usage);
    for (const block of message.content) {
      if (block.type.endsWith('tool_use')) events.push(toolCall(block));
      else if (block.type.endsWith('tool_result')) events.push(toolResult(block));
      else if (!isSubAgent && (block.type === 'text' || block.type === 'thinking')) {
        const missing = this.#reply.missingOf(block.type, message.id ?? undefined, block[block.type] ?? '');
        if (missing !== '') events.push({ type: block.type, text: missing });
      }
    }
    return events;
  }

  /** The lines of one reply carry growing numbers, not final ones. */
  #countTokens(messageId: string | undefined, tokens: Tokens | null | undefined): void {
    if (tokens === undefined || tokens === null) return;
    const known = this.#replyTokens?.messageId === messageId ? this.#replyTokens?.tokens : undefined;
    const output = Math.max(known?.output_tokens ?? 0, tokens.output_tokens ?? 0);
    this.#replyTokens = { messageId, tokens: { ...tokens, output_tokens: output } };
  }

  #readRateLimit({ rate_limit_info: limit }: RateLimitLine): AgentEvent[] {
    const usedPercent = percentOf(limit.utilization);
    const isAllowed = limit.status === 'allowed';
    if (isAllowed && usedPercent === undefined) return [];
    // Over the limit, but paid for: work continues.
    const isRejected = limit.status === 'rejected' && limit.isUsingOverage !== true;
    this.#isLimited ||= isRejected;
    this.#hasToldLimit ||= isRejected;
    const scope = limit.rateLimitType ? scopeNamed(limit.rateLimitType) : null;
    return [
      {
        type: 'rate-limit',
        status: isAllowed ? 'allowed' : isRejected ? 'rejected' : 'warning',
        resetsAt: isoTime(limit.resetsAt),
        scope,
        message: isAllowed
          ? `${usedPercent} % of the ${scope ?? 'usage'} limit is used`
          : `the ${scope ?? 'usage'} limit is ${isRejected ? 'used up' : 'nearly used up'}`,
        ...(usedPercent === undefined ? {} : { usedPercent }),
      },
    ];
  }

  #readResult(line: ResultLine): AgentEvent[] {
    const reason = reasonOf(line, { isCancelling: this.isCancelling, isLimited: this.#isLimited });
    const message = reason === 'completed' ? null : messageOfResult(line);
    const used = this.#usage.endTurn(line);
    const model = this.#replyModel ?? this.#model;
    const usage = {
      contextTokens: this.#replyTokens === undefined ? null : contextTokensOf(this.#replyTokens.tokens),
      contextWindow: contextWindowOf(line.modelUsage ?? {}, [this.#model, this.#replyModel]),
    };
    const isUntoldLimit = reason === 'rate-limited' && !this.#hasToldLimit;
    this.#reply.end();
    this.isCancelling = false;
    this.#isLimited = false;
    this.#hasToldLimit = false;
    return [
      ...this.#usage.takeOdd(),
      ...(used === undefined
        ? []
        : [{ type: 'usage', usage: { ...usage, ...used.rest }, model, uncovered: used.uncovered } as const]),
      ...(isUntoldLimit ? [untoldLimit(message ?? '')] : []),
      { type: 'turn-end', reason, message },
    ];
  }
}

/** `unknown` without a status is a connection that was lost or never made. */
function retryWords({ error, error_status: status }: SystemLine): string {
  if (error && error !== 'unknown') return error.replaceAll('_', ' ');
  return status ? `the service answered ${status}` : 'connection lost';
}

function readUser({ message }: UserLine): AgentEvent[] {
  if (typeof message.content === 'string') return [];
  return message.content.filter(({ type }) => type.endsWith('tool_result')).map(toolResult);
}

/** A limit that only the result mentions, as with an API key: it does not say when the limit ends. */
function untoldLimit(message: string): AgentEvent {
  return { type: 'rate-limit', status: 'rejected', resetsAt: null, message };
}

function errorEvent(message: string): AgentEvent {
  return { type: 'error', message, status: null };
}

/** An impossible moment, such as one before 1970, becomes null. */
function isoTime(seconds: number | null | undefined): string | null {
  if (typeof seconds !== 'number' || seconds < 0) return null;
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** In whole percent; undefined if it is not a share. */
function percentOf(share: number | null | undefined): number | undefined {
  return share != null && share >= 0 && share <= 1 ? Math.round(share * 100) : undefined;
}
