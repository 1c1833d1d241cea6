import type { FileSystem } from '../storage/index.js';
import {
  carriesMarker,
  isAlive,
  MARKER_NAME,
  type ProcessEntry,
  type ProcessTable,
} from './process-table.js';

/** A process, identified by what distinguishes it from every other. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
}

/**
 * The processes that a program has started. The marker in their environment is not enough, because a process can wipe
 * it. So they are also known by their parents and sessions, as seen while those were alive. A process once known stays
 * known, by pid and start time, wherever it goes.
 */
export class Family {
  readonly marker: string;
  readonly leader: KnownProcess;
  /** The variable that holds the marker. */
  readonly #name: string;
  readonly #known = new Map<number, string>();
  /** Processes we have checked that carry no marker. */
  readonly #strangers = new Map<number, string>();
  /** Known, but without the marker: after our death nothing else would find them. */
  readonly #unmarked = new Map<number, string>();
  /** The sessions in which our processes were at the last look. */
  #sessions: ReadonlySet<number>;

  constructor(marker: string, leader: KnownProcess, name = MARKER_NAME) {
    this.marker = marker;
    this.leader = leader;
    this.#name = name;
    this.#known.set(leader.pid, leader.startTime);
    this.#sessions = new Set([leader.pid]);
  }

  get unmarked(): readonly KnownProcess[] {
    return [...this.#unmarked].map(([pid, startTime]) => ({ pid, startTime }));
  }

  /** Whether a process is known to belong to it. */
  has({ pid, startTime }: KnownProcess): boolean {
    return this.#known.get(pid) === startTime;
  }

  /** The leader has been seen to end: any process with its pid from now on is another, even one started at the same moment. */
  loseLeader(): void {
    this.#known.delete(this.leader.pid);
    this.#unmarked.delete(this.leader.pid);
  }

  /** Learns from a scan of all processes. Returns the living members. */
  learn(fileSystem: FileSystem, table: ProcessTable): ProcessEntry[] {
    for (const known of [this.#known, this.#strangers, this.#unmarked])
      for (const [pid, startTime] of known) if (!isSame(table.get(pid), startTime)) known.delete(pid);
    const born = [...table.values()].filter((entry) => this.#mayBeOurs(entry));
    for (const { pid, startTime } of born) {
      if (this.#known.has(pid) || this.#strangers.has(pid)) continue;
      const list = carriesMarker(fileSystem, pid, this.marker, this.#name) ? this.#known : this.#strangers;
      list.set(pid, startTime);
    }
    this.#join(born);
    while (this.#adopt(born, table)) this.#join(born);
    const living = born.filter(({ pid }) => this.#known.has(pid));
    // A process may have carried the marker before it ran another program.
    for (const { pid, startTime } of living)
      if (!carriesMarker(fileSystem, pid, this.marker, this.#name)) this.#unmarked.set(pid, startTime);
    // A session's number can be reused once the session is empty, so it counts only until the next look.
    this.#sessions = new Set([this.leader.pid, ...living.map(({ session }) => session)]);
    return living;
  }

  /** A child is never older than the program itself. */
  #mayBeOurs(entry: ProcessEntry): boolean {
    const isYounger = Number(entry.startTime) >= Number(this.leader.startTime);
    return entry.pid !== process.pid && isYounger && isAlive(entry);
  }

  /** Notes the sessions that our processes are in now. */
  #join(born: readonly ProcessEntry[]): void {
    const sessions = born.filter(({ pid }) => this.#known.has(pid)).map(({ session }) => session);
    this.#sessions = new Set([...this.#sessions, ...sessions]);
  }

  /** One round; true if it found a process, which may have children of its own. */
  #adopt(born: readonly ProcessEntry[], table: ProcessTable): boolean {
    let hasFound = false;
    for (const { pid, parentPid, session, startTime } of born) {
      if (this.#known.has(pid)) continue;
      if (!this.#known.has(parentPid) && !this.#isOurSession(table, session)) continue;
      this.#known.set(pid, startTime);
      this.#strangers.delete(pid);
      hasFound = true;
    }
    return hasFound;
  }

  /** Its leader is one of ours, or is gone; in that case no other process gets its number while members are left. */
  #isOurSession(table: ProcessTable, session: number): boolean {
    return this.#sessions.has(session) && (this.#known.has(session) || !table.has(session));
  }
}

function isSame(entry: ProcessEntry | undefined, startTime: string): boolean {
  return entry !== undefined && entry.startTime === startTime && isAlive(entry);
}
