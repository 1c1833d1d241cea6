import { visibleExcerpt } from '../../foundation/index.js';
import type { AgentEvent } from '../events.js';
import { classifyFailure, readRetry } from './failure.js';
import { actionCalled, actionResult, isAction, spoken } from './item.js';
import { AnyLine, CodexLine, type Item, isKnownType } from './schema.js';
import type { UsageMeter } from './usage.js';

/** Turns the lines of one `codex exec` process into events. It knows nothing of processes. */
export class CodexReader {
  readonly #usage: UsageMeter;
  readonly #called = new Set<string>();
  /** What was said since the last action. */
  #said: string[] = [];
  /** What of it is expected again, because the request is repeated. */
  #repeated: string[] = [];
  #threadId: string | null = null;
  #hasToldLimit = false;

  constructor(usage: UsageMeter) {
    this.#usage = usage;
  }

  /** Known from the first line on. */
  get threadId(): string | null {
    return this.#threadId;
  }

  read(line: string): AgentEvent[] {
    if (line.trim() === '') return [];
    const any = AnyLine.safeParse(parse(line)).data;
    if (any === undefined) return [damage(line)];
    if (!isKnownType(any.type)) return [];
    const known = CodexLine.safeParse(any).data;
    return known === undefined ? [damage(line)] : this.#readLine(known);
  }

  #readLine(line: CodexLine): AgentEvent[] {
    switch (line.type) {
      case 'thread.started':
        this.#threadId = line.thread_id;
        return [];
      case 'item.started':
        return this.#readStarted(line.item);
      case 'item.completed':
        return this.#readCompleted(line.item);
      case 'error':
        return this.#readError(line.message ?? 'an error without a message');
      case 'turn.failed':
        return this.#readFailure(line.error?.message ?? 'it gave no reason');
      case 'turn.completed': {
        const usage = line.usage ? this.#usage.usageOf(line.usage) : undefined;
        const end = { type: 'turn-end', reason: 'completed', message: null } as const;
        return usage === undefined ? [end] : [{ type: 'usage', usage }, end];
      }
    }
  }

  #readStarted(item: Item): AgentEvent[] {
    if (!isAction(item)) return [];
    this.#called.add(item.id ?? '');
    return [actionCalled(item)];
  }

  /** Some actions are told only when they are over. */
  #readCompleted(item: Item): AgentEvent[] {
    if (!isAction(item)) return this.#unlessRepeated(spoken(item));
    this.#said = [];
    this.#repeated = [];
    const wasCalled = this.#called.delete(item.id ?? '');
    return wasCalled ? [actionResult(item)] : [actionCalled(item), actionResult(item)];
  }

  /** A request that broke off is made again, and what was whole before the break is told again. */
  #unlessRepeated(events: AgentEvent[]): AgentEvent[] {
    return events.filter((event) => {
      const key = JSON.stringify(event);
      if (key === this.#repeated.shift()) return false;
      this.#repeated = [];
      this.#said.push(key);
      return true;
    });
  }

  #readError(message: string): AgentEvent[] {
    const retry = readRetry(message);
    if (retry !== undefined) {
      this.#repeated = [...this.#said];
      const { attempt, status, reason } = retry;
      return [{ type: 'retry', attempt, delayMs: null, status, message: reason }];
    }
    return this.#limitOf(message) ?? [{ type: 'error', message, status: null }];
  }

  #readFailure(message: string): AgentEvent[] {
    const { reason } = classifyFailure(message);
    const limit = this.#hasToldLimit ? [] : (this.#limitOf(message) ?? []);
    return [...limit, { type: 'turn-end', reason, message }];
  }

  #limitOf(message: string): AgentEvent[] | undefined {
    const { reason, resetsAt } = classifyFailure(message);
    if (reason !== 'rate-limited') return undefined;
    this.#hasToldLimit = true;
    return [{ type: 'rate-limit', status: 'rejected', resetsAt, message }];
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // reported as damage by the caller
  }
}

function damage(line: string): AgentEvent {
  const message = `A line of ${line.length} characters is not as expected: ${visibleExcerpt(line, 160)}`;
  return { type: 'error', message, status: null };
}
