import { isObject } from '../foundation/index.js';
import { attempt, closeQuietly, type FileSystem, OpenFlags, resolveUserPath } from '../storage/index.js';
import type { HookTool } from './events.js';

/** How far before the end of a transcript the hook's own call may be. */
const LOOK_BACK_BYTES = 4 * 1024 * 1024;
/** How much is read in one look; the rest is read in the next one. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** The end of an agent's transcript as it grows: the tool calls in it, and which of them have a result. */
export class TranscriptTail {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  #at: number | undefined;
  #rest = '';
  /** The calls without a result so far, by id. */
  readonly #open = new Map<string, HookTool>();
  /** Calls whose result came since we started looking. */
  readonly #done: HookTool[] = [];

  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.#path = path;
    this.#read();
    // A call that ended before the hook began is another one, however alike.
    this.#done.length = 0;
  }

  /** Whether a call like this one has got its result since the hook began. */
  hasResultOf(tool: HookTool): boolean {
    this.#read();
    return this.#done.some((call) => isSameCall(call, tool));
  }

  /** Never throws: an unreadable transcript gives no signs. */
  #read(): void {
    try {
      const lines = `${this.#rest}${this.#readNew()}`.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    } catch {
      // The agent's own files may be anything; the other signs remain.
    }
  }

  #readNew(): string {
    const real = resolveUserPath(this.#fileSystem, this.#path);
    if (real === undefined) return '';
    const descriptor = attempt(real, 'open', () => this.#fileSystem.open(real, OpenFlags.read));
    try {
      const { size, kind } = this.#fileSystem.factsOf(descriptor);
      if (kind !== 'file') return '';
      const from = this.#at ?? Math.max(0, size - LOOK_BACK_BYTES);
      const buffer = Buffer.alloc(Math.max(0, Math.min(size - from, MAX_READ_BYTES)));
      const read = this.#fileSystem.read(descriptor, buffer, 0, buffer.length, from);
      this.#at = from + read;
      // A character may be cut at the end of a read; calls and results are matched by their ids, which are ASCII.
      return buffer.toString('utf8', 0, read);
    } finally {
      closeQuietly(this.#fileSystem, descriptor);
    }
  }

  #take(line: string): void {
    if (!line.includes('"tool_')) return;
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      return; // the cut beginning, or a line that is not a record
    }
    for (const { id, call } of callsIn(entry)) this.#open.set(id, call);
    for (const id of resultsIn(entry)) {
      const call = this.#open.get(id);
      if (call !== undefined) this.#done.push(call);
      this.#open.delete(id);
    }
  }
}

function contentOf(entry: unknown): readonly Readonly<Record<string, unknown>>[] {
  const message = isObject(entry) ? entry.message : undefined;
  const content = isObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function callsIn(entry: unknown): { id: string; call: HookTool }[] {
  return contentOf(entry).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof id === 'string' && typeof name === 'string' && isObject(input)
      ? [{ id, call: { name, input } }]
      : [],
  );
}

function resultsIn(entry: unknown): string[] {
  return contentOf(entry).flatMap(({ type, tool_use_id: id }) =>
    type === 'tool_result' && typeof id === 'string' ? [id] : [],
  );
}

function isSameCall(one: HookTool, other: HookTool): boolean {
  return one.name === other.name && sorted(one.input) === sorted(other.input);
}

/** The same text for the same values, in whatever order an agent writes its keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
