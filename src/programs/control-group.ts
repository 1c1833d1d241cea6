import { basename, dirname, join } from 'node:path';
import { type FileSystem, OpenFlags, readFile } from '../storage/index.js';
import { readOfProcess } from './process-table.js';

const PREFIX = 'holdfast-';
/** A group left empty this long belonged to a supervisor that was killed. */
const ABANDONED_MS = 60_000;

/**
 * A control group of the kernel (cgroup v2). A process cannot leave it by forking, by starting a session or by changing
 * its environment.
 */
export class ControlGroup {
  readonly #fileSystem: FileSystem;
  readonly path: string;
  /** Set if we could not get out again: then the group must not be killed. */
  #holdsUs = false;

  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.path = path;
  }

  /**
   * Does something as a member, so anything started meanwhile is born in the group; moving it there later would leave
   * it time to fork. If joining is not allowed, it is done outside.
   */
  inside<Result>(act: () => Result): Result {
    const home = join(dirname(this.path), 'cgroup.procs');
    if (!this.#canJoin()) return act();
    try {
      return act();
    } finally {
      try {
        write(this.#fileSystem, home, String(process.pid));
      } catch {
        this.#holdsUs = true;
      }
    }
  }

  #canJoin(): boolean {
    try {
      write(this.#fileSystem, join(this.path, 'cgroup.procs'), String(process.pid));
      return true;
    } catch {
      return false; // not ours to write to, so the group stays empty
    }
  }

  /** Whether any process is in it or in a group below. */
  get isPopulated(): boolean {
    return readFile(this.#fileSystem, join(this.path, 'cgroup.events'))?.includes('populated 1') ?? false;
  }

  /** Kills every process in it and below at once. Throws on kernels before 5.14. */
  kill(): void {
    if (this.#holdsUs || this.#has(process.pid)) return;
    write(this.#fileSystem, join(this.path, 'cgroup.kill'), '1');
  }

  #has(pid: number): boolean {
    return (
      readFile(this.#fileSystem, join(this.path, 'cgroup.procs'))?.split('\n').includes(String(pid)) ?? false
    );
  }

  /** Removes the groups below first; a group that still has a process in it stays. */
  remove(path = this.path): void {
    try {
      for (const name of this.#fileSystem.list(path))
        if (this.#fileSystem.look(join(path, name))?.kind === 'directory') this.remove(join(path, name));
      this.#fileSystem.removeDirectory(path);
    } catch {
      // It does not exist or is still in use: no harm done.
    }
  }
}

/** Creates groups below the one we are in, if the system lets us. */
export class ControlGroups {
  readonly #fileSystem: FileSystem;
  #base: string | null | undefined;

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
  }

  /** A new group for a program; null if none can be created. */
  create(marker: string): ControlGroup | null {
    this.#base ??= this.#findBase();
    if (this.#base === null) return null;
    const path = join(this.#base, `${PREFIX}${marker}`);
    try {
      this.#fileSystem.makeDirectory(path, 0o755);
      return new ControlGroup(this.#fileSystem, path);
    } catch {
      this.#base = null; // not ours to write to, and that will not change
      return null;
    }
  }

  /** The group that an earlier process created for a program; null if the path is not such a group. */
  open(path: string, marker: string): ControlGroup | null {
    const mounts = unifiedMounts(this.#fileSystem);
    const isOurs = basename(path) === `${PREFIX}${marker}` && !path.includes('/../');
    if (!isOurs || !mounts.some((mount) => path.startsWith(`${mount}/`))) return null;
    return new ControlGroup(this.#fileSystem, path);
  }

  #findBase(): string | null {
    const own = /^0::(\/.*)$/m.exec(readOfProcess(this.#fileSystem, 'self', 'cgroup') ?? '')?.[1];
    const mount = unifiedMounts(this.#fileSystem)[0];
    if (own === undefined || mount === undefined) return null;
    const base = join(mount, own);
    this.#removeAbandoned(base);
    return base;
  }

  #removeAbandoned(base: string): void {
    try {
      for (const name of this.#fileSystem.list(base)) {
        if (!name.startsWith(PREFIX)) continue;
        const group = new ControlGroup(this.#fileSystem, join(base, name));
        const madeAtMs = this.#fileSystem.look(group.path)?.modifiedMs ?? Date.now();
        if (Date.now() - madeAtMs > ABANDONED_MS && !group.isPopulated) group.remove();
      }
    } catch {
      // Only tidying up.
    }
  }
}

/** Where the unified hierarchy is mounted; empty on other systems. */
function unifiedMounts(fileSystem: FileSystem): string[] {
  if (process.platform !== 'linux') return [];
  const lines = readFile(fileSystem, '/proc/self/mountinfo')?.split('\n') ?? [];
  return lines
    .filter((line) => line.includes(' - cgroup2 '))
    .map((line) => line.split(' ')[4] ?? '')
    .filter((mount) => mount !== '');
}

function write(fileSystem: FileSystem, path: string, text: string): void {
  const bytes = Buffer.from(text);
  const descriptor = fileSystem.open(path, OpenFlags.write);
  try {
    fileSystem.write(descriptor, bytes, 0, bytes.length, null);
  } finally {
    fileSystem.close(descriptor);
  }
}
