import { join } from 'node:path';
import { messageOf } from '../foundation/index.js';
import { type FileSystem, readUserFile } from '../storage/index.js';
import type { DriverTools } from './driver.js';

/** A larger transcript is not read: what it could tell is not worth the memory. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Runs a reader of other programs' files; any error goes to the log only. */
export async function readingQuietly<Found>(
  { log }: Pick<DriverTools, 'log'>,
  read: () => Found | Promise<Found>,
): Promise<Found | null> {
  try {
    return await read();
  } catch (error) {
    log.warn('agent.transcript-unreadable', { error: messageOf(error) });
    return null;
  }
}

/** The names in a directory; none if the directory does not exist. */
export function namesIn(fileSystem: FileSystem, directory: string): string[] {
  return fileSystem.look(directory) === undefined ? [] : fileSystem.list(directory);
}

/** Paths of the files in these directories whose names match. */
export function filesIn(
  fileSystem: FileSystem,
  directories: readonly string[],
  isWanted: (name: string) => boolean,
): string[] {
  return directories.flatMap((directory) =>
    namesIn(fileSystem, directory)
      .filter(isWanted)
      .map((name) => join(directory, name)),
  );
}

/** The JSON objects in a file of lines, limited to lines with one of these words; an incomplete last line is skipped. */
export function objectsIn(fileSystem: FileSystem, path: string, words: readonly string[]): object[] {
  const facts = fileSystem.look(path);
  if (facts === undefined || facts.size > MAX_BYTES) return [];
  const lines = readUserFile(fileSystem, path)?.split('\n') ?? [];
  return lines.filter((line) => words.some((word) => line.includes(word))).flatMap(parsed);
}

function parsed(line: string): object[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch {
    return []; // a line that is still being written, or not one of theirs
  }
}

/** Whether an id may be part of a path. */
export function isPlainId(id: string): boolean {
  return /^\w[\w-]*$/.test(id);
}

/** A moment; the epoch if the value is not one. */
export function momentOf(value: unknown): Date {
  const date = new Date(typeof value === 'string' || typeof value === 'number' ? value : 0);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}
