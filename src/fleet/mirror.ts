import { type Clock, DAY_MS } from '../foundation/index.js';
import type { Hub, MirrorRow, SessionKind } from '../hub/index.js';

/** As many rows go in one statement. */
const MAX_ROWS = 100;
/** What ended this long ago is not sent any more: the mirror forgets it after a year. */
const KEPT_DAYS = 360;

interface Mirrored {
  readonly stamp: string;
  readonly isEnded: boolean;
}

/** What the hub has of this machine's sessions of one kind. Only what differs is sent. */
export class Mirror {
  readonly #machine: string;
  readonly #kind: SessionKind;
  readonly #clock: Clock;
  #known = new Map<string, Mirrored>();

  constructor(machine: string, kind: SessionKind, clock: Clock) {
    this.#machine = machine;
    this.#kind = kind;
    this.#clock = clock;
  }

  /** Asks the hub what it has. Throws as the hub. */
  async load(hub: Hub): Promise<void> {
    this.#known = await hub.stamps(this.#machine, this.#kind);
  }

  /** What the hub has, but for these. */
  others(ids: ReadonlySet<string>): { readonly id: string; readonly isEnded: boolean }[] {
    return [...this.#known].filter(([id]) => !ids.has(id)).map(([id, { isEnded }]) => ({ id, isEnded }));
  }

  /** Sends what differs, and what is there no more. Throws as the hub. */
  async send(hub: Hub, rows: readonly MirrorRow[], gone: readonly string[]): Promise<void> {
    const changed = rows.filter((row) => this.#known.get(row.id)?.stamp !== row.stamp && !this.#isOld(row));
    for (let at = 0; at < changed.length || (at === 0 && gone.length > 0); at += MAX_ROWS) {
      const part = changed.slice(at, at + MAX_ROWS);
      await hub.mirror(this.#machine, this.#kind, part, at === 0 ? gone : []);
      this.note(part);
    }
    for (const id of gone) this.#known.delete(id);
  }

  /** Rows that were sent together with something else. */
  note(rows: readonly MirrorRow[]): void {
    for (const { id, stamp, is_ended: isEnded } of rows) this.#known.set(id, { stamp, isEnded });
  }

  #isOld({ is_ended: isEnded, last_activity: at }: MirrorRow): boolean {
    return isEnded && this.#clock.now().getTime() - Date.parse(at) > KEPT_DAYS * DAY_MS;
  }
}
