import { visibleExcerpt } from '../../foundation/index.js';
import type { ConversationSummary } from '../../sessions/conversation/index.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

/** Conversations as the published table. */
export function renderConversations(found: readonly ConversationSummary[], style: Style): string {
  const rows = found.map(({ id, agent, turnCount, createdAt, status, isDamaged }) => [
    visibleExcerpt(id, 64),
    visibleExcerpt(agent, 24),
    String(turnCount),
    createdAt,
    isDamaged ? `${status} (damaged)` : status,
  ]);
  return renderTable(['SESSION_ID', 'AGENT', 'TURN_COUNT', 'CREATED_AT', 'STATUS'], rows, style);
}
