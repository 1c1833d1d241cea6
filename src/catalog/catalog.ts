import {
  type Clock,
  HoldfastError,
  InvalidInputError,
  type Logger,
  messageOf,
  SessionNotFoundError,
} from '../foundation/index.js';
import { RestoreBlockedError, type SessionRef } from './errors.js';
import { findSession } from './find.js';
import {
  type CatalogKind,
  type ExportFormat,
  LISTED_BY,
  type Recovery,
  type SessionDetail,
  type SessionFault,
  type SessionKind,
  type SessionSummary,
  type ShowOptions,
  type Trashed,
  UNREADABLE,
} from './kind.js';
import { retain } from './retain.js';

/** Which sessions to list. */
export interface CatalogFilter {
  readonly kind?: SessionKind | undefined;
  readonly status?: string | undefined;
  readonly agent?: string | undefined;
  /** Also ended sessions and those that belong to other sessions. */
  readonly isAll?: boolean | undefined;
}

export interface VerifiedSession extends SessionRef {
  readonly faults: readonly SessionFault[];
}

/** A kind whose sessions could not be read. */
export interface KindFailure {
  readonly kind: SessionKind;
  readonly reason: string;
}

/** What cleaning did to each kind. */
export interface CatalogCleanReport {
  readonly retired: readonly SessionRef[];
  readonly purged: readonly SessionRef[];
  readonly skipped: readonly (SessionRef & { readonly reason: string })[];
  readonly failed: readonly KindFailure[];
}

export interface TrashedRef extends SessionRef {
  readonly trashedAt: string;
}

/** The sessions of every kind in one place. If a kind fails, that is logged as a warning and the others still work. */
export class Catalog {
  readonly #kinds: readonly CatalogKind[];
  readonly #tools: { readonly clock: Clock; readonly log: Logger };

  constructor(kinds: readonly CatalogKind[], tools: { readonly clock: Clock; readonly log: Logger }) {
    this.#kinds = kinds;
    this.#tools = tools;
  }

  /** The sessions, most recently active first, with damaged ones marked. Throws INVALID_INPUT for a status that no kind has. */
  async list(filter: CatalogFilter = {}): Promise<SessionSummary[]> {
    const { status, agent, isAll = false } = filter;
    this.#checkStatus(filter);
    const { results: lists } = await this.#each(filter.kind, (kind) => kind.list());
    const isWanted = (summary: SessionSummary) =>
      (status === undefined || summary.status === status) &&
      (agent === undefined || summary.agent === agent) &&
      // Asking for a status includes ended sessions; damage is always shown.
      (isAll || (!summary.isHidden && (!summary.isEnded || status !== undefined || summary.isDamaged)));
    return newestFirst(lists.flat().filter(isWanted));
  }

  /**
   * The session that `typed` refers to; `last` is the first of `list`. Throws INVALID_SESSION_ID, SESSION_NOT_FOUND,
   * AMBIGUOUS_ID.
   */
  async find(typed: string, kind?: SessionKind): Promise<SessionRef> {
    if (typed === 'last') return this.#last(kind);
    const known = await this.#each(kind, async (one) => one.ids().map((id) => ({ kind: one.kind, id })));
    return findSession(known.results.flat(), typed);
  }

