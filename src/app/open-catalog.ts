import {
  Catalog,
  type CatalogKind,
  changeKind,
  conversationKind,
  loopKind,
  processKind,
  questionKind,
} from '../catalog/index.js';
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

/** The sessions of every kind that can be seen from here. Only the commands that need them build them. */
export function openCatalog(services: Services): Catalog {
  return new Catalog(catalogKinds(services), services);
}

/** Each kind behind the verbs that all of them share. */
export function catalogKinds(services: Services): CatalogKind[] {
  const { tools, clock, log, config, questions, questionStore } = services;
  const { layout } = config;
  const { expiryDays } = interactiveSettings(services);
  const conversationRetentionMs = expiryDays === undefined ? RETENTION_MS : expiryDays * DAY_MS;
  return [
    questionKind({ questions, store: questionStore }),
    conversationKind({
      conversations: openConversations(services),
      store: new FileConversationStore(tools, { directory: layout.conversations }),
      retentionMs: conversationRetentionMs,
    }),
    loopKind({ loops: openLoops(services), clock }),
    changeKind({
      changes: openChanges(services),
      at: (project) => openChanges({ ...services, workingDirectory: project }),
      retentionMs: RETENTION_MS,
    }),
    processKind({
      processes: openProcesses(services),
      store: new FileProcessStore(tools, { directory: layout.processes, trash: layout.processTrash }),
      log,
      retentionMs: RETENTION_MS,
    }),
  ];
}
