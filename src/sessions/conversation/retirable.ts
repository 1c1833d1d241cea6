import type { Retirable } from '../../foundation/index.js';
import type { FileConversationStore } from './store.js';
import type { ConversationSummary } from './view.js';

/** The conversations that may have had no activity since then; what somebody has open stays. */
export function* retirableConversations(
  store: FileConversationStore,
  /** How a conversation stands now; undefined for one that is gone. */
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
        // Looks again under the lock, so that nothing goes that came back to life meanwhile.
        using held = await store.hold(id, { waitMs: 0 });
        if (!isOld(id)) return false;
        held.retire();
        return true;
      },
    };
}
