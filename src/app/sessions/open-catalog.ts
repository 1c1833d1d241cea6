import {
  Catalog,
  type CatalogFilter,
  type CatalogKind,
  changeKind,
  conversationKind,
  type EverySession,
  listProjects,
  listWithProjects,
  loopKind,
  processKind,
  questionKind,
  severalPlaces,
} from '../../catalog/index.js';
import { DAY_MS } from '../../foundation/index.js';
import { KeptJournals } from '../../run/journal/keep-journals.js';
import { builtOnce, type Services, servicesAt } from '../services.js';
import { interactiveSettings } from '../settings/aurora-config.js';
import { openChanges } from './open-changes.js';
import { conversationStore, openConversations } from './open-conversations.js';
import { openLoops } from './open-loops.js';
import { openProcesses, processStore } from './open-processes.js';
import { projectTools } from './remembering.js';
import { worktreeKind, worktreeKinds } from './worktree-sessions.js';

/** How long sessions are kept after their last activity unless configured otherwise. */
const RETENTION_MS = 30 * DAY_MS;

function journalsOf({ tools, config }: Services): KeptJournals {
  return new KeptJournals(tools, { runs: config.layout.runs, trash: config.layout.runTrash });
}

/** The sessions of every kind that can be seen from here. Only the commands that need them build them. */
export function openCatalog(services: Services): Catalog {
  return builtOnce(services, 'catalog', () => new Catalog(catalogKinds(services), services));
}

/** The sessions of every project, and the projects that are gone. Throws INVALID_INPUT for a status that no kind has. */
export async function listEverywhere(services: Services, filter: CatalogFilter): Promise<EverySession> {
  const projects = listProjects(projectTools(services));
  const others = projects
    .filter(({ path, isGone }) => !isGone && path !== services.workingDirectory)
    .map(({ path }) => servicesAt(services, path));
  const catalog = new Catalog(catalogKinds(services, others, { isEverywhere: true }), services);
  return {
    sessions: await listWithProjects(catalog, projects, filter),
    gone: projects.filter(({ isGone }) => isGone),
  };
}

/** Each kind behind the verbs that all of them share; kinds that belong to a project once per project. */
export function catalogKinds(
  services: Services,
  others: readonly Services[] = [],
  { isEverywhere = false } = {},
): CatalogKind[] {
  const [question, conversation, process] = kindsOfUser(services);
  const [loop, change] = kindsOfProject(services);
  const worktrees = worktreeKinds(services, journalsOf(services), { isEverywhere });
  return [
    question,
    conversation,
    severalPlaces(loop, worktrees),
    change,
    ...others.flatMap(kindsOfProject),
    process,
  ];
}

function kindsOfUser(services: Services): [CatalogKind, CatalogKind, CatalogKind] {
  const { log, questions, questionStore } = services;
  const { expiryDays } = interactiveSettings(services);
  const conversationRetentionMs = expiryDays === undefined ? RETENTION_MS : expiryDays * DAY_MS;
  return [
    questionKind({ questions, store: questionStore }),
    conversationKind({
      conversations: openConversations(services),
      store: conversationStore(services),
      retentionMs: conversationRetentionMs,
    }),
    processKind({
      processes: openProcesses(services),
      store: processStore(services),
      log,
      retentionMs: RETENTION_MS,
    }),
  ];
}

function kindsOfProject(services: Services): [CatalogKind, CatalogKind] {
  const { clock, config } = services;
  return [
    config.worktree === undefined
      ? loopKind({ loops: openLoops(services), clock, beside: journalsOf(services) })
      : worktreeKind(services, config.worktree, journalsOf(services), clock),
    changeKind({
      changes: openChanges(services),
      at: (project) => openChanges(servicesAt(services, project)),
      retentionMs: RETENTION_MS,
    }),
  ];
}
