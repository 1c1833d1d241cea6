import { join } from 'node:path';
import { createFile, listDirectory, lookAt, removeQuietly } from '../../../storage/index.js';
import { roomOf, type WebPlace } from './web-place.js';

const LAUNCHER = /^open-[0-9a-f]{32}\.html$/;
/** As long as the code in it is valid. */
const KEPT_MS = 2 * 60_000;

/**
 * Writes a private file that sends a browser to a link, so that the link is not in a process argument, which every user of
 * the machine could read. Throws ATOMIC_WRITE_FAILED.
 */
export function writeLauncher(place: WebPlace, link: string): string {
  const path = join(roomOf(place), `open-${place.tools.ids.token()}.html`);
  createFile(
    place.tools,
    path,
    `<!doctype html><meta charset="utf-8"><title>Holdfast</title><meta http-equiv="refresh" content="0;url=${link}">` +
      `<a href="${link}">Holdfast</a>\n`,
  );
  return path;
}

/** Removes launchers whose link is no longer valid, or all of them. */
export function sweepLaunchers({ tools, directory }: WebPlace, isAll = false): void {
  for (const name of listDirectory(tools.fileSystem, directory)) {
    if (!LAUNCHER.test(name)) continue;
    const path = join(directory, name);
    const ageMs = tools.clock.now().getTime() - (lookAt(tools.fileSystem, path)?.modifiedMs ?? 0);
    if (isAll || ageMs > KEPT_MS) removeQuietly(tools.fileSystem, path);
  }
}
