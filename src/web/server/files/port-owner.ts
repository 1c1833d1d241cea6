import { join } from 'node:path';
import { visibleExcerpt } from '../../../foundation/index.js';
import { type FileSystem, readFile } from '../../../storage/index.js';

/** Which process listens on a port of this machine, in words; undefined if the system does not say. */
export function portOwner(fileSystem: FileSystem, port: number): string | undefined {
  try {
    const inodes = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) =>
      listening(readFile(fileSystem, path) ?? '', port),
    );
    if (inodes.length === 0) return undefined;
    const wanted = new Set(inodes.map(({ inode }) => `socket:[${inode}]`));
    const pid = fileSystem
      .list('/proc')
      .find((name) => /^\d+$/.test(name) && holds(fileSystem, name, wanted));
    if (pid === undefined) return `a program of user ${inodes[0]?.uid}`;
    const name = readFile(fileSystem, `/proc/${pid}/comm`)?.trim() ?? '';
    return `process ${pid} (${visibleExcerpt(name, 40)})`;
  } catch {
    return undefined; // no /proc, or not readable for us
  }
}

const LISTEN = '0A';

function listening(table: string, port: number): { inode: string; uid: string }[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    const isMeant = state === LISTEN && Number.parseInt(local.split(':').at(-1) ?? '', 16) === port;
    return isMeant ? [{ inode, uid }] : [];
  });
}

function holds(fileSystem: FileSystem, pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    const directory = `/proc/${pid}/fd`;
    return fileSystem.list(directory).some((name) => {
      try {
        return sockets.has(fileSystem.readLink(join(directory, name)));
      } catch {
        return false; // has closed meanwhile
      }
    });
  } catch {
    return false; // another user's process
  }
}
