import type { Retirable } from '../../foundation/index.js';
import type { FileConversationStore } from './store.js';
import type { ConversationSummary } from './view.js';

/** The conversations that may have been inactive since then; those that are open stay. */
export function* retirableConversations(
  store: FileConversationStore,
  /** The current state of a conversation; undefined if it is gone. */
  summarize: (id: string) => ConversationSummary | undefined,
  before: number,
): Generator<Retirable> {
  const isOld = (id: string) => {
    const summary = summarize(id);
    return summary !== undefined && Date.parse(summary.lastActivity) < before;
  };
  for (const id of store.ids().sort())
    yield {
      id,
      look() {
        if (!isOld(id)) return undefined;
        return store.ownerOf(id).hold === 'held' ? { kept: 'somebody has it open' } : {};
      },
      async retire() {
        // Checks again under the lock, so that a conversation used in the meantime stays.
        using held = await store.hold(id, { waitMs: 0 });
        if (!isOld(id)) return false;
        held.retire();
        return true;
      },
    };
}
