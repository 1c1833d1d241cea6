import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type AgentEvent, describeEvent } from '../../agents/index.js';
import { InvalidInputError, visibleJson } from '../../foundation/index.js';
import { cardLines, type QuestionView } from '../../sessions/question/index.js';
import { Chat, type ChatOptions, type ChatParty, type ChatView } from './chat.js';
import { PlainScreen, type PlainStream } from './plain-screen.js';
import type { ChatStyle } from './screen.js';

export interface PlainChatOptions extends Omit<ChatOptions, 'view' | 'party'> {
  /** Called at the first message: without one there is no conversation. */
  readonly party: () => Promise<ChatParty>;
  readonly stdin: Readable;
  readonly stdout: PlainStream;
  readonly stderr: PlainStream;
  readonly style: ChatStyle;
  /** Whether messages and events are lines of JSON. */
  readonly isJson: boolean;
  /** The first message, sent before standard input is read. */
  readonly first?: string | undefined;
  /** Whether messages are also read from standard input. */
  readonly readsInput: boolean;
  readonly signal: AbortSignal;
  readonly onOpen?: ((view: ChatView) => void) | undefined;
}

export interface PlainResult {
  /** Null if no message arrived. */
  readonly path: string | null;
  /** Whether every message was answered. */
  readonly isAllAnswered: boolean;
}

/** The chat without a terminal: a message per line of standard input, answers on standard output, the rest on standard error. */
export async function openChat(options: PlainChatOptions): Promise<PlainResult> {
  const { stdin, isJson, signal } = options;
  const view = isJson ? jsonView(options) : plainView(options);
  let chat: Chat | undefined;
  options.onOpen?.(view);
  const lines = options.readsInput ? createInterface({ input: stdin, terminal: false }) : undefined;
  // Listening starts here, so lines that arrive while the first message is answered are not lost.
  const input = lines?.[Symbol.asyncIterator]();
  const stop = () => {
    chat?.cancel();
    lines?.close();
  };
  signal.addEventListener('abort', stop, { once: true });
  let isAllAnswered = true;
  try {
    for await (const message of messages(options, input)) {
      if (signal.aborted) break;
      if (message.trim() === '') continue;
      chat ??= new Chat({ ...options, view, party: await options.party() });
      // A slash marks a command only for people; a program that writes one means it literally.
      if (isJson || !message.startsWith('/')) {
        const response = await chat.take(message);
        isAllAnswered &&= response?.reason === 'completed';
      } else if (!(await chat.handle(message))) break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    lines?.close();
    await chat?.leave(signal);
  }
  return { path: chat?.path ?? null, isAllAnswered };
}

async function* messages(
  { first, isJson }: PlainChatOptions,
  lines: AsyncIterableIterator<string> | undefined,
): AsyncGenerator<string> {
  if (first !== undefined) yield first;
  for await (const line of lines ?? []) yield isJson ? parseMessage(line) : line;
}

function parseMessage(line: string): string {
  if (line.trim() === '') return '';
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    throw new InvalidInputError('A line of standard input is not JSON; with --json each is {"content": "…"}');
  }
  const content = (message as { content?: unknown } | null)?.content;
  if (typeof content !== 'string')
    throw new InvalidInputError(
      'A line of standard input has no "content"; with --json each is {"content": "…"}',
    );
  return content;
}

function howToAnswer({ id }: QuestionView): string {
  return `Waiting for an answer to ${id}. Answer it in another terminal: holdfast answer ${id.slice(0, 8)} (or holdfast inbox)`;
}

function plainView({ stdout, stderr, style }: PlainChatOptions): ChatView {
  const answers = new PlainScreen(stdout, style);
  const notes = new PlainScreen(stderr, style);
  // Both streams may share one screen, so our own output starts on a new row.
  const ours = () => {
    answers.pause();
    return notes;
  };
  return {
    say: (text) => answers.say(text),
    note: (text) => ours().note(text),
    warn: (text) => ours().warn(text),
    event(event) {
      if (event.type === 'text') answers.event(event);
      else if (describeEvent(event) !== undefined) ours().event(event);
    },
    working: (isWorking) => answers.working(isWorking),
    asked: (view) => ours().note(`${cardLines(view).join('\n')}\n${howToAnswer(view)}`),
  };
}

function jsonView({ stdout }: PlainChatOptions): ChatView {
  const write = (value: object) => void stdout.write(`${visibleJson(value)}\n`);
  return {
    say: (text) => write({ type: 'note', text }),
    note: (text) => write({ type: 'note', text }),
    warn: (text) => write({ type: 'warning', text }),
    event: (event: AgentEvent) => write(event),
    working: () => {},
    asked: (view) => {
      const { id, questions, asker } = view;
      write({ type: 'asked', id, asker, questions });
      write({ type: 'note', text: howToAnswer(view) });
    },
  };
}
