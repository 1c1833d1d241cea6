import { counted } from '../foundation/index.js';
import type { ConversationSummary } from '../sessions/conversation/index.js';
import type { OverviewRow } from './row.js';

/** The row of a chat: it is working while somebody has it open, and has ended otherwise. */
export function chatRow(summary: ConversationSummary, isOpen: boolean): OverviewRow {
  const { id, agent, status, createdAt, lastActivity, workingDirectory, turnCount } = summary;
  const isInterrupted = status === 'interrupted';
  return {
    key: `chat:${id}`,
    kind: 'chat',
    id,
    project: workingDirectory,
    title: `chat, ${counted(turnCount, 'turn')}`,
    agent,
    group: isOpen ? 'works' : 'ended',
    status: isOpen ? 'open' : status,
    phase: null,
    tests: [],
    cost: null,
    startedAt: createdAt,
    since: lastActivity,
    why: isInterrupted ? 'interrupted' : null,
    question: null,
    isRunning: isOpen,
    isArchived: false,
  };
}
