import type { Trash } from '../storage/index.js';
import type { KindTrash, Trashed } from './kind.js';

/** The trash of a kind whose sessions are a file or directory each. `isId` says whose names a path may be built from. */
export function trashOf(
  trash: Trash,
  place: { readonly isId: (id: string) => boolean; readonly pathOf: (id: string) => string },
): KindTrash {
  return {
    trashed: () =>
      trash
        .entries()
        .filter(({ id }) => place.isId(id))
        .map((entry) => ({ id: entry.id, entry })),
    restore: async ({ id, entry }: Trashed) => trash.restore(entry, place.pathOf(id)),
    purgeTrash: (olderThanMs) => trash.purge(olderThanMs).map(({ id }) => id),
  };
}
