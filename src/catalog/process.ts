import { join } from 'node:path';
import { counted, HoldfastError, isHoldfastError, type Logger, messageOf } from '../foundation/index.js';
import {
  type FileProcessStore,
  isProcessId,
  type ProcessInfo,
  type ProcessSessions,
  processLifecycle,
} from '../sessions/process/index.js';
import { DocumentDamagedError } from '../storage/index.js';
import { exportFacts, exportRecord, recordSection } from './export.js';
import { faultOf } from './faults.js';
import { type CatalogKind, type Recovery, type SessionSummary, UNREADABLE } from './kind.js';
import { trashOf } from './trash.js';

/** Process sessions in the catalog. */
export function processKind(tools: {
  readonly processes: ProcessSessions;
  readonly store: FileProcessStore;
  readonly log: Logger;
  readonly retentionMs: number;
}): CatalogKind {
  const { processes, store, log, retentionMs } = tools;
  const summarize = async (id: string) => {
    try {
      return summaryOf(processes.get(id));
    } catch (error) {
      if (!isDamage(error)) throw error;
      return damagedSummary(id, store.ownerOf(id).hold === 'held');
    }
  };
  const list = async () => {
    const summaries: SessionSummary[] = [];
    for (const id of store.ids()) {
      try {
        summaries.push(await summarize(id));
      } catch (error) {
        if (!(error instanceof HoldfastError)) throw error;
        // It went away while we were listing, or was killed before it had a record.
        if (isHoldfastError(error, 'SESSION_NOT_FOUND')) continue;
        log.warn('catalog.session-not-listed', { kind: 'process', sessionId: id, error: error.message });
      }
    }
    return summaries;
  };
  return {
    kind: 'process',
    statuses: [...processLifecycle.states, 'interrupted', 'resumable', 'left'],
    ids: () => store.ids(),
    list,
    summarize,
    get: async (id) => ({ kind: 'process', detail: processes.get(id) }),
    verify: async (id) => {
      try {
        store.read(id);
        return [];
      } catch (error) {
        if (!isDamage(error)) throw error;
        return [faultOf(messageOf(error))];
      }
    },
    recover: async (id): Promise<Recovery> => {
      refuseDamaged(() => store.read(id));
      return { found: [], told: 'It is intact.', keptAt: null, left: [] };
    },
    export: async (id, format) => {
      const info = processes.get(id);
      return format === 'json' ? exportRecord(info) : exportFacts(summaryOf(info), [recordSection(info)]);
    },
    remove: async (id) => {
      await store.remove(id);
    },
    retentionMs,
    retirable: (before) => processes.retirable(before),
    ...trashOf({ trash: store.trash, isId: isProcessId, pathOf: (id) => join(store.directory, id) }),
  };
}

function isDamage(error: unknown): error is DocumentDamagedError {
  return error instanceof DocumentDamagedError;
}

function refuseDamaged(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    const hint = 'Nothing can be recovered; `holdfast sessions delete <id>` moves it to the trash.';
    throw new DocumentDamagedError(error.path, error.reason, { cause: error.cause, hint });
  }
}

function summaryOf(info: ProcessInfo): SessionSummary {
  const { standing, state } = info;
  return {
    kind: 'process',
    id: info.id,
    status: standing === 'live' || standing === 'over' ? state : standing,
    title: counted(info.promptCount, 'prompt'),
    agent: info.agent,
    workingDirectory: info.launch.workingDirectory,
    createdAt: info.createdAt,
    lastActivity: info.lastActivity,
    isDamaged: false,
    isLive: standing === 'live',
    isEnded: standing === 'over',
    isHidden: false,
  };
}

function damagedSummary(id: string, isLive: boolean): SessionSummary {
  return {
    kind: 'process',
    id,
    status: UNREADABLE,
    title: '',
    agent: null,
    workingDirectory: null,
    createdAt: null,
    lastActivity: null,
    isDamaged: true,
    isLive,
    isEnded: false,
    isHidden: false,
  };
}
