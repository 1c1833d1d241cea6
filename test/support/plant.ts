import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileFacts, type FileSystem, nodeFileSystem } from '../../src/storage/index.js';

/** Runs an action under a umask and puts the old one back. */
export async function withUmask<Result>(
  umask: number,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const before = process.umask(umask);
  try {
    return await action();
  } finally {
    process.umask(before);
  }
}

/** What another user may have put at one of our paths before us. */
export type Planted = 'symbolic link' | 'dangling link' | 'FIFO' | 'directory';

export const PLANTED: readonly Planted[] = ['symbolic link', 'dangling link', 'FIFO', 'directory'];

/** Plants it; a link leads to `victim`, which is created with the text `victim` unless the link dangles. */
export function plant(what: Planted, path: string, victim: string): void {
  if (what === 'directory') mkdirSync(path);
  else if (what === 'FIFO') makeFifo(path);
  else {
    if (what === 'symbolic link') writeFileSync(victim, 'victim');
    symlinkSync(victim, path);
  }
}

export function makeFifo(path: string): void {
  const { status, stderr } = spawnSync('mkfifo', [path]);
  if (status !== 0) throw new Error(`mkfifo failed: ${stderr}`);
}

/** The real file system, except that some paths report other facts (an owner, a mode). */
export function withFacts(facts: (path: string) => Partial<FileFacts> | undefined): FileSystem {
  return {
    ...nodeFileSystem,
    look(path) {
      const real = nodeFileSystem.look(path);
      return real === undefined ? undefined : { ...real, ...facts(path) };
    },
  };
}
