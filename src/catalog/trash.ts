import type { Trash } from '../storage/index.js';
import type { KindTrash, Trashed } from './kind.js';

/** What has lain in the trash for so long is removed by the next cleaning. */
export const TRASH_MS = 7 * 24 * 60 * 60 * 1_000;

/** The trash of a kind whose sessions are a file or directory each. `isId` says whose names a path may be built from. */
export function trashOf(
  trash: Trash,
  place: { readonly isId: (id: string) => boolean; readonly pathOf: (id: string) => string },
): KindTrash {
  return {
    entries: () =>
      trash
        .entries()
        .filter(({ id }) => place.isId(id))
        .map((entry) => ({ id: entry.id, entry })),
    restore: async ({ id, entry }: Trashed) => trash.restore(entry, place.pathOf(id)),
    purge: (olderThanMs) => purgeTrash(trash, olderThanMs),
  };
}

/** Without an age everything goes, whatever the clock says: an entry may be dated a moment ahead. */
export function purgeTrash(trash: Trash, olderThanMs = Number.NEGATIVE_INFINITY): string[] {
  return trash.purge(olderThanMs).map(({ id }) => id);
}
