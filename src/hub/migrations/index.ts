import { INBOX_SQL } from './0001-inbox.js';
import { RUNS_SQL } from './0002-runs.js';
import { QUEUE_SQL } from './0003-queue.js';
import { CHECKPOINT_SQL } from './0004-checkpoint.js';

/** One step of the schema: applied completely or not at all, and never changed after its release. */
export interface Migration {
  readonly n: number;
  readonly sql: string;
}

/** All steps in order. The SQL is in TypeScript so that the bundle carries it without an extra file. */
export const MIGRATIONS: readonly Migration[] = [
  { n: 1, sql: INBOX_SQL },
  { n: 2, sql: RUNS_SQL },
  { n: 3, sql: QUEUE_SQL },
  { n: 4, sql: CHECKPOINT_SQL },
];

/** The version of the functions this program speaks; a schema that requires a later one refuses it. */
export const CLIENT = 1;
