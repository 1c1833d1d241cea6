import { visibleExcerpt } from '../../foundation/index.js';
import type { AgentEvent, ToolKind } from '../events.js';
import type { Item } from './schema.js';

const MAX_TITLE = 200;
/** A to-do list is neither said nor done. */
const SILENT_TYPES: readonly string[] = ['todo_list'];
const SPOKEN_TYPES: readonly string[] = ['agent_message', 'reasoning', 'error'];

/** Whether an item is something the agent does, rather than says. */
export function isAction({ type }: Item): boolean {
  return !SPOKEN_TYPES.includes(type) && !SILENT_TYPES.includes(type);
}

/** What the agent says; warnings come as items of type `error` and mean no failure. */
export function spoken({ type, text, message }: Item): AgentEvent[] {
  if (type === 'agent_message' && text) return [{ type: 'text', text }];
  if (type === 'reasoning' && text) return [{ type: 'thinking', text }];
  if (type === 'error') return [{ type: 'error', message: message ?? text ?? 'a warning', status: null }];
  return [];
}

interface Call {
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly input: unknown;
}

export function actionCalled(item: Item): AgentEvent {
  const call = callOf(item);
  return { type: 'tool-call', id: item.id ?? '', ...call, title: visibleExcerpt(call.title, MAX_TITLE) };
}

export function actionResult(item: Item): AgentEvent {
  const { status, exit_code: exitCode } = item;
  const isError = status === 'failed' || status === 'declined' || (exitCode ?? 0) !== 0 || item.error != null;
  return { type: 'tool-result', id: item.id ?? '', isError, output: outputOf(item) };
}

function callOf(item: Item): Call {
  switch (item.type) {
    case 'command_execution': {
      const command = item.command ?? '';
      return { name: item.type, kind: 'execute', title: command, input: { command } };
    }
    case 'file_change': {
      const changes = item.changes ?? [];
      const title = changes.map(({ path }) => path).join(', ');
      return { name: item.type, kind: 'edit', title, input: { changes } };
    }
    case 'mcp_tool_call': {
      // Named as Claude Code names it, so that one tool has one name.
      const name = `mcp__${item.server ?? ''}__${item.tool ?? ''}`;
      return { name, kind: 'other', title: name, input: item.arguments };
    }
    case 'web_search': {
      const query = item.query ?? '';
      return { name: item.type, kind: 'fetch', title: query, input: { query } };
    }
    default: {
      const { id, type, status, ...input } = item;
      return { name: type, kind: 'other', title: type, input };
    }
  }
}

function outputOf(item: Item): string {
  switch (item.type) {
    case 'command_execution':
      return item.aggregated_output ?? '';
    case 'file_change':
      return (item.changes ?? []).map(({ kind, path }) => `${kind ?? 'change'} ${path}`).join('\n');
    case 'mcp_tool_call':
      return item.error?.message ?? textOfResult(item.result);
    default:
      return item.error?.message ?? '';
  }
}

/** What an MCP tool returned: blocks of which only text can be shown. */
function textOfResult(result: unknown): string {
  const content = (result as { content?: unknown } | null | undefined)?.content;
  if (!Array.isArray(content)) return '';
  return content.map(textOfBlock).join('\n');
}

function textOfBlock(block: { type?: unknown; text?: unknown } | null): string {
  if (typeof block?.text === 'string') return block.text;
  return typeof block?.type === 'string' ? `[${block.type}]` : JSON.stringify(block);
}
