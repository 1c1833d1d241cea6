import type { FileSystem } from '../storage/index.js';
import type { Family } from './family.js';
import { readProcessTable } from './process-table.js';

/** How long after an agent's last sign we look again: what it started may take a moment to appear. */
const LOOKS_AFTER_MS = [300, 1_000, 3_000, 10_000] as const;
/** The looks take at most this share of our own process's time. */
const MAX_SHARE = 0.01;
const MIN_PAUSE_MS = 250;

/**
 * Scans all processes while agents work, so what they start is known before its parent is gone. It scans when an agent
 * says something, and a few times after that. One scan serves all agents; while all are silent there is none.
 */
export class FamilyWatch {
  readonly #fileSystem: FileSystem;
  readonly #onLearnt: (family: Family) => void;
  readonly #families = new Set<Family>();
  #timer: NodeJS.Timeout | undefined;
  #looksSinceSign = 0;
  #notBeforeMs = 0;

  constructor(fileSystem: FileSystem, onLearnt: (family: Family) => void) {
    this.#fileSystem = fileSystem;
    this.#onLearnt = onLearnt;
  }

  add(family: Family): void {
    this.#families.add(family);
    this.sign();
  }

  remove(family: Family): void {
    this.#families.delete(family);
    if (this.#families.size === 0) clearTimeout(this.#timer);
  }

  /** One of the agents did something. */
  sign(): void {
    this.#looksSinceSign = 0;
    if (performance.now() >= this.#notBeforeMs) this.#look();
    else this.#later();
  }

  #look(): void {
    const startedAt = performance.now();
    try {
      const table = readProcessTable(this.#fileSystem);
      for (const family of this.#families) {
        family.learn(this.#fileSystem, table);
        this.#onLearnt(family);
      }
    } catch {
      // What cannot be seen now is looked for again at the end, and reported there.
    }
    const endedAt = performance.now();
    this.#notBeforeMs = endedAt + Math.max(MIN_PAUSE_MS, (endedAt - startedAt) / MAX_SHARE);
    this.#later();
  }

  #later(): void {
    clearTimeout(this.#timer);
    const waitMs = LOOKS_AFTER_MS[this.#looksSinceSign];
    if (waitMs === undefined || this.#families.size === 0) return;
    const leftMs = this.#notBeforeMs - performance.now();
    this.#timer = setTimeout(
      () => {
        this.#looksSinceSign += 1;
        this.#look();
      },
      Math.max(waitMs, leftMs),
    );
    this.#timer.unref();
  }
}
