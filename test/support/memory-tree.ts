import { dirname } from 'node:path';
import { type FileFacts, nodeFileSystem, OpenFlags } from '../../src/storage/index.js';
import { MemoryFileSystem } from '../../src/testing/index.js';

/**
 * The file system in memory that we publish. It gets facts about processes from the real system, and has methods to
 * plant and inspect files. For tests that use many files and need no disk.
 */
export class MemoryTree extends MemoryFileSystem {
  readonly #real = new Set<number>();

  constructor() {
    // No two changes at the same time, so that each one is noticed.
    let timeMs = 1;
    super({ now: () => new Date(timeMs++) });
  }

  /** Creates a file and every directory above it. */
  plant(path: string, text: string): void {
    this.plantDirectory(dirname(path));
    if (this.look(path) !== undefined) this.unlink(path);
    const descriptor = super.open(path, OpenFlags.createNew, 0o600);
    const bytes = Buffer.from(text);
    super.write(descriptor, bytes, 0, bytes.length, null);
    super.close(descriptor);
  }

  plantDirectory(path: string): void {
    if (this.look(path) !== undefined) return;
    this.plantDirectory(dirname(path));
    this.makeDirectory(path, 0o700);
  }

  /** The text of a file; undefined if there is none. */
  text(path: string): string | undefined {
    if (this.look(path) === undefined) return undefined;
    const descriptor = super.open(path, OpenFlags.read);
    const text = super.readText(descriptor);
    super.close(descriptor);
    return text;
  }

  /** Removes a directory and everything below it, as another program might. */
  removeAll(path: string): void {
    if (this.look(path)?.kind === 'directory') {
      for (const name of this.list(path)) this.removeAll(`${path}/${name}`);
      this.removeDirectory(path);
    } else this.unlink(path);
  }

  override open(path: string, flags: number, mode?: number): number {
    if (!isOfSystem(path)) return super.open(path, flags, mode);
    const descriptor = nodeFileSystem.open(path, flags, mode);
    this.#real.add(descriptor);
    return descriptor;
  }

  override close(descriptor: number): void {
    if (this.#real.delete(descriptor)) nodeFileSystem.close(descriptor);
    else super.close(descriptor);
  }

  override read(...parameters: Parameters<MemoryFileSystem['read']>): number {
    return this.#real.has(parameters[0]) ? nodeFileSystem.read(...parameters) : super.read(...parameters);
  }

  override readText(descriptor: number): string {
    return this.#real.has(descriptor) ? nodeFileSystem.readText(descriptor) : super.readText(descriptor);
  }

  override factsOf(descriptor: number): FileFacts {
    return this.#real.has(descriptor) ? nodeFileSystem.factsOf(descriptor) : super.factsOf(descriptor);
  }

  override look(path: string): FileFacts | undefined {
    return isOfSystem(path) ? nodeFileSystem.look(path) : super.look(path);
  }

  override list(path: string): string[] {
    return isOfSystem(path) ? nodeFileSystem.list(path) : super.list(path);
  }

  override readLink(path: string): string {
    return isOfSystem(path) ? nodeFileSystem.readLink(path) : super.readLink(path);
  }

  override resolve(path: string): string {
    return isOfSystem(path) ? path : super.resolve(path);
  }
}

/** Paths that hold facts about processes and the system itself. */
function isOfSystem(path: string): boolean {
  return path.startsWith('/proc/') || path.startsWith('/sys/');
}
