import { counted, visibleExcerpt, visibleLine } from '../../foundation/index.js';
import type { ConversationView } from '../../sessions/conversation/index.js';
import type { QuestionSessions } from '../../sessions/question/index.js';
import { CardAttention } from '../card-attention.js';
import type { TerminalStreams } from '../hold-terminal.js';
import { Chat, type ChatOptions, type ChatView, firstLines } from './chat.js';
import { InPlaceAnswers } from './in-place.js';
import { LineInput } from './line-input.js';
import { ChatScreen, type ChatStyle, paintWith } from './screen.js';

export interface OpenChatOptions extends Omit<ChatOptions, 'view'>, TerminalStreams {
  readonly style: ChatStyle;
  readonly hasColor: boolean;
  readonly banner: readonly string[];
  /** Whether the conversation is being resumed: then its last turns are shown. */
  readonly isResumed: boolean;
  /** The first message, sent before the person is asked for one. */
  readonly first?: string | undefined;
  /** Where the agent's questions are answered. */
  readonly questions: QuestionSessions;
  readonly signal: AbortSignal;
  /** Called while a question is on a screen that the person is looking at. */
  readonly onSeen?: ((question: string) => void) | undefined;
  /** Called once the chat can show something, before anything is sent to the agent. */
  readonly onOpen?: ((view: ChatView) => void) | undefined;
}

/** The prompt for the person's line. */
const PROMPT = 'you> ';

/** Runs the chat in a terminal until the person leaves or the process is told to stop. Returns the path of its file. */
export async function openChat(options: OpenChatOptions): Promise<string> {
  const { stdout, signal, questions } = options;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const paint = options.hasColor ? paintWith(options.style) : undefined;
  let input: LineInput | undefined;
  let answers: InPlaceAnswers | undefined;
  using attention = options.onSeen && new CardAttention(() => answers?.shown, options.onSeen);
  const write = (text: string) => (input === undefined ? void stdout.write(text) : input.writeAbove(text));
  using screen = new ChatScreen(write, { style: options.style, paint, size });
  using keyboard = new LineInput({
    ...options,
    attention,
    onInterrupt: () => chat.cancel(),
    onQueued: (text) => screen.note(`queued: ${visibleExcerpt(text, 200)} (Ctrl+C drops it)`),
    onDropped: (count) => screen.note(`Not sent: ${counted(count, 'queued message')}. Up brings it back.`),
    onNote: (text) => screen.note(text.replace(/\n$/, '')),
  });
  input = keyboard;
  const inPlace = new InPlaceAnswers({
    questions,
    input: keyboard,
    screen,
    size,
    paint,
    onInterrupt: () => {
      keyboard.dropQueued();
      chat.cancel();
    },
  });
  answers = inPlace;
  const view = viewOf(screen, inPlace);
  const chat = new Chat({ ...options, view });
  for (const line of options.banner) screen.say(line);
  if (options.isResumed) showLastTurns(screen, chat.conversation.view);
  options.onOpen?.(view);
  keyboard.remember(said(chat));
  if (options.first !== undefined) keyboard.enqueue(options.first);
  const stop = () => {
    chat.cancel();
    keyboard[Symbol.dispose]();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await converse(chat, { input: keyboard, answers: inPlace, screen, signal });
  } finally {
    signal.removeEventListener('abort', stop);
    // From here on Ctrl+C is a signal again, and signals are handled until the agent is gone.
    keyboard[Symbol.dispose]();
    await chat.leave(signal);
  }
  // Wrapping is left to the terminal, so that the path can be copied.
  screen.rows([options.style.dim(`Saved: ${visibleLine(chat.path)}`)]);
  return chat.path;
}

function viewOf(screen: ChatScreen, answers: InPlaceAnswers): ChatView {
  return {
    say: (text) => screen.say(text),
    note: (text) => screen.note(text),
    warn: (text) => screen.warn(text),
    event: (event) => screen.event(event),
    working(isWorking) {
      if (!isWorking) void answers.withdraw();
      screen.working(isWorking);
    },
    asked: (view) => answers.add(view),
  };
}

async function converse(
  chat: Chat,
  parts: {
    readonly input: LineInput;
    readonly answers: InPlaceAnswers;
    readonly screen: ChatScreen;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { input, answers, screen, signal } = parts;
  while (!signal.aborted) {
    await answers.withdraw();
    const next = await input.ask(PROMPT);
    if (next.type === 'interrupt') screen.note('Ctrl+D or /exit leaves.');
    else if (next.type !== 'message' || !(await chat.handle(next.text))) return;
  }
}

const TURNS_SHOWN = 4;
const LINES_SHOWN = 12;

/** Shows where the conversation stood, so that the person need not look it up. */
function showLastTurns(screen: ChatScreen, { turns, turnCount }: ConversationView): void {
  const shown = turns.slice(-TURNS_SHOWN);
  const last = shown.at(-1);
  if (last === undefined) return;
  const before = turnCount - shown.length;
  if (before > 0) screen.note(`(${counted(before, 'turn')} before: /history)`);
  for (const { role, content } of shown) {
    const lines = firstLines(content, LINES_SHOWN, '/history');
    if (role === 'assistant') screen.recall(lines.join('\n'));
    else screen.say(`${PROMPT}${lines.join(`\n${' '.repeat(PROMPT.length)}`)}`);
  }
  const asked = turns.findLast(({ role }) => role === 'user');
  if (last.role === 'assistant' && asked?.failure == null) return;
  const why = asked?.failure == null ? '' : ` (${visibleExcerpt(asked.failure, 200)})`;
  screen.warn(`Your last message was not answered${why}. It is not sent again automatically.`);
}

function said(chat: Chat): string[] {
  return chat.conversation.view.turns.filter(({ role }) => role === 'user').map(({ content }) => content);
}
