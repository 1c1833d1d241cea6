import { counted } from '../foundation/index.js';
import {
  type ConversationDamage,
  type ConversationSessions,
  type ConversationSummary,
  conversationLifecycle,
  exportJson,
  exportMarkdown,
  type FileConversationStore,
} from '../sessions/conversation/index.js';
import type { CatalogKind, Recovery, SessionFault, SessionSummary } from './kind.js';
import { trashOf } from './trash.js';

/** How many turns are shown by default. */
const SHOWN_TURNS = 10;

/** Conversations in the catalog. */
export function conversationKind(tools: {
  readonly conversations: ConversationSessions;
  readonly store: FileConversationStore;
  readonly retentionMs: number;
}): CatalogKind {
  const { conversations, store, retentionMs } = tools;
  // Only an active one can be live; checking the locks of all the others would cost more than reading their files.
  const isLive = ({ id, status }: Pick<ConversationSummary, 'id' | 'status'>) =>
    status === 'active' && store.ownerOf(id).hold === 'held';
  const recover = async (id: string): Promise<Recovery> => {
    const { damage, setAside, kept } = await conversations.recover(id);
    const told = damage.length === 0 ? 'It is intact.' : `Kept every intact record (${kept}), byte for byte.`;
    return { found: damage.map(faultOfDamage), told, keptAt: setAside, left: verify(id) };
  };
  const verify = (id: string) => conversations.verify(id).damage.map(faultOfDamage);
  return {
    kind: 'conversation',
    statuses: conversationLifecycle.states,
    ids: () => store.ids(),
    list: async () => {
      const found = conversations.list({ withHidden: true });
      return found.map((summary) => summaryOf(summary, isLive(summary), summary.workingDirectory));
    },
    summarize: async (id) => {
      const { metadata, damage, ...view } = conversations.readLastChecked(id, 1);
      const summary = { ...metadata, ...view, isDamaged: damage.length > 0, isChecked: true };
      return summaryOf(summary, isLive(summary), metadata.workingDirectory);
    },
    get: async (id, { turns = SHOWN_TURNS } = {}) => ({
      kind: 'conversation',
      detail: turns === 'all' ? conversations.get(id) : conversations.readLastChecked(id, turns),
    }),
    verify: async (id) => verify(id),
    recover,
    export: async (id, format) => {
      const view = conversations.get(id);
      return format === 'md' ? exportMarkdown(view) : exportJson(view);
    },
    remove: async (id) => {
      await conversations.remove(id);
    },
    retentionMs,
    retirable: (before) => conversations.retirable(before),
    sweep: () => conversations.sweep(),
    ...trashOf({ trash: store.trash, isId: (id) => isPath(store, id), pathOf: (id) => store.path(id) }),
  };
}

function summaryOf(
  summary: ConversationSummary,
  isLive: boolean,
  workingDirectory: string | null,
): SessionSummary {
  const { id, status, agent, createdAt, lastActivity, isDamaged, isHidden, turnCount } = summary;
  const title = counted(turnCount, 'turn');
  const times = { createdAt, lastActivity };
  // A conversation never ends: the next message makes it active again.
  const flags = { isDamaged, isLive, isEnded: false, isHidden };
  return { kind: 'conversation', id, status, title, agent, workingDirectory, ...times, ...flags };
}

function faultOfDamage({ detail, line, offset }: ConversationDamage): SessionFault {
  return { detail, line, offset };
}

/** Whether a path may be built from a name in the trash. */
function isPath(store: FileConversationStore, id: string): boolean {
  try {
    store.path(id);
    return true;
  } catch {
    return false; // a name that we did not give; it is neither listed nor restored
  }
}
