import { SessionNotFoundError } from '../foundation/index.js';
import { type CatalogKind, LISTED_BY } from './kind.js';

/** One kind whose sessions are kept in several places; each session is found wherever it is. */
export function severalPlaces(first: CatalogKind, others: readonly CatalogKind[]): CatalogKind {
  if (others.length === 0) return first;
  const places = [first, ...others];
  const placeOf = (id: string) => {
    const found = places.find((place) => place.ids().includes(id));
    if (found === undefined) throw new SessionNotFoundError(id, LISTED_BY);
    return found;
  };
  return {
    ...first,
    ids: () => places.flatMap((place) => place.ids()),
    list: async () => (await Promise.all(places.map((place) => place.list()))).flat(),
    summarize: async (id) => placeOf(id).summarize(id),
    get: async (id, options) => placeOf(id).get(id, options),
    verify: async (id) => placeOf(id).verify(id),
    recover: async (id) => placeOf(id).recover(id),
    export: async (id, format) => placeOf(id).export(id, format),
    remove: async (id) => placeOf(id).remove(id),
    leftAlone: async () => (await Promise.all(places.map((place) => place.leftAlone?.() ?? []))).flat(),
    trashed: () => places.flatMap((place) => place.trashed()),
    restore: async (trashed) => {
      const isHere = (place: CatalogKind) =>
        place.trashed().some(({ entry }) => entry.path === trashed.entry.path);
      return (await places.find(isHere)?.restore(trashed)) ?? false;
    },
    purgeTrash: (olderThanMs) => places.flatMap((place) => place.purgeTrash(olderThanMs)),
  };
}
