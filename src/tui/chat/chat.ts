import type { AgentEvent } from '../../agents/index.js';
import {
  counted,
  isHoldfastError,
  messageOf,
  visibleBlock,
  visibleExcerpt,
  visibleLine,
} from '../../foundation/index.js';
import type { Continuation, TurnTaker } from '../../run/index.js';
import {
  type Conversation,
  exportJson,
  exportMarkdown,
  parseExport,
  type Turn,
} from '../../sessions/conversation/index.js';
import type { PromptResponse } from '../../sessions/process/index.js';
import type { QuestionView } from '../../sessions/question/index.js';
import { HELP, parseSlashCommand, type SlashCommand } from './slash-commands.js';

/** Where a chat is shown. */
export interface ChatView {
  /** Text for the person: replies to commands. */
  say(text: string): void;
  /** A side note. */
  note(text: string): void;
  warn(text: string): void;
  event(event: AgentEvent): void;
  /** A turn begins, and ends. */
  working(isWorking: boolean): void;
  /** The agent is waiting for an answer to this, or for a permission. */
  asked(view: QuestionView): void;
}

/** A conversation with the agent that answers in it. */
export interface ChatParty {
  readonly agent: string;
  readonly conversation: Conversation;
  readonly path: string;
  readonly taker: TurnTaker;
}

export interface ChatOptions {
  readonly view: ChatView;
  readonly party: ChatParty;
  /** A new conversation with another agent. Throws AGENT_UNKNOWN. */
  readonly startWith: (agent: string) => Promise<ChatParty>;
  /** Reads a file by the name the person gave. */
  readonly readFile: (path: string) => string;
  /** Creates a file; false if one already exists, which is left unchanged. */
  readonly createFile: (path: string, text: string) => boolean;
  /** Called with each event of the agent after it has been shown. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined;
}

/** A chat: messages go to the agent, lines that start with a slash are commands. Nothing here knows about the terminal. */
export class Chat {
  readonly #options: ChatOptions;
  #party: ChatParty;
  #cancelling: AbortController | undefined;
  /** Why the last message was not answered; undefined if it was, or if the person cancelled it. */
  #failure: string | undefined;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#party = options.party;
  }

  get agent(): string {
    return this.#party.agent;
  }

  get conversation(): Conversation {
    return this.#party.conversation;
  }

  get path(): string {
    return this.#party.path;
  }

  get isWorking(): boolean {
    return this.#cancelling !== undefined;
  }

  /** Handles one line. False if the person wants to leave. */
  async handle(line: string): Promise<boolean> {
    const command = parseSlashCommand(line);
    if (command === undefined) await this.take(line.startsWith('//') ? line.slice(1) : line);
    else if (typeof command === 'string') this.#options.view.warn(command);
    else return this.#obey(command);
    return true;
  }

