import {
  Catalog,
  changeKind,
  conversationKind,
  loopKind,
  processKind,
  questionKind,
} from '../catalog/index.js';
import { KeptJournals } from '../run/journal/keep-journals.js';
import { FileConversationStore } from '../sessions/conversation/index.js';
import { FileProcessStore } from '../sessions/process/index.js';
import { interactiveSettings } from './aurora-config.js';
import { openConversations } from './conversations.js';
import { openLoops } from './loops.js';
import { openChanges } from './open-changes.js';
import { openProcesses } from './processes.js';
import type { Services } from './services.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long sessions are kept after their last activity where nothing else is configured. */
const RETENTION_MS = 30 * DAY_MS;

function journalsOf({ tools, config }: Services): KeptJournals {
  return new KeptJournals(tools, { runs: config.layout.runs, trash: config.layout.runTrash });
}

/** The sessions of every kind that can be seen from here. Only the commands that need them build them. */
export function openCatalog(services: Services): Catalog {
  const { tools, clock, log, config, questions, questionStore } = services;
  const { layout } = config;
  const { expiryDays } = interactiveSettings(services);
  const conversationRetentionMs = expiryDays === undefined ? RETENTION_MS : expiryDays * DAY_MS;
  return new Catalog(
    [
      questionKind({ questions, store: questionStore }),
      conversationKind({
        conversations: openConversations(services),
        store: new FileConversationStore(tools, { directory: layout.conversations }),
        retentionMs: conversationRetentionMs,
      }),
      loopKind({ loops: openLoops(services), clock, beside: journalsOf(services) }),
      changeKind({
        changes: openChanges(services),
        at: (project) => openChanges({ ...services, workingDirectory: project }),
        clock,
        log,
        retentionMs: RETENTION_MS,
      }),
      processKind({
        processes: openProcesses(services),
        store: new FileProcessStore(tools, { directory: layout.processes, trash: layout.processTrash }),
        clock,
        log,
        retentionMs: RETENTION_MS,
      }),
    ],
    { log },
  );
}
