import { messageOf, redact } from '../../foundation/index.js';
import {
  attempt,
  closeQuietly,
  ensureDirectory,
  lookAt,
  openForAppending,
  readFile,
  replaceQuick,
} from '../../storage/index.js';
import type { RunShelf } from '../open/run-services.js';
import { runFile } from './run-memory.js';

/** The log of a run of many days never grows beyond this; its newest lines are kept. */
const MAX_BYTES = 1024 * 1024;

/**
 * What a run said, line by line, for those who were not there: `runs/<session>.log`, over all its starts. It may not survive
 * power loss, and a disk that takes no more ends the log, never the run.
 */
export class RunLog implements Disposable {
  readonly #services: RunShelf;
  readonly #path: string | undefined;
  #descriptor: number | undefined;
  #bytes = 0;
  #hasFailed = false;

  constructor(services: RunShelf, sessionId: string) {
    this.#services = services;
    this.#path = runFile(services, sessionId, 'log');
  }

  add(lines: readonly string[]): void {
    if (lines.length === 0 || this.#path === undefined || this.#hasFailed) return;
    try {
      this.#append(this.#path, lines);
    } catch (error) {
      this.#hasFailed = true;
      this.#services.log.warn('run.log-not-written', { path: this.#path, error: messageOf(error) });
    }
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== undefined) closeQuietly(this.#services.tools.fileSystem, this.#descriptor);
    this.#descriptor = undefined;
  }

  #append(path: string, lines: readonly string[]): void {
    const { tools, runs, clock } = this.#services;
    const { fileSystem } = tools;
    const at = clock.now().toISOString();
    const bytes = Buffer.from(lines.map((line) => `${at} ${redact(line)}\n`).join(''), 'utf8');
    if (this.#descriptor === undefined) {
      ensureDirectory(fileSystem, runs);
      this.#bytes = lookAt(fileSystem, path)?.size ?? 0;
    }
    if (this.#bytes + bytes.length > MAX_BYTES) this.#shorten(path);
    const descriptor = this.#descriptor ?? openForAppending(fileSystem, path, { isFresh: false });
    this.#descriptor = descriptor;
    attempt(path, 'write', () => fileSystem.write(descriptor, bytes, 0, bytes.length, null));
    this.#bytes += bytes.length;
  }

  /** Keeps the newer half. */
  #shorten(path: string): void {
    const { tools } = this.#services;
    this[Symbol.dispose]();
    const text = readFile(tools.fileSystem, path) ?? '';
    const half = text.slice(text.indexOf('\n', text.length - MAX_BYTES / 2) + 1);
    const kept = `(earlier lines were left out)\n${half}`;
    replaceQuick(tools, path, kept);
    this.#bytes = Buffer.byteLength(kept);
  }
}

/** Where the lines of a run are, if it has any. */
export function logPath(services: RunShelf, sessionId: string): string | null {
  const path = runFile(services, sessionId, 'log');
  if (path === undefined || lookAt(services.tools.fileSystem, path) === undefined) return null;
  return path;
}
