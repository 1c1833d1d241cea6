import type { Launch } from './launch.js';
import type { Output } from './output.js';
import type { StepValue } from './script.js';
import type { Tool, ToolOutcome, ToolUse, Voice } from './voice.js';

type Json = Record<string, unknown>;

/** How `codex exec --json` makes itself heard: whole items, some with a start. */
export class CodexVoice implements Voice {
  readonly #output: Output;
  readonly #launch: Launch;
  readonly #items = new Map<string, string>();
  #count = 0;

  constructor(output: Output, launch: Launch) {
    this.#output = output;
    this.#launch = launch;
  }

  /** What was used is told at the end, as a total. */
  note(): void {}

  say(text: string): Promise<void> {
    return this.#event('item.completed', this.#nextId(), { type: 'agent_message', text });
  }

  think(text: string): Promise<void> {
    return this.#event('item.completed', this.#nextId(), { type: 'reasoning', text });
  }

  toolStart({ id, tool }: ToolUse): Promise<void> {
    const itemId = this.#nextId();
    this.#items.set(id, itemId);
    return this.#event('item.started', itemId, { ...itemOf(tool), status: 'in_progress' });
  }

  toolEnd({ id, tool }: ToolUse, outcome: ToolOutcome): Promise<void> {
    const status = outcome.isError ? 'failed' : 'completed';
    const item = { ...itemOf(tool), ...resultOf(tool, outcome), status };
    return this.#event('item.completed', this.#items.get(id) ?? '', item);
  }

  /** `exec` asks nobody: the sandbox lets it through or does not. */
  async refusal({ tool }: ToolUse): Promise<string | null> {
    const isWriting = tool.type === 'write' || tool.type === 'edit';
    return isWriting && this.#launch.permissionMode === 'plan' ? 'patch rejected: read-only sandbox' : null;
  }

  retry({
    attempt = 1,
    of = 5,
    status = 503,
    message = 'stream disconnected',
  }: StepValue<'retry'>): Promise<void> {
    const text = `Reconnecting... ${attempt}/${of} (${message}, last status: ${status})`;
    return this.#output.json({ type: 'error', message: text });
  }

  /** It says nothing about an allowance that is not used up. */
  async warn(): Promise<void> {}

  #nextId(): string {
    return `item_${this.#count++}`;
  }

  #event(type: string, id: string, item: Json): Promise<void> {
    return this.#output.json({ type, item: { id, ...item } });
  }
}

/** What Codex says when the allowance is used up; the time is local and to the minute. */
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

function itemOf(tool: Tool): Json {
  switch (tool.type) {
    case 'write':
      return { type: 'file_change', changes: [{ path: tool.path, kind: 'add' }] };
    case 'edit':
      return { type: 'file_change', changes: [{ path: tool.path, kind: 'update' }] };
    case 'run':
      return {
        type: 'command_execution',
        command: `/bin/bash -lc ${quote(tool.command)}`,
        aggregated_output: '',
        exit_code: null,
      };
    case 'mcp':
      return {
        type: 'mcp_tool_call',
        server: tool.server,
        tool: tool.tool,
        arguments: tool.input,
        result: null,
        error: null,
      };
    case 'other':
      return { type: 'web_search', query: JSON.stringify(tool.input) };
  }
}

function resultOf(tool: Tool, { output, exitCode, isError }: ToolOutcome): Json {
  if (tool.type === 'run') return { aggregated_output: output, exit_code: exitCode };
  if (tool.type !== 'mcp') return {};
  if (isError) return { error: { message: output } };
  return { result: { content: [{ type: 'text', text: output }], structured_content: null } };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
