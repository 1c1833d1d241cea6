import { isHoldfastError, type Logger, messageOf } from '../../foundation/index.js';
import type { DirectoryWatch } from '../../storage/index.js';
import { SessionNotFoundError } from './errors.js';
import type { QuestionStore } from './store.js';

/**
 * Watches the directory of all sets, and each set that is wanted when first seen for changes of its own. A hint names
 * the set, or is null if sets came or went. A set that cannot be watched, such as a link that somebody put there, is left
 * out, as in a list.
 */
export function watchSets(
  { store, log }: { readonly store: QuestionStore; readonly log: Logger },
  onHint: (id: string | null) => void,
  isWanted: (id: string) => boolean = () => true,
): { close(): void } {
  const watches = new Map<string, DirectoryWatch>();
  const leftOut = new Set<string>();
  const all = store.watchAll(() => {
    follow();
    onHint(null);
  });
  follow();
  return {
    close() {
      all.close();
      for (const watch of watches.values()) watch.close();
    },
  };

  function follow(): void {
    const ids = new Set(store.ids());
    for (const [id, watch] of watches) {
      if (ids.has(id)) continue;
      watch.close();
      watches.delete(id);
    }
    for (const id of ids) if (!watches.has(id) && isWanted(id)) add(id);
  }

  function add(id: string): void {
    try {
      watches.set(
        id,
        store.watch(id, (name) => {
          if (name === null || name === 'status.json' || name === 'answers.json') onHint(id);
        }),
      );
    } catch (error) {
      // Gone between the list and the watch: the next hint will show that.
      if (error instanceof SessionNotFoundError) return;
      if (!isHoldfastError(error)) throw error;
      // Tried again at each hint, but told once.
      if (!leftOut.has(id)) log.warn('question.unreadable', { sessionId: id, error: messageOf(error) });
      leftOut.add(id);
    }
  }
}
