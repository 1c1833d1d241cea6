import { type Retirable, SessionNotFoundError } from '../foundation/index.js';
import {
  type ChangeRecovery,
  type ChangeSessionSummary,
  type ChangeSessions,
  changeLifecycle,
} from '../sessions/change/index.js';
import { exportFacts, exportRecord, recordSection } from './export.js';
import { faultsOf } from './faults.js';
import {
  type CatalogKind,
  type KindTrash,
  LISTED_BY,
  type Recovery,
  type SessionSummary,
  UNREADABLE,
} from './kind.js';

/**
 * Change sessions in the catalog: those of this project, and active ones elsewhere that the temporary directory knows
 * about.
 */
export function changeKind(tools: {
  /** The sessions that can be found from here. */
  readonly changes: ChangeSessions;
  /** The sessions that can be found from another project. */
  readonly at: (project: string) => ChangeSessions;
  readonly retentionMs: number;
}): CatalogKind {
  const { changes, at, retentionMs } = tools;
  /** If several have the same id: the active one, otherwise the last. */
  const find = (id: string) => {
    const found = changes.list().find((summary) => summary.id === id);
    if (found === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return found;
  };
  return {
    kind: 'change',
    statuses: changeLifecycle.states,
    ids: () => [...new Set(changes.list().map(({ id }) => id))],
    list: async () => changes.list().map(summaryOf),
    summarize: async (id) => summaryOf(find(id)),
    get: async (id) => ({ kind: 'change', detail: at(find(id).project).get(id) }),
    verify: async (id) => faultsOf(find(id).faults),
    recover: async (id): Promise<Recovery> => {
      const { faults, project } = find(id);
      const report = await at(project).recover(id);
      const left = changes.list().find((summary) => summary.id === id)?.faults ?? [];
      return { found: faultsOf(faults), told: tell(report), keptAt: report.keptAt, left: faultsOf(left) };
    },
    export: async (id, format) => {
      const summary = find(id);
      const state = at(summary.project).get(id);
      return format === 'json'
        ? exportRecord(state)
        : exportFacts(summaryOf(summary), [recordSection(state)]);
    },
    remove: async (id) => {
      await at(find(id).project).remove(id);
    },
    retentionMs,
    *retirable(before) {
      for (const summary of changes.list()) yield retirableOf(summary, before, at(summary.project));
    },
    ...trashOfChanges(changes),
  };
}

/** An ended session, unless something in it is still needed; `there` gives access to the sessions of its project. */
function retirableOf(summary: ChangeSessionSummary, before: number, there: ChangeSessions): Retirable {
  const { id, state, createdAt, updatedAt, unflushedLearnings } = summary;
  const kept =
    state === 'active'
      ? 'it is in use'
      : unflushedLearnings > 0
        ? `what it learned is not in design.md yet; \`holdfast change recover ${id}\` writes it there`
        : undefined;
  return {
    id,
    look: () => (updatedAt !== null && Date.parse(updatedAt) < before ? { kept } : undefined),
    async retire() {
      await there.remove(id, { createdAt: createdAt ?? undefined });
      return true;
    },
  };
}

function trashOfChanges(changes: ChangeSessions): KindTrash {
  return {
    trashed: () => changes.trashed().map(({ sessionId, entry }) => ({ id: sessionId, entry })),
    restore: async ({ id, entry }) => changes.restore({ sessionId: id, entry }),
    purgeTrash: (olderThanMs) => changes.purgeTrash(olderThanMs).map(({ sessionId }) => sessionId),
  };
}

function tell(report: ChangeRecovery): string {
  const told = {
    whole: 'It is intact.',
    restored: 'Its claim was restored from the copy in the temporary directory.',
    freed: `Nobody holds ${report.changeName} now; there was no copy of its claim.`,
    'learnings-written': `What it had learned (${report.learningsWritten}) is in design.md now.`,
  };
  return told[report.outcome];
}

function summaryOf(summary: ChangeSessionSummary): SessionSummary {
  const isDamaged = summary.faults.length > 0;
  const isActive = summary.state === 'active';
  return {
    kind: 'change',
    id: summary.id,
    status: isDamaged ? UNREADABLE : summary.state,
    title: summary.title,
    agent: null,
    workingDirectory: summary.project,
    createdAt: summary.createdAt,
    lastActivity: summary.updatedAt,
    isDamaged,
    isLive: isActive,
    isEnded: !isActive,
    isHidden: false,
  };
}
