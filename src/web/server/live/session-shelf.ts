import { type Services, servicesAt } from '../../../app/services.js';
import { listEverywhere, openCatalog } from '../../../app/sessions/open-catalog.js';
import type { Catalog, EverySession, SessionRef } from '../../../catalog/index.js';
import { SessionNotFoundError } from '../../../foundation/index.js';

/** A list is read again when it is older than this, and than this many times the duration of its reading. */
const FRESH_MS = 2_000;
const REST = 10;

/** The sessions of every kind and project, read once for all requests within a moment. */
export class SessionShelf {
  readonly #services: Services;
  #read: { readonly at: number; readonly tookMs: number; readonly all: EverySession } | undefined;
  #reading: Promise<EverySession> | undefined;

  constructor(services: Services) {
    this.#services = services;
  }

  all(): Promise<EverySession> {
    const now = this.#services.clock.now().getTime();
    const known = this.#read;
    if (known !== undefined && now - known.at < Math.max(FRESH_MS, REST * known.tookMs))
      return Promise.resolve(known.all);
    this.#reading ??= this.#readAgain().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Drops what was read, because something was changed through this server. */
  forget(): void {
    this.#read = undefined;
  }

  /** The catalog that holds a session; runs and changes are in the catalog of their project. Throws SESSION_NOT_FOUND. */
  async catalogOf({ kind, id }: SessionRef): Promise<Catalog> {
    if (kind !== 'loop' && kind !== 'change') return openCatalog(this.#services);
    const { sessions } = await this.all();
    const found = sessions.find((session) => session.kind === kind && session.id === id);
    const place = found?.workingDirectory ?? found?.project ?? undefined;
    if (place === undefined) throw new SessionNotFoundError(id, 'holdfast sessions list --all');
    return openCatalog(servicesAt(this.#services, place));
  }

  async #readAgain(): Promise<EverySession> {
    const { clock } = this.#services;
    const startedAt = clock.now().getTime();
    const all = await listEverywhere(this.#services, { isAll: true });
    const at = clock.now().getTime();
    this.#read = { at, tookMs: at - startedAt, all };
    return all;
  }
}
