import { isUuidV4 } from '../../foundation/index.js';
import type { Hub, MirrorRow } from '../../hub/index.js';
import type { OverviewRow } from '../../overview/index.js';
import type { Mirror } from '../link/mirror.js';
import { rowOfRun } from './mirrored-run.js';
import type { RemoteRequest } from './remote-runs.js';

/** The runs of this machine, as its link needs them; the composition knows them. */
export interface OwnRuns {
  /** As they are now. What has not changed since the last time is the same object, and was not read again. */
  read(): readonly OverviewRow[];
  /** Read now, however long ago it ended; undefined where there is none. */
  find(id: string): OverviewRow | undefined;
  /** Of all that there are, however old. */
  ids(): ReadonlySet<string>;
  watch(onHint: () => void): { close(): void };
  /** Looks for what leaves no trace on the disk: whoever ran one may be gone. */
  look(): void;
  /** Does what another machine asks, once however often it is asked. Throws as steering a run does. */
  steer(
    id: string,
    asked: RemoteRequest,
    by: { readonly actor: string; readonly request: string },
  ): Promise<{ readonly isDone: boolean; readonly words: string }>;
}

/** One that never ended, and that a newer one took the place of, is told of by nobody, here as there. */
export function isTold({ isArchived, group }: OverviewRow): boolean {
  return !isArchived || group === 'ended';
}

/** Keeps the mirror of the runs in step. */
export class RunMirror {
  readonly #runs: OwnRuns;
  readonly #mirror: Mirror;
  readonly #rows = new WeakMap<OverviewRow, MirrorRow>();
  #listed: ReadonlySet<string> = new Set();

  constructor(runs: OwnRuns, mirror: Mirror) {
    this.#runs = runs;
    this.#mirror = mirror;
  }

  /** Everything, with what is there no more. Throws as the hub. */
  async sendAll(hub: Hub): Promise<void> {
    const listed = this.#list();
    const others = this.#mirror.others(this.#listed);
    const there = others.length === 0 ? new Set<string>() : this.#runs.ids();
    // One that ended while nobody held the link is in the archive by now, and its end was not told.
    const left = others.filter(({ id, isEnded }) => there.has(id) && !isEnded).map(({ id }) => id);
    const told = left.flatMap((id) => this.#runs.find(id) ?? []).filter(isTold);
    const isKept = (id: string) => there.has(id) && (!left.includes(id) || told.some((row) => row.id === id));
    const gone = others.map(({ id }) => id).filter((id) => !isKept(id));
    await this.#mirror.send(hub, [...listed, ...told].map(this.#rowOf), gone);
  }

  /** What changed. Throws as the hub. */
  async sendChanged(hub: Hub): Promise<void> {
    const before = this.#listed;
    const listed = this.#list();
    const hasLeft = [...before].some((id) => !this.#listed.has(id));
    await (hasLeft ? this.sendAll(hub) : this.#mirror.send(hub, listed.map(this.#rowOf), []));
  }

  /** One that cannot be read has no id of its own. */
  #list(): OverviewRow[] {
    const listed = this.#runs.read().filter(({ id }) => isUuidV4(id));
    this.#listed = new Set(listed.map(({ id }) => id));
    return listed;
  }

  #rowOf = (row: OverviewRow): MirrorRow => {
    const made = this.#rows.get(row) ?? rowOfRun(row);
    this.#rows.set(row, made);
    return made;
  };
}
