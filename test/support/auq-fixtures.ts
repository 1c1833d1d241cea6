import { chmodSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FIXTURES = fileURLToPath(new URL('../fixtures/auq/', import.meta.url));

/** The id of an AUQ session by its number in the fixtures. */
export function auqId(number: number): string {
  return `a00000${String(number).padStart(2, '0')}-0000-4000-8000-000000000000`;
}

/** An AUQ session whose maker died right after it had made the directory. */
export const HALF_MADE = auqId(99);

/** Copies the sessions of AUQ into a directory, with the modes that AUQ gives them; returns their ids. */
export function copyAuqSessions(directory: string): string[] {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const ids = readdirSync(FIXTURES).filter((name) => name.startsWith('a00000'));
  for (const id of ids) {
    cpSync(join(FIXTURES, id), join(directory, id), { recursive: true });
    chmodSync(join(directory, id), 0o700);
    for (const name of readdirSync(join(directory, id))) chmodSync(join(directory, id, name), 0o600);
  }
  mkdirSync(join(directory, HALF_MADE), { mode: 0o700 });
  return [...ids, HALF_MADE];
}
