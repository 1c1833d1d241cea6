import type { ConversationSessions, ConversationSummary } from '../sessions/conversation/index.js';
import { chatRow } from './chat-rows.js';
import type { OverviewRow } from './row.js';

export interface ChatParts {
  readonly conversations: Pick<ConversationSessions, 'glance' | 'glanceAt' | 'watch'>;
  readonly isChatOpen: (id: string) => boolean;
}

/** This user's chats that are open or ended today; only those that changed are read again. */
export class ChatRows {
  readonly #parts: ChatParts;
  #rows: Map<string, OverviewRow> | undefined;
  readonly #stale = new Set<string>();

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  read(dayStart: Date): readonly OverviewRow[] {
    if (this.#rows === undefined) {
      this.#rows = new Map();
      for (const summary of this.#parts.conversations.glance()) this.#take(summary, dayStart);
    }
    for (const id of this.#stale) {
      this.#rows.delete(id);
      const summary = this.#parts.conversations.glanceAt(id);
      if (summary !== undefined && !summary.isHidden) this.#take(summary, dayStart);
    }
    this.#stale.clear();
    return [...this.#rows.values()];
  }

  watch(onHint: () => void): { close(): void } {
    return this.#parts.conversations.watch((id) => {
      if (id === null) return;
      this.#stale.add(id);
      onHint();
    });
  }

  /** The process that had a chat open may be gone. */
  lookAtOwners(): void {
    for (const { id, isRunning } of this.#rows?.values() ?? [])
      if (isRunning && !this.#parts.isChatOpen(id)) this.#stale.add(id);
  }

  /** Only an active chat can be open. Checking the locks of all the others would cost more than reading their files. */
  #take(summary: ConversationSummary, dayStart: Date): void {
    const isOpen = summary.status === 'active' && this.#parts.isChatOpen(summary.id);
    if (isOpen || Date.parse(summary.lastActivity) >= dayStart.getTime())
      this.#rows?.set(summary.id, chatRow(summary, isOpen));
  }
}
