import type { AgentEvent } from '../events.js';
import { classifyFailure, readRetry } from './failure.js';
import { actionCalled, actionResult, isAction } from './item.js';
import { Refusals } from './refusals.js';
import { type Piece, RetriedReply } from './retried-reply.js';
import type { Item, Notification, RateWindow, Trouble } from './schema.js';
import type { UsageMeter } from './usage.js';

/** Turns the notifications of one turn into events. It knows nothing about processes. */
export class TurnReader {
  readonly #threadId: string;
  readonly #usage: UsageMeter;
  readonly #replies = { text: new RetriedReply(), thinking: new RetriedReply() };
  readonly #open = new Map<string, Item>();
  readonly #refusals = new Refusals();
  #retries = 0;
  #hasToldLimit = false;

  constructor(threadId: string, usage: UsageMeter) {
    this.#threadId = threadId;
    this.#usage = usage;
    usage.startTurn();
  }

  /** What the agent is doing now; permission requests refer to it. */
  get open(): ReadonlyMap<string, Item> {
    return this.#open;
  }

  read(notification: Notification): AgentEvent[] {
    const { threadId } = notification.params;
    if (threadId == null || threadId === this.#threadId) return this.#readOwn(notification);
    return this.#readHelper(notification);
  }

  /** Events of the agents that ours starts: their usage counts, and their actions may need a permission. */
  #readHelper({ method, params }: Notification): AgentEvent[] {
    if (method === 'thread/tokenUsage/updated') return usageEvents(this.#usage.report(params, false));
    if (method === 'item/started' && isAction(params.item)) this.#open.set(params.item.id ?? '', params.item);
    if (method === 'item/completed') this.#open.delete(params.item.id ?? '');
    return [];
  }

  #readOwn({ method, params }: Notification): AgentEvent[] {
    switch (method) {
      case 'item/started':
        return this.#readStarted(params.item);
      case 'item/completed':
        return this.#readCompleted(params.item);
      case 'item/agentMessage/delta':
        return this.#say('text', params.itemId, params.delta);
      case 'item/reasoning/summaryTextDelta':
        return this.#say('thinking', params.itemId, params.delta);
      case 'item/reasoning/summaryPartAdded':
        return params.summaryIndex === 0 ? [] : this.#say('thinking', params.itemId, '\n\n');
      case 'rawResponse/completed':
        this.#endReply();
        return usageEvents(params.usage ? this.#usage.reply(params.usage) : undefined);
      case 'thread/tokenUsage/updated':
        this.#endReply();
        return usageEvents(this.#usage.report(params, true));
      case 'rawResponseItem/completed':
        return this.#refusals.read(params.item);
      case 'account/rateLimits/updated':
        return [params.rateLimits.primary, params.rateLimits.secondary].flatMap(useEvents);
      case 'error':
        return this.#readTrouble(params.error, params.willRetry === true);
      case 'warning':
        return [{ type: 'error', message: params.message, status: null }];
      default:
        return [];
    }
  }

  #readStarted(item: Item): AgentEvent[] {
    if (!isAction(item)) return [];
    this.#endReply();
    this.#open.set(item.id ?? '', item);
    this.#refusals.isShown(item.id ?? '');
    return [actionCalled(item)];
  }

  /** Some actions are reported only when they are over. */
  #readCompleted(item: Item): AgentEvent[] {
    const id = item.id ?? '';
    if (item.type === 'agentMessage') return this.#complete('text', id, item.text ?? '');
    if (item.type === 'reasoning') return this.#complete('thinking', id, thoughtOf(item));
    if (!isAction(item)) return [];
    const wasCalled = this.#open.delete(id);
    const called = wasCalled ? [] : this.#readStarted(item);
    this.#open.delete(id);
    return [...called, actionResult(item)];
  }

  #say(type: 'text' | 'thinking', id: string, text: string): AgentEvent[] {
    return spoken(type, this.#replies[type].add(id, text));
  }

