import { visibleExcerpt } from '../../foundation/index.js';
import type { ConversationSummary } from '../../sessions/conversation/index.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

/** Conversations as the published table; `withProject` adds a column that the published one does not have. */
export function renderConversations(
  found: readonly ConversationSummary[],
  style: Style,
  { withProject }: { readonly withProject: boolean },
): string {
  const rows = found.map(({ id, agent, turnCount, createdAt, status, isDamaged, workingDirectory }) => [
    visibleExcerpt(id, 64),
    visibleExcerpt(agent, 24),
    String(turnCount),
    createdAt,
    isDamaged ? `${status} (damaged)` : status,
    ...(withProject ? [workingDirectory === null ? '-' : visibleExcerpt(workingDirectory, 200)] : []),
  ]);
  const heads = ['SESSION_ID', 'AGENT', 'TURN_COUNT', 'CREATED_AT', 'STATUS'];
  return renderTable(withProject ? [...heads, 'PROJECT'] : heads, rows, style);
}
