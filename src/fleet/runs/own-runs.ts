import { isUuidV4 } from '../../foundation/index.js';
import type { Hub, MirrorRow } from '../../hub/index.js';
import type { OverviewRow } from '../../overview/index.js';
import type { Mirror } from '../link/mirror.js';
import { rowOfRun } from './mirrored-run.js';
import type { RemoteRequest } from './remote-runs.js';

/** The runs of this machine, as its link needs them; the composition provides them. */
export interface OwnRuns {
  /** The current runs. One that has not changed since the last call is the same object, and was not read again. */
  read(): readonly OverviewRow[];
  /** Read now, however long ago it ended; undefined if there is none. */
  find(id: string): OverviewRow | undefined;
  /** The ids of all runs, however old. */
  ids(): ReadonlySet<string>;
  watch(onHint: () => void): { close(): void };
  /** Looks for what leaves no trace on disk: the process that ran one may be gone. */
  look(): void;
  /** Does what another machine asks, only once however often it is asked. Throws as steering a run does. */
  steer(
    id: string,
    asked: RemoteRequest,
    by: { readonly actor: string; readonly request: string },
  ): Promise<{ readonly isDone: boolean; readonly words: string }>;
}

/** Whether a run is shown. One that never ended and was replaced by a newer one is not, neither here nor elsewhere. */
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

  /** Sends everything, including what no longer exists. Throws as the hub. */
  async sendAll(hub: Hub): Promise<void> {
    const listed = this.#list();
    const others = this.#mirror.others(this.#listed);
    const there = others.length === 0 ? new Set<string>() : this.#runs.ids();
    // A run that ended while nobody held the link is in the archive by now, and its end was not reported.
    const left = others.filter(({ id, isEnded }) => there.has(id) && !isEnded).map(({ id }) => id);
    const told = left.flatMap((id) => this.#runs.find(id) ?? []).filter(isTold);
    const isKept = (id: string) => there.has(id) && (!left.includes(id) || told.some((row) => row.id === id));
    const gone = others.map(({ id }) => id).filter((id) => !isKept(id));
    await this.#mirror.send(hub, [...listed, ...told].map(this.#rowOf), gone);
  }

  /** Sends what changed. Throws as the hub. */
  async sendChanged(hub: Hub): Promise<void> {
    const before = this.#listed;
    const listed = this.#list();
    const hasLeft = [...before].some((id) => !this.#listed.has(id));
    await (hasLeft ? this.sendAll(hub) : this.#mirror.send(hub, listed.map(this.#rowOf), []));
  }

  /** A run that cannot be read has no id of its own. */
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
