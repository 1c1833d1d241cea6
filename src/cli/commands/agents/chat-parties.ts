import { conversationPath, openAgents, type openPrices, turnTaker } from '../../../app/index.js';
import type { ChatStart } from '../../../run/turn/chat-start.js';
import type { Conversation, ConversationSessions } from '../../../sessions/conversation/index.js';
import type { QuestionView } from '../../../sessions/question/index.js';
import { type ChatParty, type ChatView, describeContinuation } from '../../../tui/chat/index.js';
import type { CommandContext } from '../../command.js';
import { type QuestionNotes, questionNotes } from './question-notes.js';

/** How the agent of a conversation is started. */
export type PartyStart = Pick<ChatStart, 'agent' | 'model' | 'permissions'>;

export interface ChatPartiesOptions {
  readonly conversations: ConversationSessions;
  readonly priceOf: Awaited<ReturnType<typeof openPrices>>;
  /** Called with the id of each conversation that is talked in. */
  readonly onHeld: (id: string) => void;
  /** Called when the agent asks something. */
  readonly onAsked: () => void;
}

/** Brings an agent and a conversation together, one pair at a time: a chat may go on with another agent in a new one. */
export class ChatParties implements Disposable {
  readonly #context: CommandContext;
  readonly #options: ChatPartiesOptions;
  /** Follows what the agent of the current pair asks. */
  #notes: QuestionNotes | undefined;
  #view: ChatView | undefined;

  constructor(context: CommandContext, options: ChatPartiesOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Shows from now on what is asked and noted. */
  show(view: ChatView): void {
    this.#view = view;
  }

  /** In a new conversation of this directory. Throws AGENT_UNKNOWN and as `create`. */
  async begin(start: PartyStart, id?: string): Promise<ChatParty> {
    const { services } = this.#context;
    const agent = openAgents(services).choose(start.agent);
    const { workingDirectory } = services;
    const conversation = await this.#options.conversations.create({
      id,
      agent: agent.name,
      workingDirectory,
    });
    return this.continue({ ...start, agent: agent.name }, conversation, workingDirectory);
  }

  /** In a conversation that is held already. */
  continue(start: PartyStart, conversation: Conversation, workingDirectory: string): ChatParty {
    const { services, terminal, isJson } = this.#context;
    const { priceOf, onHeld } = this.#options;
    onHeld(conversation.id);
    const agent = openAgents(services).choose(start.agent);
    const { model, permissions } = start;
    const { askerSession } = this.#follow(conversation);
    conversation.noteLaunch({
      agent: agent.name,
      model: model ?? agent.model ?? null,
      permissions,
      workingDirectory,
    });
    const taker = turnTaker(services, agent, conversation, {
      permissions,
      model,
      priceOf,
      askerSession,
      isAttended: terminal.isInteractive && !isJson,
      // Options that differ were typed just now, or are shown to the person.
      acceptsChanges: true,
      onContinuation: (continuation) => {
        const words = describeContinuation(continuation);
        if (words !== undefined) this.#view?.note(words);
      },
    });
    return { agent: agent.name, conversation, path: conversationPath(services, conversation.id), taker };
  }

  #follow({ id }: Conversation): QuestionNotes {
    this.#notes?.[Symbol.dispose]();
    const onAsked = (question: QuestionView) => {
      this.#options.onAsked();
      this.#view?.asked(question);
    };
    this.#notes = questionNotes(this.#context.services, onAsked, id);
    return this.#notes;
  }

  [Symbol.dispose](): void {
    this.#notes?.[Symbol.dispose]();
  }
}
