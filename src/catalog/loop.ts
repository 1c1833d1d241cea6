import { isHoldfastError, SessionNotFoundError, visibleLine } from '../foundation/index.js';
import {
  type ListedLoop,
  type LoopSessions,
  type LoopView,
  loopLifecycle,
  showLoop,
} from '../sessions/loop/index.js';
import { exportFacts, exportRecord, recordSection } from './export.js';
import { faultsOf } from './faults.js';
import {
  type CatalogKind,
  LISTED_BY,
  type LoopDetail,
  type Recovery,
  type SessionSummary,
  UNREADABLE,
} from './kind.js';

/** Data kept elsewhere that moves along with its loop. */
export interface BesideLoops {
  remove(id: string): void;
  restore(id: string): unknown;
  purge(ids: readonly string[]): void;
}

/** The loops of this project in the catalog. */
export function loopKind(tools: {
  readonly loops: LoopSessions;
  readonly clock: { now(): Date };
  readonly beside?: BesideLoops | undefined;
}): CatalogKind {
  const { loops, clock, beside } = tools;
  const find = (id: string) => {
    const found = loops.list().find((one) => one.id === id);
    if (found === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return found;
  };
  const show = async ({ loop }: ListedLoop): Promise<LoopDetail> => showLoop.run({ loops: loop, clock }, {});
  return {
    kind: 'loop',
    statuses: loopLifecycle.states,
    ids: () => loops.list().map(({ id }) => id),
    list: async () => loops.list().map(summaryOf),
    summarize: async (id) => summaryOf(find(id)),
    get: async (id) => ({ kind: 'loop', detail: await show(find(id)) }),
    verify: async (id) => faultsOf(find(id).loop.verify()),
    recover: (id) => recover(find(id)),
    export: async (id, format) => {
      const found = find(id);
      const detail = await show(found);
      return format === 'json'
        ? exportRecord(detail)
        : exportFacts(summaryOf(found), [recordSection(detail)]);
    },
    remove: async (id) => {
      const { isArchived } = find(id);
      if (isArchived) loops.removeArchived(id);
      else await loops.remove();
      beside?.remove(id);
    },
    // Loops never age out: an unfinished one may be wanted at any later time.
    retentionMs: null,
    retirable: () => [],
    trashed: () => loops.trashed(),
    restore: async (trashed) => {
      const isRestored = await loops.restore(trashed);
      if (isRestored) beside?.restore(trashed.id);
      return isRestored;
    },
    purgeTrash: (olderThanMs) => {
      const purged = loops.purgeTrash(olderThanMs);
      beside?.purge(purged);
      return purged;
    },
  };
}

/** Opening a loop completes whatever a crash cut short; files that do not verify cannot be mended. */
async function recover({ loop, isArchived }: ListedLoop): Promise<Recovery> {
  const before = loop.verify();
  if (isArchived) return { found: faultsOf(before), told: ARCHIVED, keptAt: null, left: faultsOf(before) };
  try {
    (await loop.hold())[Symbol.dispose]();
  } catch (error) {
    if (!isHoldfastError(error, 'LOOP_NOT_RESUMABLE') || before.length === 0) throw error;
    const told = `${visibleLine(error.message)}. ${error.hint ?? ''}`;
    return { found: faultsOf(before), told, keptAt: null, left: faultsOf(loop.verify()) };
  }
  const left = loop.verify();
  const told = before.length === 0 ? WHOLE : left.length < before.length ? COMPLETED : GOES_ON;
  return { found: faultsOf(before), told, keptAt: null, left: faultsOf(left) };
}

const WHOLE = 'It is intact.';
const COMPLETED = 'What a crash cut short is now complete.';
const GOES_ON = 'It can be resumed; missing files are then created again.';
const ARCHIVED = 'It is in the archive, which is never changed.';

/** One refused directory in the archive must not hide the others; `verify` says why. */
function readQuietly(loop: LoopSessions): LoopView | undefined {
  try {
    return loop.get();
  } catch (error) {
    if (isHoldfastError(error)) return undefined;
    throw error;
  }
}

const OVER: ReadonlySet<string> = new Set(['completed', 'aborted']);

function summaryOf({ id, loop, isArchived }: ListedLoop): SessionSummary {
  const view = readQuietly(loop);
  const base = {
    kind: 'loop',
    id,
    agent: null,
    workingDirectory: loop.projectDirectory,
    isHidden: false,
  } as const;
  if (view === undefined) {
    const unknown = { title: '', createdAt: null, lastActivity: null, isDamaged: true, isLive: false };
    return { ...base, status: UNREADABLE, ...unknown, isEnded: isArchived };
  }
  const { state, status, owner, faults } = view;
  return {
    ...base,
    status,
    title: isArchived ? `${state.prpFile} (archived)` : state.prpFile,
    createdAt: state.startedAt,
    lastActivity: state.lastActivity ?? state.startedAt,
    isDamaged: faults.length > 0,
    isLive: !isArchived && owner.hold === 'held',
    isEnded: isArchived || OVER.has(status),
  };
}
