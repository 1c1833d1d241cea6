import { retain } from '../../../src/catalog/index.js';
import { isHoldfastError, silentLogger, systemClock } from '../../../src/foundation/index.js';
import {
  type Conversation,
  ConversationSessions,
  FileConversationStore,
} from '../../../src/sessions/conversation/index.js';
import { deadlyFileSystem, type KillPlan } from '../../support/deadly-file-system.js';
import { storageTools } from '../../support/storage-tools.js';
import { serve } from '../../support/worker-side.js';

// A process that works on conversations and may be killed at any instant.

export type ConversationAct = 'create' | 'add turn' | 'mark failed' | 'recover' | 'clean';

export interface ConversationFound {
  readonly ids: string[];
  readonly trash: string[];
  /** The turns of the one session, if it exists. */
  readonly turns: { content: string; failure: string | null }[];
  readonly status: string | undefined;
  readonly damage: string[];
}

const ID = 'mine';

function open(directory: string, kill?: KillPlan) {
  const { fileSystem } = deadlyFileSystem(kill);
  const tools = storageTools({ fileSystem, command: 'conversation worker' });
  const store = new FileConversationStore(tools, { directory });
  return { store, sessions: new ConversationSessions({ ...tools, store }) };
}

/** Continues the session if it was created before. */
async function createOrOpen(sessions: ConversationSessions): Promise<Conversation> {
  try {
    return await sessions.create({ id: ID, agent: 'a' });
  } catch (error) {
    if (!isHoldfastError(error, 'CONVERSATION_EXISTS')) throw error;
    return sessions.hold(ID);
  }
}

/** The text of a turn by its number, so that a reader can tell whether it is whole. */
export function turnText(turn: number): string {
  return `turn ${turn} ${String.fromCodePoint(97 + (turn % 26)).repeat((turn * 7_919) % 3_000)} end`;
}

const handlers = {
  /** Makes a session of three turns and releases it. */
  async prepare({ directory }: { directory: string }): Promise<void> {
    using conversation = await open(directory).sessions.create({ id: ID, agent: 'a' });
    for (const text of ['one', 'two', 'three']) conversation.addUserTurn(text);
  },

  async act({ directory, act, kill }: { directory: string; act: ConversationAct; kill?: KillPlan }) {
    const { sessions } = open(directory, kill);
    switch (act) {
      case 'create':
        (await createOrOpen(sessions))[Symbol.dispose]();
        break;
      case 'add turn': {
        using conversation = await sessions.hold(ID);
        conversation.addAssistantTurn('four');
        break;
      }
      case 'mark failed': {
        using conversation = await sessions.hold(ID);
        conversation.markFailed({ turn: 3 }, 'the agent crashed');
        break;
      }
      case 'recover':
        await sessions.recover(ID);
        break;
      case 'clean':
        await retain(sessions, { clock: systemClock, log: silentLogger }, { olderThanMs: -60_000 });
        break;
    }
  },

  inspect({ directory }: { directory: string }): ConversationFound {
    const { sessions, store } = open(directory);
    const ids = store.ids();
    const view = ids.includes(ID) ? sessions.get(ID) : undefined;
    return {
      ids,
      trash: store.trash.entries().map(({ id }) => id),
      turns: (view?.turns ?? []).map(({ content, failure }) => ({ content, failure })),
      status: view?.status,
      damage: ids.includes(ID) ? sessions.verify(ID).damage.map(({ reason }) => reason) : [],
    };
  },

  /** Writes this many turns to a new session. */
  async write({ directory, id, turns }: { directory: string; id: string; turns: number }): Promise<void> {
    using conversation = await open(directory).sessions.create({ id, agent: 'a' });
    for (let turn = 1; turn <= turns; turn++) conversation.addUserTurn(turnText(turn));
  },

  /** Reads until all turns are there; returns how often, and anything that was not a beginning of the log. */
  readUntil({ directory, id, turns }: { directory: string; id: string; turns: number }) {
    const { sessions, store } = open(directory);
    const wrong: string[] = [];
    let reads = 0;
    for (let seen = 0; seen < turns; ) {
      if (!store.has(id)) continue;
      const isPart = reads % 10 === 9;
      const view = isPart ? sessions.readLast(id, 5) : sessions.get(id);
      reads += 1;
      const first = view.turnCount - view.turns.length + 1;
      const isPrefix = view.turns.every(
        (turn, index) => turn.number === first + index && turn.content === turnText(turn.number),
      );
      if (!isPrefix || view.damage.length > 0 || view.turnCount < seen)
        wrong.push(`read ${reads}: ${view.turnCount} turns after ${seen}, ${JSON.stringify(view.damage)}`);
      if (!isPart && first !== 1) wrong.push(`read ${reads} begins with turn ${first}`);
      if (wrong.length > 10) break;
      seen = view.turnCount;
    }
    return { reads, wrong };
  },

  /** Becomes the owner of a session and remains its owner. */
  async own({ directory, id, waitMs }: { directory: string; id: string; waitMs: number }): Promise<string[]> {
    const conversation = await open(directory).sessions.hold(id, { waitMs });
    conversation.addUserTurn(`from process ${process.pid}`);
    return conversation.view.turns.map(({ content }) => content);
  },
};

export type ConversationWorker = typeof handlers;
serve(handlers);
