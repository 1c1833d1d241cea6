import type { FileSystem } from '../../storage/index.js';
import type { ControlGroup } from '../control-group.js';
import { Family, type KnownProcess } from '../family.js';
import { findMarked, type ProcessEntry, readProcessTable } from '../process-table.js';
import { killExactly } from '../registry.js';
import { GUARD_NAME } from './messages.js';

/** More rounds than are needed even for a tree that forks as fast as it can while it is being killed. */
const MAX_ROUNDS = 400;

/**
 * Every process of a run: those that carry its marker, and those seen, while that was possible, to descend from it or
 * to share a session with it. Agents start their tools in sessions of their own, and tools wipe their environment.
 */
export class RunTree {
  readonly #fileSystem: FileSystem;
  readonly #marker: string;
  readonly #group: ControlGroup | null;
  readonly #families = new Map<string, Family>();

  constructor(fileSystem: FileSystem, marker: string, group: ControlGroup | null = null) {
    this.#fileSystem = fileSystem;
    this.#marker = marker;
    this.#group = group;
  }

  /** From now on, descendants of this process also belong to the run; a run that was resumed has several such leaders. */
  follow(leader: KnownProcess): void {
    const key = `${leader.pid} ${leader.startTime}`;
    if (!this.#families.has(key)) this.#families.set(key, new Family(this.#marker, leader, GUARD_NAME));
    this.learn();
  }

  /** Scans all processes; returns the living ones of the run. */
  learn(): ProcessEntry[] {
    const table = readProcessTable(this.#fileSystem);
    const found = new Map<number, ProcessEntry>();
    for (const family of this.#families.values())
      for (const entry of family.learn(this.#fileSystem, table)) found.set(entry.pid, entry);
    for (const entry of findMarked(this.#fileSystem, this.#marker, GUARD_NAME)) {
      found.set(entry.pid, entry);
      // A stray that nobody reported to us may have children that wipe the marker.
      const key = `${entry.pid} ${entry.startTime}`;
      const isKnown = [...this.#families.values()].some((family) => family.has(entry));
      if (!isKnown) this.#families.set(key, new Family(this.#marker, entry, GUARD_NAME));
    }
    return [...found.values()];
  }

  /** Kills all of them, repeatedly, until none is left. Returns how many were ended and how many survived. */
  async end(pause: (ms: number) => Promise<void>): Promise<{ ended: number; left: number }> {
    const ended = new Set<string>();
    for (let round = 0; ; round++) {
      const living = this.learn();
      const isPopulated = this.#group?.isPopulated === true;
      if ((living.length === 0 && !isPopulated) || round === MAX_ROUNDS)
        return { ended: ended.size, left: living.length };
      for (const entry of living)
        if (killExactly(this.#fileSystem, entry, 'SIGKILL')) ended.add(`${entry.pid} ${entry.startTime}`);
      if (isPopulated) this.#killGroup();
      // The kernel needs a moment to remove them.
      await pause(Math.min(round, 10));
    }
  }

  #killGroup(): void {
    try {
      this.#group?.kill();
    } catch {
      // A kernel before 5.14: then we only kill process by process.
    }
  }
}
