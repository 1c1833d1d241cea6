import { visibleExcerpt } from '../../foundation/index.js';
import { type AgentEvent, MAX_TITLE, type ToolKind } from '../events.js';
import type { Block } from './schema.js';

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ['Read', 'read'],
  ['Glob', 'read'],
  ['Grep', 'read'],
  ['LS', 'read'],
  ['Write', 'edit'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Bash', 'execute'],
  ['WebFetch', 'fetch'],
  ['WebSearch', 'fetch'],
]);

/** The keys of a tool's input that best say what it is about to do. */
const TELLING_KEYS = ['command', 'file_path', 'notebook_path', 'url', 'query', 'pattern', 'path'];

/** What we report about a tool, whether it is called or needs permission. */
export interface ToolFacts {
  readonly name: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly input: unknown;
}

export function factsOfTool(name: string, input: unknown): ToolFacts {
  return {
    name,
    kind: KINDS.get(name) ?? 'other',
    title: visibleExcerpt(titleOf(name, input), MAX_TITLE),
    input,
  };
}

/** The files given to a tool; none if it does not say, or if we do not know the tool. */
export function locationsOf(name: string, input: unknown): string[] {
  if (!KINDS.has(name) || typeof input !== 'object' || input === null) return [];
  const values = input as Readonly<Record<string, unknown>>;
  const named = ['file_path', 'notebook_path', 'path'].flatMap((key) =>
    typeof values[key] === 'string' ? [values[key]] : [],
  );
  // A search without a path searches the working directory.
  return named.length === 0 && SEARCHES.has(name) ? ['.'] : named;
}

const SEARCHES: ReadonlySet<string> = new Set(['Glob', 'Grep', 'LS']);

function titleOf(name: string, input: unknown): string {
  if (!KINDS.has(name) || typeof input !== 'object' || input === null) return name;
  const values = input as Readonly<Record<string, unknown>>;
  for (const key of TELLING_KEYS) if (typeof values[key] === 'string') return values[key];
  return name;
}

/** The event of a block that calls a tool. */
export function toolCall(block: Block): AgentEvent {
  return { type: 'tool-call', id: block.id ?? '', ...factsOfTool(block.name ?? 'unknown', block.input) };
}

/** The event of a block that holds what a tool returned. */
export function toolResult(block: Block): AgentEvent {
  return {
    type: 'tool-result',
    id: block.tool_use_id ?? '',
    isError: block.is_error ?? false,
    output: contentText(block.content),
  };
}

/** A string, or a list of blocks, of which only text can be shown. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map(textOfBlock).join('\n');
}

function textOfBlock(block: { type?: unknown; text?: unknown } | null): string {
  if (typeof block?.text === 'string') return block.text;
  return typeof block?.type === 'string' ? `[${block.type}]` : JSON.stringify(block);
}
