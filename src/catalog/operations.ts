import * as z from 'zod';
import { type Actor, DAY_MS, defineOperation } from '../foundation/index.js';
import type { ProjectSession, RememberedProject } from './all-projects.js';
import { browseSessions } from './browse.js';
import type {
  Catalog,
  CatalogCleanReport,
  CatalogFilter,
  KindFailure,
  TrashedRef,
  VerifiedSession,
} from './catalog.js';
import { cleanOldConversations, cleanOldQuestions } from './clean-old.js';
import type { SessionRef } from './errors.js';
import {
  type Recovery,
  SESSION_KINDS,
  type SessionDetail,
  type SessionFault,
  type SessionSummary,
} from './kind.js';

/** What the operations need: the sessions of every kind. */
export interface CatalogParts {
  readonly catalog: Catalog;
  /** Lists the sessions of every remembered project; loaded only when needed. */
  readonly listEverywhere?: (filter: CatalogFilter) => Promise<EverySession>;
}

/** The sessions of every remembered project, and the projects that are gone. */
export interface EverySession {
  readonly sessions: readonly ProjectSession[];
  readonly gone: readonly RememberedProject[];
}

// Schemas are built on demand, and outputs are types only: each command is a separate process start.

const kind = () => z.enum(SESSION_KINDS).optional();
/** Which session; the beginning of an id is enough. */
const which = () => z.strictObject({ session: z.string(), kind: kind() });
const days = () => z.number().nonnegative().optional();

const daysToMs = (count: number | undefined) => (count === undefined ? undefined : count * DAY_MS);

export const listSessions = defineOperation({
  name: 'session.list',
  summary: 'List sessions of every kind',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({
      kind: kind(),
      status: z.string().optional(),
      agent: z.string().optional(),
      /** Also ended sessions and those that belong to runs. */
      isAll: z.boolean().default(false),
      /** Also the loops and changes of every remembered project. */
      isEverywhere: z.boolean().default(false),
      limit: z.number().nonnegative().optional(),
    });
  },
  get output() {
    return z.custom<{
      readonly sessions: readonly (SessionSummary | ProjectSession)[];
      readonly total: number;
      readonly gone: readonly RememberedProject[];
    }>();
  },
  async run({ catalog, listEverywhere }: CatalogParts, { limit, isEverywhere, ...filter }) {
    const { sessions, gone } =
      isEverywhere && listEverywhere !== undefined
        ? await listEverywhere(filter)
        : { sessions: await catalog.list(filter), gone: [] };
    return { sessions: sessions.slice(0, limit), total: sessions.length, gone };
  },
});

export const showSession = defineOperation({
  name: 'session.show',
  summary: 'Show one session of any kind',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return which().extend({
      /** For a conversation: only this many of the last turns. */
      turns: z.union([z.int().nonnegative(), z.literal('all')]).optional(),
    });
  },
  get output() {
    return z.custom<{ readonly summary: SessionSummary; readonly shown: SessionDetail }>();
  },
  async run({ catalog }: CatalogParts, { session: typed, kind: of, turns }) {
    const session = await catalog.find(typed, of);
    const shown = await catalog.get(session, { turns });
    return { summary: await catalog.summarize(session), shown };
  },
});

export const verifySessions = defineOperation({
  name: 'session.verify',
  summary: 'Check the files of one session, or of all',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page'],
  get input() {
    return which().partial({ session: true });
  },
  get output() {
    return z.custom<{
      readonly sessions: readonly VerifiedSession[];
      readonly failed: readonly KindFailure[];
    }>();
  },
  async run({ catalog }: CatalogParts, { session, kind: of }) {
    if (session === undefined) return catalog.verifyAll(of);
    return { sessions: [await catalog.verify(await catalog.find(session, of))], failed: [] };
  },
});

export const recoverSession = defineOperation({
  name: 'session.recover',
  summary: 'Repair a damaged session',
  effect: 'write',
  capability: 'steer',
  surfaces: ['cli', 'page'],
  get input() {
    return which();
  },
  get output() {
    return z.custom<SessionRef & Recovery>();
  },
  async run({ catalog }: CatalogParts, { session: typed, kind: of }) {
    const session = await catalog.find(typed, of);
    const { found, told, keptAt, left } = await catalog.recover(session);
    return { ...session, found, told, keptAt, left };
  },
});

