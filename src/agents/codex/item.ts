import { visibleExcerpt } from '../../foundation/index.js';
import { type AgentEvent, MAX_TITLE, type ToolKind } from '../events.js';
import type { Item, PatchChange } from './schema.js';
import { withoutShell } from './shell-command.js';

/** Items that were said to the agent, or that are neither speech nor action. */
const SILENT_TYPES: readonly string[] = [
  'userMessage',
  'hookPrompt',
  'functionCallOutput',
  'plan',
  'contextCompaction',
  'enteredReviewMode',
  'exitedReviewMode',
  'subAgentActivity',
];
const SPOKEN_TYPES: readonly string[] = ['agentMessage', 'reasoning'];

/** Whether an item is something the agent does, rather than says. */
export function isAction({ type }: Item): boolean {
  return !SPOKEN_TYPES.includes(type) && !SILENT_TYPES.includes(type);
}

/** What an action is, both for the call and for the permission. */
export interface Call {
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly input: unknown;
}

export function actionCalled(item: Item): AgentEvent {
  return { type: 'tool-call', id: item.id ?? '', ...callOf(item) };
}

export function actionResult(item: Item): AgentEvent {
  const { status, exitCode } = item;
  const isError = status === 'failed' || status === 'declined' || (exitCode ?? 0) !== 0 || item.error != null;
  const output = outputOf(item);
  const shown = output === '' && status === 'declined' ? 'declined' : output;
  return { type: 'tool-result', id: item.id ?? '', isError, output: shown };
}

function callOf(item: Item): Call {
  switch (item.type) {
    case 'commandExecution': {
      return commandCall({ command: withoutShell(item.command ?? '') });
    }
    case 'fileChange':
      return fileCall(item.changes ?? []);
    case 'mcpToolCall':
      return mcpCall(item.server ?? '', item.tool ?? '', item.arguments);
    case 'webSearch': {
      const query = item.query ?? '';
      return call('web_search', 'fetch', query, { query });
    }
    default: {
      const { id, type, status, startedAtMs, completedAtMs, durationMs, ...input } = item;
      return call(type, 'other', type, input);
    }
  }
}

export function commandCall(input: { readonly command: string; readonly [key: string]: unknown }): Call {
  return call('command_execution', 'execute', input.command, input);
}

export function fileCall(changes: readonly PatchChange[], more: object = {}): Call {
  const title = changes.map(({ path }) => path).join(', ');
  return call('file_change', 'edit', title, { changes: changes.map(shownChange), ...more });
}

/** Named as Claude Code names it, so that each tool has one name. */
export function mcpCall(server: string, tool: string, input: unknown): Call {
  const name = `mcp__${server}__${tool}`;
  return call(name, 'other', name, input);
}

export function call(name: string, kind: ToolKind, title: string, input: unknown): Call {
  return { name, kind, title: visibleExcerpt(title, MAX_TITLE), input };
}

/** Every path that a change touches, including where a file is moved to. */
export function placesOf(changes: readonly PatchChange[]): string[] {
  return changes.flatMap(({ path, kind }) => (kind?.move_path ? [path, kind.move_path] : [path]));
}

function shownChange({ path, kind, diff }: PatchChange): Record<string, unknown> {
  return {
    path,
    kind: kind?.type ?? 'change',
    ...(kind?.move_path ? { movePath: kind.move_path } : {}),
    ...(diff === undefined || diff === null ? {} : { diff }),
  };
}

function outputOf(item: Item): string {
  switch (item.type) {
    case 'commandExecution':
      return item.aggregatedOutput ?? '';
    case 'fileChange':
      return (item.changes ?? []).map(({ kind, path }) => `${kind?.type ?? 'change'} ${path}`).join('\n');
    case 'mcpToolCall':
      return item.error?.message ?? textOfResult(item.result);
    default:
      return item.error?.message ?? '';
  }
}

/** What an MCP tool returned: blocks, of which only text can be shown. */
function textOfResult(result: unknown): string {
  const content = (result as { content?: unknown } | null | undefined)?.content;
  if (!Array.isArray(content)) return '';
  return content.map(textOfBlock).join('\n');
}

function textOfBlock(block: { type?: unknown; text?: unknown } | null): string {
  if (typeof block?.text === 'string') return block.text;
  return typeof block?.type === 'string' ? `[${block.type}]` : JSON.stringify(block);
}
