import * as z from 'zod';
import { defineOperation } from '../foundation/index.js';
import type { ProjectSession } from './all-projects.js';
import { SESSION_KINDS, type SessionKind } from './kind.js';

/** Which sessions to look for. */
export interface BrowseFilter {
  readonly kind?: SessionKind | undefined;
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  readonly status?: string | undefined;
  /** Each of these words occurs somewhere in what is known about the session. */
  readonly text?: string | undefined;
}

/** A value to filter by, and how many sessions it would leave. */
export interface Facet {
  readonly value: string;
  readonly count: number;
}

/** A page of sessions, the last active first. */
export interface BrowsedSessions {
  readonly sessions: readonly ProjectSession[];
  /** How many sessions there are, and how many of them match. */
  readonly total: number;
  readonly fitting: number;
  /** The cursor for the next page; null at the end. */
  readonly next: string | null;
  readonly facets: Readonly<Record<'kind' | 'project' | 'agent' | 'status', readonly Facet[]>>;
}

const PAGE = 50;
const FACETS = ['kind', 'project', 'agent', 'status'] as const;
const MAX_VALUES = 200;

/**
 * Matching sessions, a page at a time. A page starts after a session, not at a number, so sessions that come and go in
 * the meantime do not shift it.
 */
function browse(
  sessions: readonly ProjectSession[],
  filter: BrowseFilter,
  { after, limit = PAGE }: { readonly after?: string | undefined; readonly limit?: number } = {},
): BrowsedSessions {
  const words = (filter.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (session: ProjectSession, except?: string) =>
    FACETS.every((name) => name === except || filter[name] === undefined || session[name] === filter[name]) &&
    (words.length === 0 || hasWords(session, words));
  const fitting = sessions.filter((session) => fits(session)).sort(byActivity);
  const start = after === undefined ? 0 : fitting.findIndex((session) => cursorOf(session) < after);
  const page = start === -1 ? [] : fitting.slice(start, start + limit);
  const last = page.at(-1);
  const isLast = last === undefined || last === fitting.at(-1);
  return {
    sessions: page,
    total: sessions.length,
    fitting: fitting.length,
    next: isLast ? null : cursorOf(last),
    facets: {
      kind: facet(sessions, 'kind', fits),
      project: facet(sessions, 'project', fits),
      agent: facet(sessions, 'agent', fits),
      status: facet(sessions, 'status', fits),
    },
  };
}

function hasWords(session: ProjectSession, words: readonly string[]): boolean {
  const { id, kind, title, agent, status, project, workingDirectory } = session;
  const text = [id, kind, title, agent, status, project, workingDirectory].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The values a filter could take, given all other filters. */
function facet(
  sessions: readonly ProjectSession[],
  name: (typeof FACETS)[number],
  fits: (session: ProjectSession, except: string) => boolean,
): Facet[] {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    const value = session[name];
    if (value !== null && fits(session, name)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_VALUES);
}

/** The sort key: the most recently active session has the highest. */
function cursorOf({ kind, id, lastActivity }: ProjectSession): string {
  const time = lastActivity === null ? 0 : Math.max(0, Date.parse(lastActivity) || 0);
  return `${String(time).padStart(15, '0')} ${kind} ${id}`;
}

function byActivity(a: ProjectSession, b: ProjectSession): number {
  const [one, other] = [cursorOf(a), cursorOf(b)];
  return one < other ? 1 : one > other ? -1 : 0;
}

export interface BrowseParts {
  readonly shelf: {
    /** The sessions of every kind and project, including ended ones and those that belong to runs. */
    all(): Promise<{ readonly sessions: readonly ProjectSession[] }>;
  };
}

export const browseSessions = defineOperation({
  name: 'session.browse',
  summary: 'Browse sessions of every kind and project, filtered, a page at a time',
  effect: 'read',
  capability: 'view',
  surfaces: ['page', 'fleet'],
  get input() {
    const word = z.string().min(1).max(4096).optional();
    return z.strictObject({
      kind: z.enum(SESSION_KINDS).optional(),
      project: word,
      agent: word,
      status: word,
      text: z.string().max(200).optional(),
      /** The value of `next` from the previous page. */
      after: z.string().max(400).optional(),
    });
  },
  get output() {
    return z.custom<BrowsedSessions>();
  },
  async run({ shelf }: BrowseParts, { after, ...filter }) {
    const { sessions } = await shelf.all();
    return browse(sessions, filter, { after });
  },
});