export const exportSession = defineOperation({
  name: 'session.export',
  summary: 'Write a session as Markdown or JSON',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return which().extend({ format: z.enum(['md', 'json']).default('md') });
  },
  get output() {
    return z.custom<
      SessionRef & {
        readonly format: 'md' | 'json';
        readonly text: string;
        /** What is damaged and therefore missing from `text`. */
        readonly faults: readonly SessionFault[];
      }
    >();
  },
  async run({ catalog }: CatalogParts, { session: typed, kind: of, format }) {
    const session = await catalog.find(typed, of);
    const text = await catalog.export(session, format);
    const { faults } = await catalog.verify(session);
    return { ...session, format, text, faults };
  },
});

export const deleteSession = defineOperation({
  name: 'session.delete',
  summary: 'Move a session to the trash',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return which();
  },
  get output() {
    return z.custom<SessionRef>();
  },
  async run({ catalog }: CatalogParts, { session: typed, kind: of }) {
    const session = await catalog.find(typed, of);
    await catalog.remove(session);
    return session;
  },
});

export const cleanSessions = defineOperation({
  name: 'session.clean',
  summary: 'Move old sessions to the trash',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ kind: kind(), olderThanDays: days(), isDryRun: z.boolean().default(false) });
  },
  get output() {
    return z.custom<CatalogCleanReport>();
  },
  run({ catalog }: CatalogParts, { kind: of, olderThanDays, isDryRun }) {
    return catalog.clean({ kind: of, olderThanMs: daysToMs(olderThanDays), isDryRun });
  },
});

export const listTrash = defineOperation({
  name: 'trash.list',
  summary: 'List, restore or empty what was deleted',
  effect: 'read',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ kind: kind() });
  },
  get output() {
    return z.custom<readonly TrashedRef[]>();
  },
  run({ catalog }: CatalogParts, { kind: of }) {
    return catalog.trashed(of);
  },
});

export const restoreSession = defineOperation({
  name: 'trash.restore',
  summary: 'Put a deleted session back',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return which();
  },
  get output() {
    return z.custom<SessionRef>();
  },
  run({ catalog }: CatalogParts, { session, kind: of }) {
    return catalog.restore(session, of);
  },
});

export const emptyTrash = defineOperation({
  name: 'trash.empty',
  summary: 'Permanently remove what was deleted',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ kind: kind(), olderThanDays: days() });
  },
  get output() {
    return z.custom<{ readonly removed: readonly SessionRef[]; readonly failed: readonly KindFailure[] }>();
  },
  run({ catalog }: CatalogParts, { kind: of, olderThanDays }) {
    return catalog.emptyTrash({ kind: of, olderThanMs: daysToMs(olderThanDays) });
  },
});

/** Who holds the lock of a session. */
export interface LockReport {
  readonly sessionId: string;
  readonly state: 'free' | 'dead' | 'held';
  readonly epoch: number;
  readonly owner: string | null;
}

/** The locks of sessions of every kind, provided by the composition. */
export interface SessionLocks {
  /** Throws SESSION_NOT_FOUND, AMBIGUOUS_ID, INVALID_SESSION_ID. */
  look(typed: string): Promise<LockReport>;
  /** Takes a lock away from its owner, living or not, on behalf of `actor`, and returns whose it was. Throws as `look`. */
  takeAway(typed: string, actor: Actor | undefined): Promise<LockReport>;
}

export const unlockSession = defineOperation({
  name: 'session.unlock',
  summary: 'See who holds the lock of a session, or take it away',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({
      session: z.string(),
      /** Whether to take it away; otherwise it is only inspected. */
      isForced: z.boolean().default(false),
    });
  },
  get output() {
    return z.custom<LockReport>();
  },
  run({ locks }: { readonly locks: SessionLocks }, { session, isForced }, context) {
    return isForced ? locks.takeAway(session, context?.actor) : locks.look(session);
  },
});

/** Every action on sessions of any kind, for the registry. */
export const catalogOperations = [
  listSessions,
  browseSessions,
  showSession,
  verifySessions,
  recoverSession,
  exportSession,
  deleteSession,
  cleanSessions,
  listTrash,
  restoreSession,
  emptyTrash,
  unlockSession,
  cleanOldQuestions,
  cleanOldConversations,
] as const;
