import * as z from 'zod';
import { defineOperation } from '../../foundation/index.js';
import type { TrashEntry } from '../../storage/index.js';
import type { ConversationSessions } from './sessions.js';
import { transcriptOperations } from './transcript/operations.js';
import type { ConversationSummary } from './view.js';

/** What the operations need: the conversations. */
export interface ConversationParts {
  readonly conversations: ConversationSessions;
}

export const listConversations = defineOperation({
  name: 'conversation.list',
  summary: 'List conversations, most recently active first',
  effect: 'read',
  capability: 'view',
  surfaces: ['cli', 'page', 'fleet'],
  get input() {
    return z.strictObject({
      agent: z.string().optional(),
      status: z.enum(['active', 'completed', 'interrupted']).optional(),
    });
  },
  get output() {
    return z.custom<readonly ConversationSummary[]>();
  },
  async run({ conversations }: ConversationParts, { agent, status }) {
    return conversations.list({
      ...(agent === undefined ? {} : { agent }),
      ...(status === undefined ? {} : { status }),
    });
  },
});

export const deleteConversation = defineOperation({
  name: 'conversation.delete',
  summary: 'Move a conversation to the trash',
  effect: 'write',
  capability: 'admin',
  surfaces: ['cli'],
  get input() {
    return z.strictObject({ session: z.string() });
  },
  get output() {
    return z.custom<TrashEntry>();
  },
  run({ conversations }: ConversationParts, { session }) {
    return conversations.remove(conversations.resolve(session));
  },
});

/** Every action of conversations, for the registry. */
export const conversationOperations = [
  listConversations,
  deleteConversation,
  ...transcriptOperations,
] as const;
