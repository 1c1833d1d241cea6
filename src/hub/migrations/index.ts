import { INBOX_SQL } from './0001-inbox.js';
import { RUNS_SQL } from './0002-runs.js';
import { QUEUE_SQL } from './0003-queue.js';
import { CHECKPOINT_SQL } from './0004-checkpoint.js';

/** One step of the schema: applied whole or not at all, and never changed once it was released. */
export interface Migration {
  readonly n: number;
  readonly sql: string;
}

/** Every step in order. SQL in TypeScript, so that the bundle carries it without a file beside it. */
export const MIGRATIONS: readonly Migration[] = [
  { n: 1, sql: INBOX_SQL },
  { n: 2, sql: RUNS_SQL },
  { n: 3, sql: QUEUE_SQL },
  { n: 4, sql: CHECKPOINT_SQL },
];

/** What this program speaks with the functions; a schema that asks for more refuses it. */
export const CLIENT = 1;
