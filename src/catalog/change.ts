import { type Clock, type Logger, SessionNotFoundError } from '../foundation/index.js';
import {
  type ChangeSessionSummary,
  type ChangeSessions,
  changeLifecycle,
  type RecoverReport,
} from '../sessions/change/index.js';
import { cleanSessions } from './clean.js';
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

/** Change sessions in the catalog: those of this project, and active ones elsewhere that the temporary directory tells of. */
export function changeKind(tools: {
  /** Those that are found from here. */
  readonly changes: ChangeSessions;
  /** Those that are found from another project. */
  readonly at: (project: string) => ChangeSessions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly retentionMs: number;
}): CatalogKind {
  const { changes, at, clock, log, retentionMs } = tools;
  /** Of several with one id the active one, else the last. */
  const find = (id: string) => {
    const found = changes.summaries().find((summary) => summary.id === id);
    if (found === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return found;
  };
  const trash = trashOfChanges(changes);
  return {
    kind: 'change',
    statuses: changeLifecycle.states,
    ids: () => [...new Set(changes.summaries().map(({ id }) => id))],
    list: async () => changes.summaries().map(summaryOf),
    summarize: async (id) => summaryOf(find(id)),
    show: async (id) => ({ kind: 'change', detail: at(find(id).project).get(id) }),
    verify: async (id) => faultsOf(find(id).faults),
    recover: async (id): Promise<Recovery> => {
      const { faults, project } = find(id);
      const report = await at(project).recover(id);
      const left = changes.summaries().find((summary) => summary.id === id)?.faults ?? [];
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
    clean: async ({ olderThanMs = retentionMs, isDryRun }) => {
      const found = changes.summaries();
      const byLine = new Map(found.map((summary) => [summaryOf(summary), summary]));
      const retire = async (line: SessionSummary) => {
        const { id, project } = byLine.get(line) ?? find(line.id);
        await at(project).remove(id, { createdAt: line.createdAt ?? undefined });
        return true;
      };
      const whyKept = (line: SessionSummary) =>
        (byLine.get(line)?.unflushedLearnings ?? 0) === 0
          ? undefined
          : `what it learned is not in design.md yet; \`holdfast change recover ${line.id}\` writes it there`;
      const limit = clock.now().getTime() - olderThanMs;
      return cleanSessions([...byLine.keys()], { limit, isDryRun, whyKept, retire, trash, log });
    },
    trash,
  };
}

function trashOfChanges(changes: ChangeSessions): KindTrash {
  return {
    entries: () => changes.trashed().map(({ sessionId, entry }) => ({ id: sessionId, entry })),
    restore: async ({ id, entry }) => changes.restore({ sessionId: id, entry }),
    purge: (olderThanMs = Number.NEGATIVE_INFINITY) =>
      changes.purgeTrash(olderThanMs).map(({ sessionId }) => sessionId),
  };
}

function tell(report: RecoverReport): string {
  const told = {
    whole: 'It is whole.',
    restored: 'Its claim was made again from the copy in the temporary directory.',
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
