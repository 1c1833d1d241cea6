import { counted } from '../../foundation/index.js';
import { type AgentEvent, MAX_TITLE, type ToolKind } from '../events.js';
import type { FileChange, PermissionRequest } from '../permission.js';
import { type ToolCallFields, ToolContent } from './schema.js';

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  search: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  execute: 'execute',
  fetch: 'fetch',
};

interface Call {
  fields: ToolCallFields;
  content: readonly ToolContent[];
  /** An update reported it, not only a request for permission: a denied call may never become a real one. */
  isTold: boolean;
  isAnnounced: boolean;
  hasResult: boolean;
}

/**
 * The tool calls of one exchange. Agents report a call in pieces (first empty and pending, a moment later its input, then
 * the outcome); these become one `tool-call` and at most one `tool-result`.
 */
export class ToolCalls {
  readonly #calls = new Map<string, Call>();

  /** Whether a call is under way. Silence means nothing then: an MCP question may take hours. */
  get hasOpen(): boolean {
    const isUnderWay = (call: Call) => call.isAnnounced || call.fields.status === 'in_progress';
    return [...this.#calls.values()].some((call) => isUnderWay(call) && !call.hasResult);
  }

  /** Takes a `tool_call` or `tool_call_update`. */
  apply(fields: ToolCallFields, content: unknown): AgentEvent[] {
    if (fields.toolCallId === undefined) return [];
    const call = this.#merge(fields.toolCallId, fields, content);
    call.isTold = true;
    const events: AgentEvent[] = [];
    if (!call.isAnnounced && (!isStillEmpty(call.fields) || hasEnded(call.fields)))
      events.push(this.#announce(call));
    if (!call.hasResult && hasEnded(call.fields)) {
      call.hasResult = true;
      events.push({
        type: 'tool-result',
        id: fields.toolCallId,
        isError: call.fields.status === 'failed',
        output: outputOf(call),
      });
    }
    return events;
  }

  /** What the agent wants to do, from its request and from what it reported about the call before. */
  merge(
    fields: ToolCallFields,
    content: unknown,
  ): { fields: ToolCallFields; changes: readonly FileChange[] } {
    const call = this.#merge(fields.toolCallId ?? '', fields, content);
    return { fields: call.fields, changes: changesIn(call.content) };
  }

  /** The calls that were reported but held back because they were still empty. */
  flush(): AgentEvent[] {
    const held = [...this.#calls.values()].filter((call) => call.isTold && !call.isAnnounced);
    return held.map((call) => this.#announce(call));
  }

  #merge(id: string, fields: ToolCallFields, content: unknown): Call {
    const known = this.#calls.get(id);
    const call = known ?? { fields, content: [], isTold: false, isAnnounced: false, hasResult: false };
    call.fields = { ...call.fields, ...definedOf(fields) };
    if (Array.isArray(content)) call.content = contentOf(content);
    this.#calls.set(id, call);
    return call;
  }

  #announce(call: Call): AgentEvent {
    call.isAnnounced = true;
    return { type: 'tool-call', ...permissionRequestOf(call.fields) };
  }
}

/** What a tool does, as far as permissions care. */
export function toolKindOf(kind: string | undefined): ToolKind {
  return KINDS[kind ?? ''] ?? 'other';
}

/** A call as people and the policy see it. */
function permissionRequestOf(fields: ToolCallFields): PermissionRequest {
  const name = fields.name ?? claudeToolName(fields) ?? fields.title ?? fields.kind ?? 'tool';
  return {
    id: fields.toolCallId ?? '',
    name: oneLine(name),
    kind: toolKindOf(fields.kind),
    title: oneLine(titleOf(fields, name)),
    input: fields.rawInput ?? inputFrom(fields),
  };
}

/** The keys of a tool's input that say what the call is about. */
const SUBJECTS = ['command', 'filePath', 'file_path', 'path', 'pattern', 'url', 'query'];

/** Adds what the call is about to a title that only names the tool. */
function titleOf({ title = '', kind, rawInput }: ToolCallFields, name: string): string {
  const isBare = title === '' || title === name || title === kind;
  const input =
    typeof rawInput === 'object' && rawInput !== null ? (rawInput as Record<string, unknown>) : {};
  const subject = SUBJECTS.map((key) => input[key]).find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (!isBare || subject === undefined || title.includes(String(subject))) return title === '' ? name : title;
  return `${title === '' ? name : title} ${String(subject)}`;
}

/** A call that needs permission, with every place it names anywhere and the contents the files would get. */
export function describeRequest(fields: ToolCallFields, changes: readonly FileChange[]): PermissionRequest {
  const told = permissionRequestOf(fields);
  const input = typeof told.input === 'object' && told.input !== null ? told.input : {};
  const named = PATH_KEYS.flatMap((key) => textsIn((input as Record<string, unknown>)[key]));
  const places = [
    ...(fields.locations ?? []).map(({ path }) => path),
    ...changes.map(({ path }) => path),
    ...named,
  ];
  // A place whose change is shown need not be listed again.
  const bare = fields.locations?.filter(({ path }) => !changes.some((change) => change.path === path));
  const shown = fields.rawInput === undefined ? inputFrom({ ...fields, locations: bare }) : told.input;
  return { ...told, input: shown, locations: [...new Set(places)], changes };
}

/** The keys agents use for files in the input of their tools. */
const PATH_KEYS = [
  ...['path', 'paths', 'file_path', 'filePath', 'filepath', 'absolute_path', 'notebook_path', 'target_file'],
  ...['abs_path', 'file', 'files', 'dir_path', 'directory', 'source', 'destination', 'new_path', 'newPath'],
];

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function changesIn(content: readonly ToolContent[]): FileChange[] {
  return content.flatMap(({ type, path, oldText, newText }) =>
    type === 'diff' && path !== undefined && newText !== undefined
      ? [{ path, oldText: oldText ?? null, newText }]
      : [],
  );
}

/** Stands in for the input if an agent reports none: Gemini has the command only in the title. */
function inputFrom({ title = '', kind, locations }: ToolCallFields): object | null {
  const told = {
    ...(oneLine(title) === title.trim() ? {} : { [kind === 'execute' ? 'command' : 'title']: title }),
    ...(locations?.length ? { locations } : {}),
  };
  return Object.keys(told).length === 0 ? null : told;
}

/** The tool's name from agents older than the protocol's `name` field. */
export function claudeToolName(fields: ToolCallFields): string | undefined {
  const own = fields._meta?.claudeCode;
  if (typeof own !== 'object' || own === null || !('toolName' in own)) return undefined;
  return typeof own.toolName === 'string' ? own.toolName : undefined;
}

/** opencode begins a call with just the name of the tool; what it is about follows a moment later. */
function isStillEmpty({ status, title = '', rawInput: input }: ToolCallFields): boolean {
  const isBegun = status === 'in_progress' && input !== undefined && /^\w*$/.test(title);
  if (status !== 'pending' && !isBegun) return false;
  return (
    input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
  );
}

function hasEnded(fields: ToolCallFields): boolean {
  return fields.status === 'completed' || fields.status === 'failed';
}

function contentOf(content: unknown): ToolContent[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((entry) => {
    const parsed = ToolContent.safeParse(entry);
    return parsed.success ? [parsed.data] : [];
  });
}

function outputOf(call: Call): string {
  const shown = call.content.map(contentText).filter((text) => text !== '');
  return shown.length > 0 ? shown.join('\n') : rawText(call.fields.rawOutput);
}

function contentText(content: ToolContent): string {
  if (content.type === 'content') return content.content?.text ?? '';
  if (content.type !== 'diff' || content.newText === undefined) return '';
  const after = lineCount(content.newText);
  const before = content.oldText === undefined ? 'new file' : counted(lineCount(content.oldText), 'line');
  return `${content.path ?? 'file'}: ${before} → ${counted(after, 'line')}`;
}

/** Adapters wrap the output of a command in an object of their own. */
function rawText(raw: unknown): string {
  if (raw === undefined || raw === null) return '';
  if (typeof raw === 'string') return raw;
  if (typeof raw === 'object') {
    for (const key of ['formatted_output', 'output', 'error']) {
      const value = (raw as Record<string, unknown>)[key];
      if (typeof value === 'string') return value;
    }
  }
  return JSON.stringify(raw);
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1)}…`;
}

function definedOf(fields: ToolCallFields): Partial<ToolCallFields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
