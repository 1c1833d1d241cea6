import { type Clock, DAY_MS, type Logger, messageOf } from '../../foundation/index.js';
import { FleetRuleError, type Hub, type MirroredKind, type MirrorRow } from '../../hub/index.js';

/** How many rows one statement sends. */
const MAX_ROWS = 100;
/** What ended longer ago than this is no longer sent: the mirror forgets it after a year. */
const KEPT_DAYS = 360;

interface MirrorTools {
  readonly clock: Clock;
  readonly log: Logger;
}

interface Mirrored {
  readonly stamp: string;
  readonly isEnded: boolean;
}

/** What the hub has of this machine's sessions of one kind. Only differences are sent. */
export class Mirror {
  readonly #machine: string;
  readonly #kind: MirroredKind;
  readonly #tools: MirrorTools;
  #known = new Map<string, Mirrored>();
  readonly #waiting = new Set<string>();

  constructor(machine: string, kind: MirroredKind, tools: MirrorTools) {
    this.#machine = machine;
    this.#kind = kind;
    this.#tools = tools;
  }

  /** Asks the hub what it has. Throws as the hub. */
  async load(hub: Hub): Promise<void> {
    this.#known = await hub.stamps(this.#machine, this.#kind);
  }

  /** What the hub has, apart from these. */
  others(ids: ReadonlySet<string>): { readonly id: string; readonly isEnded: boolean }[] {
    return [...this.#known].filter(([id]) => !ids.has(id)).map(([id, { isEnded }]) => ({ id, isEnded }));
  }

  /** Whether the hub has exactly these. */
  hasExactly(ids: readonly string[]): boolean {
    return ids.length === this.#known.size && ids.every((id) => this.#known.has(id));
  }

  /** Whether the hub has this row unchanged. */
  has({ id, stamp }: MirrorRow): boolean {
    return this.#known.get(id)?.stamp === stamp;
  }

  /** What is waiting for a person: that may change without a trace on disk. */
  waiting(): readonly string[] {
    return [...this.#waiting];
  }

  /** Sends what differs and what no longer exists. Throws as the hub. */
  async send(hub: Hub, rows: readonly MirrorRow[], gone: readonly string[]): Promise<void> {
    this.#noteWaiting(rows);
    const changed = rows.filter((row) => !this.has(row) && !this.#isOld(row));
    for (let at = 0; at < changed.length || (at === 0 && gone.length > 0); at += MAX_ROWS)
      await this.#sendPart(hub, changed.slice(at, at + MAX_ROWS), at === 0 ? gone : []);
    for (const id of gone) {
      this.#known.delete(id);
      this.#waiting.delete(id);
    }
  }

  /** A row that the hub rejects, such as one that is too long, must not keep the others from being seen. */
  async #sendPart(hub: Hub, rows: readonly MirrorRow[], gone: readonly string[]): Promise<void> {
    try {
      await hub.mirror(this.#machine, this.#kind, rows, gone);
    } catch (error) {
      if (!isNotTaken(error) || rows.length === 0) throw error;
      if (rows.length > 1 || gone.length > 0) {
        await this.#sendPart(hub, [], gone);
        for (const row of rows) await this.#sendPart(hub, [row], []);
        return;
      }
      this.#tools.log.warn('fleet.row-not-taken', { session: rows[0]?.id, reason: messageOf(error) });
    }
    this.note(rows);
  }

  /** Notes rows that were sent together with something else. */
  note(rows: readonly MirrorRow[]): void {
    this.#noteWaiting(rows);
    for (const { id, stamp, is_ended: isEnded } of rows) this.#known.set(id, { stamp, isEnded });
  }

  #noteWaiting(rows: readonly MirrorRow[]): void {
    for (const { id, needs_person: isWaiting } of rows) this.#waiting[isWaiting ? 'add' : 'delete'](id);
  }

  #isOld({ is_ended: isEnded, last_activity: at }: MirrorRow): boolean {
    return isEnded && this.#tools.clock.now().getTime() - Date.parse(at) > KEPT_DAYS * DAY_MS;
  }
}

/** Whether the schema rejected a row. */
export function isNotTaken(error: unknown): boolean {
  return error instanceof FleetRuleError && error.rule === 'not-taken';
}