  #complete(type: 'text' | 'thinking', id: string, whole: string): AgentEvent[] {
    return spoken(type, this.#replies[type].complete(id, whole));
  }

  #endReply(): void {
    this.#replies.text.endReply();
    this.#replies.thinking.endReply();
    this.#retries = 0;
  }

  #readTrouble(trouble: Trouble, willRetry: boolean): AgentEvent[] {
    const message = messageIn(trouble);
    const status = statusIn(trouble.codexErrorInfo);
    if (!willRetry) return this.#limitOf(trouble) ?? [{ type: 'error', message, status }];
    this.#replies.text.beginAgain();
    this.#replies.thinking.beginAgain();
    this.#retries += 1;
    const { additionalDetails: details } = trouble;
    const retry = readRetry(details ? `${message} (${details})` : message);
    const attempt = retry?.attempt ?? this.#retries;
    const reason = retry?.reason ?? details ?? message;
    return [
      { type: 'retry', attempt, delayMs: null, status: status ?? retry?.status ?? null, message: reason },
    ];
  }

  /** The events that end a turn which did not complete. */
  readFailure(trouble: Trouble | null | undefined): AgentEvent[] {
    const message = trouble ? messageIn(trouble) : 'it gave no reason';
    const limit = this.#hasToldLimit || !trouble ? [] : (this.#limitOf(trouble) ?? []);
    const { reason } = classifyFailure(message, trouble?.codexErrorInfo);
    return [...limit, { type: 'turn-end', reason, message }];
  }

  #limitOf(trouble: Trouble): AgentEvent[] | undefined {
    const message = messageIn(trouble);
    const { reason, resetsAt } = classifyFailure(message, trouble.codexErrorInfo);
    if (reason !== 'rate-limited') return undefined;
    this.#hasToldLimit = true;
    return [{ type: 'rate-limit', status: 'rejected', resetsAt, message }];
  }
}

/** The use of an allowance, reported with each reply; it is not a problem. */
function useEvents(window: RateWindow | null | undefined): AgentEvent[] {
  const { usedPercent, resetsAt, windowDurationMins } = window ?? {};
  if (usedPercent == null || resetsAt == null || !(usedPercent >= 0)) return [];
  const end = new Date(resetsAt * 1_000);
  if (Number.isNaN(end.getTime())) return [];
  const scope = scopeOf(windowDurationMins ?? 0);
  return [
    {
      type: 'rate-limit',
      status: 'allowed',
      resetsAt: end.toISOString(),
      scope,
      usedPercent: Math.round(usedPercent),
      message: `${Math.round(usedPercent)} % of the ${scope ?? 'usage'} limit is used`,
    },
  ];
}

const MINUTES_OF_WEEK = 7 * 24 * 60;

function scopeOf(minutes: number): string | null {
  if (minutes === MINUTES_OF_WEEK) return 'weekly';
  return minutes > 0 && minutes % 60 === 0 ? `${minutes / 60}h` : null;
}

function spoken(type: 'text' | 'thinking', piece: Piece | undefined): AgentEvent[] {
  if (piece === undefined) return [];
  return [type === 'text' ? { type, ...piece } : { type, text: piece.text }];
}

function thoughtOf({ summary, content }: Item): string {
  if (summary && summary.length > 0) return summary.join('\n\n');
  return Array.isArray(content) ? content.filter((part) => typeof part === 'string').join('\n\n') : '';
}

function messageIn({ message }: Trouble): string {
  return message ?? 'an error without a message';
}

/** `{ responseStreamDisconnected: { httpStatusCode: 503 } }`. */
function statusIn(info: unknown): number | null {
  if (typeof info !== 'object' || info === null) return null;
  const [facts] = Object.values(info) as ({ httpStatusCode?: unknown } | null)[];
  return typeof facts?.httpStatusCode === 'number' ? facts.httpStatusCode : null;
}

function usageEvents(usage: Extract<AgentEvent, { type: 'usage' }>['usage'] | undefined): AgentEvent[] {
  return usage === undefined ? [] : [{ type: 'usage', usage }];
}
