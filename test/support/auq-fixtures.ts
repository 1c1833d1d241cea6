import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type QuestionWorld, questionWorld } from './question-world.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/auq/', import.meta.url));

/** The id of an AUQ session by its number in the fixtures. */
export function auqId(number: number): string {
  return `a00000${String(number).padStart(2, '0')}-0000-4000-8000-000000000000`;
}

/** An AUQ session whose creator died right after creating the directory. */
export const HALF_MADE = auqId(99);

/** Copies all sessions of AUQ into a directory, and a half-made one. */
export function copyAuqSessions(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const id of readdirSync(FIXTURES).filter((name) => name.startsWith('a00000')))
    copyAuqSession(directory, id);
  mkdirSync(join(directory, HALF_MADE), { mode: 0o700 });
}

/** Copies one session of AUQ, with the modes AUQ gives it. */
export function copyAuqSession(directory: string, id: string): void {
  const target = join(directory, id);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(join(FIXTURES, id))) {
    copyFileSync(join(FIXTURES, id, name), join(target, name));
    chmodSync(join(target, name), 0o600);
  }
}

/** A moment before any of their deadlines. */
export const NOW = '2026-02-20T10:00:00.000Z';

/** Question sessions over what AUQ wrote. */
export async function auqWorld(): Promise<QuestionWorld> {
  const world = await questionWorld();
  copyAuqSessions(world.base);
  world.clock.jumpTo(NOW);
  return world;
}

/** The fixtures by number, with the state of each. */
export const STATES: readonly [number, string][] = [
  [1, 'pending'],
  [2, 'pending'],
  [3, 'completed'],
  [4, 'completed'],
  [5, 'rejected'],
  [6, 'rejected'],
  [7, 'timed_out'],
  [8, 'abandoned'],
  [9, 'completed'],
  [10, 'completed'],
  [11, 'pending'],
  [12, 'pending'],
  [13, 'pending'],
  [14, 'pending'],
  [15, 'completed'],
  [16, 'pending'],
  [17, 'pending'],
  [18, 'completed'],
  [19, 'completed'],
  [20, 'pending'],
  [21, 'pending'],
  [22, 'pending'],
];
