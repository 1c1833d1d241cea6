import { isHoldfastError, SessionNotFoundError, visibleLine } from '../foundation/index.js';
import {
  type LoopSessions,
  type LoopView,
  loopLifecycle,
  showLoop,
  UNREADABLE_LOOP,
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

/** One loop of the project: the one that is there, or one of its archive. */
interface Found {
  readonly id: string;
  readonly loop: LoopSessions;
  readonly isArchived: boolean;
}

/** The loops of this project in the catalog. */
export function loopKind(tools: {
  readonly loops: LoopSessions;
  readonly clock: { now(): Date };
}): CatalogKind {
  const { loops, clock } = tools;
  const find = (id: string) => {
    const found = all(loops).find((one) => one.id === id);
    if (found === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return found;
  };
  const show = async ({ loop }: Found): Promise<LoopDetail> => showLoop.run({ loops: loop, clock }, {});
  return {
    kind: 'loop',
    statuses: loopLifecycle.states,
    ids: () => all(loops).map(({ id }) => id),
    list: async () => all(loops).map(summaryOf),
    summarize: async (id) => summaryOf(find(id)),
    show: async (id) => ({ kind: 'loop', detail: await show(find(id)) }),
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
    },
    // Loops never age out: what was not finished may be wanted after any time.
    clean: async () => ({ retired: [], purged: [], skipped: [] }),
    trash: {
      entries: () => loops.trashed(),
      restore: (trashed) => loops.restore(trashed),
      purge: (olderThanMs = Number.NEGATIVE_INFINITY) => loops.purgeTrash(olderThanMs),
    },
  };
}

/** After a crash the session that is there may be in the archive as well: then it is the one that goes on. */
function all(loops: LoopSessions): Found[] {
  const current = loops.isFound()
    ? [{ id: loops.read()?.sessionId ?? UNREADABLE_LOOP, loop: loops, isArchived: false }]
    : [];
  const archived = loops
    .archived()
    .map(({ name, loop }) => ({ id: name, loop, isArchived: true }))
    .filter(({ id }) => id !== current[0]?.id);
  return [...current, ...archived];
}

/** Opening a loop completes what a crash cut short; files that do not verify are nothing that can be mended. */
async function recover({ loop, isArchived }: Found): Promise<Recovery> {
  const before = loop.verify();
  if (isArchived) return { found: faultsOf(before), told: ARCHIVED, keptAt: null, left: faultsOf(before) };
  try {
    (await loop.open())[Symbol.dispose]();
  } catch (error) {
    if (!isHoldfastError(error, 'LOOP_NOT_RESUMABLE') || before.length === 0) throw error;
    const told = `${visibleLine(error.message)}. ${error.hint ?? ''}`;
    return { found: faultsOf(before), told, keptAt: null, left: faultsOf(loop.verify()) };
  }
  const left = loop.verify();
  const told = before.length === 0 ? WHOLE : left.length < before.length ? COMPLETED : GOES_ON;
  return { found: faultsOf(before), told, keptAt: null, left: faultsOf(left) };
}

const WHOLE = 'It is whole.';
const COMPLETED = 'What a crash had cut short is complete now.';
const GOES_ON = 'It can be resumed; missing files are then created again.';
const ARCHIVED = 'It is in the archive, which stays as it is.';

/** One directory of the archive that is refused must not keep anybody from the others; `verify` says why. */
function readQuietly(loop: LoopSessions): LoopView | undefined {
  try {
    return loop.read();
  } catch (error) {
    if (isHoldfastError(error)) return undefined;
    throw error;
  }
}

const OVER: ReadonlySet<string> = new Set(['completed', 'aborted']);

function summaryOf({ id, loop, isArchived }: Found): SessionSummary {
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