  /** The most recently active session, ended or not. */
  async #last(kind: SessionKind | undefined): Promise<SessionRef> {
    const { results: lists } = await this.#each(kind, (one) => one.list());
    const [last] = newestFirst(
      lists.flat().filter(({ isHidden, lastActivity }) => !isHidden && lastActivity !== null),
    );
    if (last === undefined) throw new SessionNotFoundError('last', LISTED_BY);
    return { kind: last.kind, id: last.id };
  }

  summarize({ kind, id }: SessionRef): Promise<SessionSummary> {
    return this.#kind(kind).summarize(id);
  }

  /** Throws SESSION_NOT_FOUND, DOCUMENT_DAMAGED. */
  get({ kind, id }: SessionRef, options: ShowOptions = {}): Promise<SessionDetail> {
    return this.#kind(kind).get(id, options);
  }

  /** Throws SESSION_NOT_FOUND. */
  async verify({ kind, id }: SessionRef): Promise<VerifiedSession> {
    return { kind, id, faults: await this.#kind(kind).verify(id) };
  }

  /** Checks every session; failing to open one is a fault of that session only. */
  async verifyAll(
    kind?: SessionKind,
  ): Promise<{ readonly sessions: readonly VerifiedSession[]; readonly failed: readonly KindFailure[] }> {
    const { results, failed } = await this.#each(kind, async (one) => {
      const verified: (VerifiedSession | undefined)[] = [];
      for (const id of one.ids()) verified.push(await verifyOne(one, id));
      return verified.filter((report) => report !== undefined);
    });
    return { sessions: results.flat(), failed };
  }

  /** Throws SESSION_NOT_FOUND, LOCKED, and DOCUMENT_DAMAGED if nothing can be mended. */
  recover({ kind, id }: SessionRef): Promise<Recovery> {
    return this.#kind(kind).recover(id);
  }

  /** Throws SESSION_NOT_FOUND, DOCUMENT_DAMAGED. */
  export({ kind, id }: SessionRef, format: ExportFormat): Promise<string> {
    return this.#kind(kind).export(id, format);
  }

  /** Moves a session to the trash. Throws SESSION_NOT_FOUND, LOCKED, CHANGE_LOCKED. */
  remove({ kind, id }: SessionRef): Promise<void> {
    return this.#kind(kind).remove(id);
  }

  /** Moves old sessions that nobody holds to the trash, each kind by its own rules. */
  async clean(
    options: {
      readonly kind?: SessionKind | undefined;
      /** Sessions without activity for longer than this; the retention time of each kind if absent. */
      readonly olderThanMs?: number | undefined;
      /** Only report what would be done. */
      readonly isDryRun?: boolean | undefined;
    } = {},
  ): Promise<CatalogCleanReport> {
    const { results: reports, failed } = await this.#each(options.kind, async (one) => {
      const { olderThanMs = one.retentionMs, isDryRun } = options;
      if (one.retentionMs === null || olderThanMs === null) {
        const left = (await one.leftAlone?.()) ?? [];
        return { retired: [], purged: [], skipped: left.map((session) => ({ kind: one.kind, ...session })) };
      }
      const report = await retain(one, this.#tools, { olderThanMs, isDryRun });
      const { retired, purged, skipped, uncollected } = report;
      const ref = (id: string) => ({ kind: one.kind, id });
      return {
        retired: retired.map(ref),
        purged: purged.map(ref),
        skipped: [
          ...skipped.map(({ id, reason }) => ({ ...ref(id), reason })),
          ...uncollected.map((id) => ({ ...ref(id), reason: UNCOLLECTED })),
        ],
      };
    });
    return {
      retired: reports.flatMap(({ retired }) => retired),
      purged: reports.flatMap(({ purged }) => purged),
      skipped: reports.flatMap(({ skipped }) => skipped),
      failed,
    };
  }

  /** The contents of the trash, most recently trashed first. */
  async trashed(kind?: SessionKind): Promise<TrashedRef[]> {
    return (await this.#trashed(kind)).map(({ kind: of, id, trashedAt }) => ({ kind: of, id, trashedAt }));
  }

  /**
   * Puts a session from the trash back; if several have the same id, the one trashed last. Throws INVALID_SESSION_ID,
   * SESSION_NOT_FOUND, AMBIGUOUS_ID, RESTORE_BLOCKED.
   */
  async restore(typed: string, kind?: SessionKind): Promise<SessionRef> {
    const latest = new Map<string, InTrash>();
    for (const one of (await this.#trashed(kind)).reverse()) latest.set(`${one.kind} ${one.id}`, one);
    const found = findSession([...latest.values()], typed, 'holdfast sessions trash');
    const ref = { kind: found.kind, id: found.id };
    if (!(await this.#kind(found.kind).restore(found.trashed))) throw new RestoreBlockedError(ref);
    return ref;
  }

  /** Permanently removes what has been in the trash longer than this; everything if absent. */
  async emptyTrash(
    options: { readonly kind?: SessionKind | undefined; readonly olderThanMs?: number | undefined } = {},
  ): Promise<{ readonly removed: readonly SessionRef[]; readonly failed: readonly KindFailure[] }> {
    // Without an age everything goes, whatever the clock says: an entry's date may be slightly in the future.
    const { kind, olderThanMs = Number.NEGATIVE_INFINITY } = options;
    const { results, failed } = await this.#each(kind, async (one) =>
      one.purgeTrash(olderThanMs).map((id) => ({ kind: one.kind, id })),
    );
    return { removed: results.flat(), failed };
  }

  async #trashed(kind: SessionKind | undefined): Promise<InTrash[]> {
    const { results: lists } = await this.#each(kind, async (one) =>
      one.trashed().map((trashed) => ({
        kind: one.kind,
        id: trashed.id,
        trashedAt: trashed.entry.trashedAt.toISOString(),
        trashed,
      })),
    );
    return lists.flat().sort((a, b) => (a.trashedAt < b.trashedAt ? 1 : -1));
  }

  /** Asks the kinds one by one. If only one is wanted, its failure is thrown. There may be one kind object per project. */
  async #each<Result>(
    wanted: SessionKind | undefined,
    ask: (kind: CatalogKind) => Promise<Result>,
  ): Promise<{ readonly results: readonly Result[]; readonly failed: readonly KindFailure[] }> {
    const kinds = this.#kinds.filter(({ kind }) => kind === (wanted ?? kind));
    if (wanted !== undefined && kinds.length < 2)
      return { results: [await ask(this.#kind(wanted))], failed: [] };
    const results: Result[] = [];
    const failed: KindFailure[] = [];
    for (const kind of kinds) {
      try {
        results.push(await ask(kind));
      } catch (error) {
        if (!(error instanceof HoldfastError)) throw error;
        this.#tools.log.warn('catalog.kind-failed', { kind: kind.kind, error: messageOf(error) });
        failed.push({ kind: kind.kind, reason: messageOf(error) });
      }
    }
    return { results, failed };
  }

  #kind(wanted: SessionKind): CatalogKind {
    const found = this.#kinds.find(({ kind }) => kind === wanted);
    if (found === undefined) throw new InvalidInputError(`There are no ${wanted} sessions here`);
    return found;
  }

  #checkStatus({ status, kind }: CatalogFilter): void {
    if (status === undefined) return;
    const kinds = kind === undefined ? this.#kinds : [this.#kind(kind)];
    const known = new Set([...kinds.flatMap(({ statuses }) => statuses), UNREADABLE]);
    if (known.has(status)) return;
    const hint = `Known: ${[...known].sort().join(', ')}.`;
    throw new InvalidInputError('There is no such status', { place: 'status', hint });
  }
}

const UNCOLLECTED = 'nobody has collected its outcome; `holdfast questions clean --uncollected` moves it too';

interface InTrash extends TrashedRef {
  readonly trashed: Trashed;
}

async function verifyOne(kind: CatalogKind, id: string): Promise<VerifiedSession | undefined> {
  try {
    return { kind: kind.kind, id, faults: await kind.verify(id) };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    // A session that has gone in the meantime has no faults.
    if (error.code === 'SESSION_NOT_FOUND') return undefined;
    return { kind: kind.kind, id, faults: [{ detail: error.message, line: null, offset: null }] };
  }
}

/** A session with no known age comes first, so that it is noticed. */
function newestFirst(summaries: readonly SessionSummary[]): SessionSummary[] {
  return summaries
    .map((summary) => ({ summary, time: timeOf(summary) }))
    .sort((a, b) => b.time - a.time || (a.summary.id < b.summary.id ? 1 : -1))
    .map(({ summary }) => summary);
}

function timeOf({ createdAt, lastActivity }: SessionSummary): number {
  const time = Date.parse(lastActivity ?? createdAt ?? '');
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}
