import { createHash } from 'node:crypto';
import * as z from 'zod';
import { isUuidV4 } from '../../foundation/index.js';
import type { MirrorRow, SessionRow } from '../../hub/index.js';
import type { OverviewRow } from '../../overview/index.js';

/*
 * A run in the mirror: its row of the overview, and nothing that the agent and the person said to each other. Another
 * machine wrote what comes back, so its form is checked here; words are shown through the same encoder as an agent's,
 * and a directory is only ever shown.
 */

const MAX_POINTS = 60;

const Words = z.string().max(8_192);
const Path = z.string().max(4_096);
const Time = z.iso.datetime({ offset: true });
const Count = z.int().nonnegative();

const MirroredRun = z.object({
  id: z.string().refine(isUuidV4),
  project: Path.nullable(),
  worktree: z
    .object({ path: Path, branch: Path, repository: Path, repositoryName: Path.optional() })
    .optional(),
  title: Words,
  agent: Words.nullable(),
  // Its questions are in the mirror separately.
  group: z.enum(['rests', 'works', 'ended']),
  status: z.string().max(40),
  phase: Words.nullable(),
  tests: z.array(z.object({ passing: Count, total: Count })).max(MAX_POINTS),
  cost: z
    .object({
      usd: z.number().nonnegative().max(1e9),
      source: z.enum(['reported', 'priced', 'unknown']),
    })
    .nullable(),
  startedAt: Time,
  since: Time,
  why: Words.nullable(),
  isRunning: z.boolean(),
  isArchived: z.boolean(),
});

/** A run's row for the mirror. A row with the same content has the same stamp. */
export function rowOfRun(row: OverviewRow): MirrorRow {
  const { id, project, worktree, title, agent, group, status, phase, cost, startedAt, since, why } = row;
  const summary = {
    id,
    project: cutAt(project, 4_096),
    ...(worktree === undefined ? {} : { worktree }),
    title: cutAt(title, 8_192),
    agent,
    group,
    status,
    phase,
    tests: row.tests.slice(-MAX_POINTS),
    cost,
    startedAt,
    since,
    why: cutAt(why, 8_192),
    isRunning: row.isRunning,
    isArchived: row.isArchived,
  };
  return {
    id,
    stamp: createHash('sha256').update(JSON.stringify(summary)).digest('hex'),
    state: status,
    needs_person: false,
    is_ended: group === 'ended',
    created_at: startedAt,
    last_activity: since,
    summary,
  };
}

/** A run of another machine; undefined for a row that is no run, or whose content has a different id. */
export function runOfRow(row: SessionRow): OverviewRow | undefined {
  const result = MirroredRun.safeParse(row.summary);
  if (!result.success || result.data.id !== row.id) return undefined;
  const { worktree, ...data } = result.data;
  const { request, request_kind: kind, request_by: by } = row;
  return {
    ...data,
    // Two machines may claim the same run.
    key: `run:${row.id}@${row.home}`,
    kind: 'run',
    machine: row.machine,
    ...(worktree === undefined ? {} : { worktree }),
    ...(request === null ? {} : { onItsWay: { request, kind: kind ?? '', by: by ?? '' } }),
    question: null,
  };
}

function cutAt<Text extends string | null>(text: Text, max: number): Text {
  return (text === null ? null : text.slice(0, max)) as Text;
}
