import { newId } from './actor.js';
import type { Conversation, TurnUsage } from './conversation.js';
import type { Output } from './output.js';
import { piecesOf } from './output.js';
import type { StepValue } from './script.js';
import { isFree, type Tool, type ToolOutcome, type ToolUse, type Voice } from './voice.js';

type Json = Record<string, unknown>;

/** How `codex app-server` speaks in one thread: items with a start and an end, texts in pieces. */
export class CodexVoice implements Voice {
  readonly #output: Output;
  readonly #conversation: Conversation;
  readonly #isRaw: boolean;
  readonly #asked = new Map<unknown, (result: Json) => void>();
  #turnId: string | null = null;
  #mode = 'default';
  #requests = 0;

  constructor(output: Output, conversation: Conversation, isRaw: boolean) {
    this.#output = output;
    this.#conversation = conversation;
    this.#isRaw = isRaw;
  }

  begin(turnId: string, mode: string): void {
    this.#turnId = turnId;
    this.#mode = mode;
  }

  notify(method: string, params: Json): Promise<void> {
    const where = { threadId: this.#conversation.id, turnId: this.#turnId };
    return this.#output.json({ method, params: { ...where, ...params } });
  }

  /** Usage is reported at the end. */
  note(): void {}

  async say(text: string): Promise<void> {
    const item = { type: 'agentMessage', id: `msg_${newId()}` };
    await this.notify('item/started', { item: { ...item, text: '' } });
    for (const delta of piecesOf(text)) {
      await this.notify('item/agentMessage/delta', { itemId: item.id, delta });
    }
    await this.notify('item/completed', { item: { ...item, text } });
  }

  async think(text: string): Promise<void> {
    const item = { type: 'reasoning', id: `rs_${newId()}` };
    await this.notify('item/started', { item: { ...item, summary: [], content: [] } });
    await this.notify('item/reasoning/summaryPartAdded', { itemId: item.id, summaryIndex: 0 });
    for (const delta of piecesOf(text)) {
      await this.notify('item/reasoning/summaryTextDelta', { itemId: item.id, delta, summaryIndex: 0 });
    }
    await this.notify('item/completed', { item: { ...item, summary: [text], content: [] } });
  }

  toolStart({ id, tool }: ToolUse): Promise<void> {
    return this.notify('item/started', { item: { id, ...itemOf(tool), status: 'inProgress' } });
  }

  toolEnd({ id, tool }: ToolUse, outcome: ToolOutcome): Promise<void> {
    const status = outcome.isError ? 'failed' : 'completed';
    const item = { id, ...itemOf(tool), ...resultOf(tool, outcome), status };
    return this.notify('item/completed', { item });
  }

  async refusal(use: ToolUse, signal: AbortSignal): Promise<string | null> {
    // The servers it was given come with the setting that their tools need no approval.
    if (isFree(this.#mode, use.tool) || use.tool.type === 'mcp') return null;
    const result = await this.#ask(use, signal);
    return result.decision === 'accept' || result.action === 'accept' ? null : 'rejected by user';
  }

  takeAnswer(id: unknown, result: Json): void {
    this.#asked.get(id)?.(result);
    this.#asked.delete(id);
  }

  retry({
    attempt = 1,
    of = 5,
    status = 503,
    message = 'stream disconnected',
  }: StepValue<'retry'>): Promise<void> {
    const error = {
      message: `Reconnecting... ${attempt}/${of}`,
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: status } },
      additionalDetails: `${message}, last status: ${status}`,
    };
    return this.notify('error', { error, willRetry: true });
  }

  /** It says nothing about an allowance that is not used up yet. */
  async warn(): Promise<void> {}

  /** The usage of the turn's reply, and then the total of the thread, which already includes it. */
  async sayUsage(usage: TurnUsage): Promise<void> {
    if (this.#isRaw) await this.notify('rawResponse/completed', { usage: tokensOf(usage) });
    await this.sayTotal();
  }

  async sayTotal(): Promise<void> {
    const last = this.#conversation.messages.findLast(({ usage }) => usage !== undefined)?.usage;
    if (last === undefined) return;
    const { total } = this.#conversation;
    await this.notify('thread/tokenUsage/updated', {
      tokenUsage: { total: tokensOf(total), last: tokensOf(last), modelContextWindow: last.window },
    });
  }

  #ask({ id, tool }: ToolUse, signal: AbortSignal): Promise<Json> {
    const isEdit = tool.type === 'write' || tool.type === 'edit';
    const method = `item/${isEdit ? 'fileChange' : 'commandExecution'}/requestApproval`;
    const requestId = this.#requests++;
    const { command } = itemOf(tool);
    const params = { threadId: this.#conversation.id, turnId: this.#turnId, itemId: id };
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true });
      this.#asked.set(requestId, resolve);
      const asked = isEdit ? params : { ...params, kind: 'command', command, reason: null };
      void this.#output.json({ id: requestId, method, params: asked });
    });
  }
}

/** What Codex says when the allowance is used up; the time is local, to the minute. */
export function limitText(resetsAt: Date | null): string {
  const begin = "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing)";
  return resetsAt === null
    ? `${begin} or try again later.`
    : `${begin} or try again at ${localTime(resetsAt)}.`;
}

function localTime(date: Date): string {
  const time = date
    .toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })
    .replace('\u202f', ' ');
  if (date.toDateString() === new Date().toDateString()) return time;
  const day = date.getDate();
  const ending =
    day % 10 > 3 || [11, 12, 13].includes(day) ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${date.toLocaleString('en-US', { month: 'short' })} ${day}${ending}, ${date.getFullYear()} ${time}`;
}

function tokensOf({ input, output, cacheRead, cacheWrite }: TurnUsage): Json {
  const inputTokens = input + cacheRead + cacheWrite;
  return {
    totalTokens: inputTokens + output,
    inputTokens,
    cachedInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
    outputTokens: output,
    reasoningOutputTokens: 0,
  };
}

function itemOf(tool: Tool): Json {
  switch (tool.type) {
    case 'write':
      return changeOf(tool.path, { type: 'add' }, tool.content);
    case 'edit':
      return changeOf(tool.path, { type: 'update', move_path: null }, `-${tool.find}\n+${tool.replace}\n`);
    case 'run':
      return {
        type: 'commandExecution',
        command: `/bin/bash -lc ${quote(tool.command)}`,
        aggregatedOutput: null,
        exitCode: null,
      };
    case 'mcp':
      return {
        type: 'mcpToolCall',
        server: tool.server,
        tool: tool.tool,
        arguments: tool.input,
        result: null,
        error: null,
      };
    case 'other':
      return { type: 'webSearch', query: JSON.stringify(tool.input) };
  }
}

function changeOf(path: string, kind: Json, diff: string): Json {
  return { type: 'fileChange', changes: [{ path, kind, diff }] };
}

function resultOf(tool: Tool, { output, exitCode, isError }: ToolOutcome): Json {
  if (tool.type === 'run') return { aggregatedOutput: output, exitCode };
  if (tool.type !== 'mcp') return {};
  if (isError) return { error: { message: output } };
  return { result: { content: [{ type: 'text', text: output }], structuredContent: null } };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
