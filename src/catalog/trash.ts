import { dirname } from 'node:path';
import type { Trash } from '../storage/index.js';
import type { KindTrash, Trashed } from './kind.js';

/** Where sessions of a kind are, and where those go that were removed. `isId` says which names a path may be built from. */
export interface TrashPlace {
  readonly trash: Trash;
  readonly isId: (id: string) => boolean;
  readonly pathOf: (id: string) => string;
}

/** The trash of a kind that keeps each session as a file or directory, in one or several places. */
export function trashOf(...places: readonly TrashPlace[]): KindTrash {
  return {
    trashed: () =>
      places.flatMap(({ trash, isId }) =>
        trash
          .entries()
          .filter(({ id }) => isId(id))
          .map((entry) => ({ id: entry.id, entry })),
      ),
    restore: async ({ id, entry }: Trashed) => {
      const place = places.find(({ trash }) => trash.directory === dirname(entry.path));
      return place?.trash.restore(entry, place.pathOf(id)) ?? false;
    },
    purgeTrash: (olderThanMs) => places.flatMap(({ trash }) => trash.purge(olderThanMs)).map(({ id }) => id),
  };
}
