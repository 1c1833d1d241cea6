import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { JournalEntry } from '../run/index.js';
import type { OverviewRow } from './row.js';

/** The overview, as the composition provides it. */
export interface OverviewReader {
  rows(): Promise<readonly OverviewRow[]>;
}

export interface OverviewOperationParts {
  readonly overview: OverviewReader;
}

export const listOverview = defineOperation({
  name: 'overview.list',
  summary: 'See every run, chat and question of every project, what is waiting for you first',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    /** Only rows of these kinds; all kinds if absent. */
    kinds: z.array(z.enum(['run', 'chat', 'question', 'agent', 'entry', 'worker'])).optional(),
  }),
  output: z.custom<readonly OverviewRow[]>(),
  async run({ overview }: OverviewOperationParts, { kinds }) {
    const rows = await overview.rows();
    return kinds === undefined ? rows : rows.filter(({ kind }) => kinds.includes(kind));
  },
});

/** The journals of runs, as the composition provides them. */
export interface RunLogs {
  /** Throws RUN_NOT_FOUND, AMBIGUOUS_ID. */
  read(run: string | undefined): readonly JournalEntry[];
}

export const readRunLog = defineOperation({
  name: 'run.log',
  summary: 'Show what happened in a run of any project, line by line',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  input: z.strictObject({
    /** Its id, or 4 or more characters of it; the run of this project if absent. */
    run: z.string().optional(),
    /** Only what happened since then. */
    since: z.iso.datetime().optional(),
  }),
  output: z.custom<readonly JournalEntry[]>(),
  async run({ logs }: { readonly logs: RunLogs }, { run, since }) {
    const entries = logs.read(run);
    return since === undefined ? entries : entries.filter(({ at }) => at >= since);
  },
});

/** What can be said about a run of any project without its journal. */
export interface RunFacts {
  readonly id: string;
  /** The machine it is on; absent for this one. */
  readonly machine?: string | undefined;
  readonly row: OverviewRow | null;
  readonly project: string;
  readonly isArchived: boolean;
  /** False if it ran before there were journals. */
  readonly hasJournal: boolean;
  /** What a person would type to look at it or to continue it. */
  readonly commands: readonly string[];
}

export interface RunFactsParts {
  readonly runFacts: {
    /** Throws RUN_NOT_FOUND, AMBIGUOUS_ID. */
    read(run: string): Promise<RunFacts>;
  };
}

export const showRunAnywhere = defineOperation({
  name: 'run.show',
  summary: 'Show one run of any project',
  effect: 'read',
  capability: 'view',
  surfaces: ['page', 'fleet'],
  input: z.strictObject({
    /** Its id, or 4 or more characters of it. */
    run: z.string(),
  }),
  output: z.custom<RunFacts>(),
  run: async ({ runFacts }: RunFactsParts, { run }) => runFacts.read(run),
});

/** Every action of the overview, for the registry. */
export const overviewOperations = [listOverview, readRunLog, showRunAnywhere] as const;
