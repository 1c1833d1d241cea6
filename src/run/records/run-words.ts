import { join } from 'node:path';
import { redact } from '../../foundation/index.js';
import { attempt, ensureDirectory, openForAppending, readFile, removeQuietly } from '../../storage/index.js';
import type { RunShelf } from '../open/run-services.js';
import { runFile } from './run-memory.js';

const TAIL_CHARACTERS = 16 * 1024;

/**
 * A new file for what a run in the background writes to stderr. The descriptor is for the run's process and is closed once
 * that has started. Throws STORAGE_FAILED.
 */
export function openWords({ tools, runs }: RunShelf): { path: string; descriptor: number } {
  ensureDirectory(tools.fileSystem, runs);
  const path = join(runs, `.${tools.ids.token()}.err`);
  return { path, descriptor: openForAppending(tools.fileSystem, path, { isFresh: true }) };
}

/** Moves the file to its session's place, replacing an earlier one. */
export function keepWords(services: RunShelf, path: string, sessionId: string): void {
  const kept = runFile(services, sessionId, 'err');
  if (kept !== undefined) attempt(kept, 'write', () => services.tools.fileSystem.rename(path, kept));
}

/** The last words in a file, which is then removed. */
export function takeWords({ tools }: RunShelf, path: string): string {
  const words = readFile(tools.fileSystem, path) ?? '';
  removeQuietly(tools.fileSystem, path);
  return words.slice(-TAIL_CHARACTERS);
}

/** What the last run of a session in the background said; null if it said nothing. */
export function lastWords(services: RunShelf, sessionId: string): string | null {
  const path = runFile(services, sessionId, 'err');
  const words = path === undefined ? '' : (readFile(services.tools.fileSystem, path)?.trim() ?? '');
  return words === '' ? null : redact(words.slice(-TAIL_CHARACTERS));
}