  /** One exchange with the agent. Errors are shown, and the chat continues. */
  async take(prompt: string): Promise<PromptResponse | undefined> {
    const { view, onEvent } = this.#options;
    const cancelling = new AbortController();
    this.#cancelling = cancelling;
    view.working(true);
    try {
      const { response } = await this.#party.taker.take(prompt, {
        signal: cancelling.signal,
        onEvent: (event) => {
          view.event(event);
          onEvent?.(event);
        },
      });
      view.working(false);
      this.#failure = isEndWished(response) ? undefined : (response.message ?? response.reason);
      this.#tellEnd(response);
      return response;
    } catch (error) {
      view.working(false);
      this.#failure = cancelling.signal.aborted ? undefined : messageOf(error);
      view.warn(messageOf(error));
      if (isHoldfastError(error) && error.hint !== undefined) view.note(error.hint);
      return undefined;
    } finally {
      this.#cancelling = undefined;
    }
  }

  /** Cancels the current turn; the chat continues. */
  cancel(): void {
    this.#cancelling?.abort();
  }

  /**
   * Ends the agent and returns how the conversation stands: it is interrupted if its last message was not answered. An agent
   * may take its time to leave; the signal hurries it.
   */
  async close(
    status: 'completed' | 'interrupted',
    options: { readonly reason?: string | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const { reason, signal } = options;
    const { taker } = this.#party;
    this.cancel();
    const hurry = () => void taker.end({ isUrgent: true }).catch(() => {}); // the first call reports what went wrong
    signal?.addEventListener('abort', hurry, { once: true });
    try {
      await taker.end({ isUrgent: status === 'interrupted' || signal?.aborted === true });
    } finally {
      signal?.removeEventListener('abort', hurry);
    }
    if (this.#failure === undefined) this.#party.conversation.setStatus(status, reason);
    else this.#party.conversation.setStatus('interrupted', this.#failure);
    this.#failure = undefined;
    this.#party.conversation[Symbol.dispose]();
  }

  /** Closes the chat because the person wants to leave, or because the process is being stopped. */
  async leave(signal: AbortSignal): Promise<void> {
    await (signal.aborted
      ? this.close('interrupted', { reason: 'stopped by a signal' })
      : this.close('completed', { signal }));
  }

  async #obey(command: SlashCommand): Promise<boolean> {
    if (command.name === 'exit') return false;
    try {
      await this.#carryOut(command);
    } catch (error) {
      this.#options.view.warn(messageOf(error));
      if (isHoldfastError(error) && error.hint !== undefined) this.#options.view.note(error.hint);
    }
    return true;
  }

  async #carryOut(command: Exclude<SlashCommand, { name: 'exit' }>): Promise<void> {
    const { view } = this.#options;
    const { conversation } = this.#party;
    switch (command.name) {
      case 'help':
        return view.say(HELP.map(([name, does]) => `${name.padEnd(16)} ${does}`).join('\n'));
      case 'history':
        return view.say(describeHistory(conversation.view.turns, command.count));
      case 'stats':
        return view.say(this.#describeStats());
      case 'clear':
        conversation.clearContext();
        await this.#party.taker.forget();
        return view.note('The agent forgets what was said; the file keeps it.');
      case 'save': {
        const path = this.#write(command.path, exportMarkdown(conversation.view));
        return path === null ? undefined : view.note(`Saved to ${visibleLine(path)}`);
      }
      case 'export': {
        const path = this.#write(command.path, exportJson(conversation.view));
        return path === null ? undefined : view.note(`Exported to ${visibleLine(path)}`);
      }
      case 'import':
        return this.#import(command.path);
      case 'agent':
        return this.#changeAgent(command.agent);
    }
  }

  /** Writes to a new file, with a name of our choice if none was given; null if that failed. */
  #write(path: string | null, text: string): string | null {
    const { view, createFile } = this.#options;
    const { id } = this.#party.conversation;
    for (let number = 1; path === null; number++) {
      const free = `${id}${number === 1 ? '' : `-${number}`}.md`;
      if (createFile(free, text)) return free;
    }
    if (createFile(path, text)) return path;
    view.warn(`${visibleLine(path)} already exists: nothing was written. Give another name.`);
    return null;
  }

  async #import(path: string): Promise<void> {
    const { turns } = parseExport(this.#options.readFile(path));
    this.#party.conversation.importTurns(turns);
    await this.#party.taker.forget();
    this.#options.view.note(
      `Imported ${counted(turns.length, 'turn')}; the agent gets ${turns.length === 1 ? 'it' : 'them'} with your next message.`,
    );
  }

  async #changeAgent(name: string): Promise<void> {
    const party = await this.#options.startWith(name);
    await this.close('completed', { reason: `went on with ${party.agent}` });
    this.#party = party;
    this.#options.view.note(`A new conversation with ${party.agent}: ${party.conversation.id}`);
  }

  #describeStats(): string {
    const { agent, conversation, taker } = this.#party;
    const { turns } = conversation.view;
    const sum = (role: Turn['role']) =>
      turns.filter((turn) => turn.role === role).reduce((all, turn) => all + turn.tokens, 0);
    const rows: [string, string][] = [
      ['session', conversation.id],
      ['agent', agent],
      ['turns', `${turns.length} (${conversation.context.length} in the context)`],
      ['tokens', `${sum('user')} said, ${sum('assistant')} answered`],
      ['context', `${taker.session?.record.contextUsage ?? 0} % full`],
      ['file', visibleLine(this.#party.path)],
    ];
    return rows.map(([name, value]) => `${name.padEnd(8)} ${value}`).join('\n');
  }

  #tellEnd(response: PromptResponse): void {
    const { view } = this.#options;
    if (response.reason === 'cancelled') view.note('Interrupted. Returning to prompt.');
    else if (response.reason !== 'completed')
      view.warn(
        `The turn ended: ${response.reason}${response.message === null ? '' : `: ${visibleExcerpt(response.message, 500)}`}`,
      );
    const { usage, contextUsage } = response;
    const tokens = usage === null ? '' : `${usage.inputTokens} in, ${usage.outputTokens} out, `;
    const text = `${tokens}context ${contextUsage} % full`;
    if (contextUsage >= 90) view.warn(`${text}: about one more turn fits. /clear makes room.`);
    else if (contextUsage >= 80) view.warn(`${text}: /clear makes room.`);
    else view.note(text);
  }
}

/** Answered, or cancelled by the person. */
function isEndWished({ reason }: PromptResponse): boolean {
  return reason === 'completed' || reason === 'cancelled';
}

/** How an agent learned what was said before, in words. */
export function describeContinuation(continuation: Continuation): string | undefined {
  switch (continuation.how) {
    case 'new':
      return undefined;
    case 'resumed':
      return "Goes on in the agent's own conversation.";
    case 'replayed':
      return `The agent is told again what was said (${visibleExcerpt(continuation.reason, 200)}).`;
  }
}

const MAX_LINES = 20;

function describeHistory(turns: readonly Turn[], count: number | null): string {
  if (turns.length === 0) return 'Nothing was said yet.';
  const shown = count === null ? turns : turns.slice(-count);
  const width = String(turns.length).length;
  const indent = ' '.repeat(width + 2);
  return shown
    .map(({ number, role, content, timestamp, failure }) => {
      const who = `${role}${failure === null ? '' : ' (failed)'}`;
      const lines = firstLines(content, MAX_LINES, '/save writes everything');
      return `${String(number).padStart(width)}. ${timestamp.slice(0, 19)} ${who}: ${lines.join(`\n${indent}`)}`;
    })
    .join('\n');
}

/** The first lines of what was said, and how many more there are. */
export function firstLines(content: string, max: number, hint: string): string[] {
  const lines = visibleBlock(content.trim()).split('\n');
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max), `… ${counted(lines.length - max, 'more line', 'more lines')} (${hint})`];
}
