import { visibleLine } from '../../foundation/index.js';
import { Chat, type ChatOptions } from './chat.js';
import { LineInput } from './line-input.js';
import { ChatScreen, type ChatStyle } from './screen.js';

export interface OpenChatOptions extends Omit<ChatOptions, 'view'> {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly style: ChatStyle;
  readonly banner: readonly string[];
  readonly signal: AbortSignal;
  /** Told when the chat can show something; what the agent needs to be told first comes after. */
  readonly onOpen?: ((view: ChatScreen) => void) | undefined;
}

/** The chat in a terminal, until the person leaves or the process is told to stop. Returns the path of its file. */
export async function openChat(options: OpenChatOptions): Promise<string> {
  const { stdin, stdout, signal } = options;
  using screen = new ChatScreen((text) => void stdout.write(text), {
    style: options.style,
    hasSpinner: true,
  });
  const chat = new Chat({ ...options, view: screen });
  for (const line of options.banner) screen.say(line);
  options.onOpen?.(screen);
  using input = new LineInput({ stdin, stdout, onInterrupt: () => chat.cancel() });
  input.remember(said(chat));
  const stop = () => {
    chat.cancel();
    input[Symbol.dispose]();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    await converse(chat, input, screen, signal);
  } finally {
    signal.removeEventListener('abort', stop);
    await chat.close(
      signal.aborted ? 'interrupted' : 'completed',
      signal.aborted ? 'stopped by a signal' : undefined,
    );
  }
  screen.note(`Saved: ${visibleLine(chat.path)}`);
  return chat.path;
}

async function converse(
  chat: Chat,
  input: LineInput,
  screen: ChatScreen,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const next = await input.ask(`${chat.agent}> `);
    if (next.type === 'end') return;
    if (next.type === 'interrupt') screen.note('Ctrl+D or /exit leaves.');
    else if (!(await chat.handle(next.text))) return;
  }
}

function said(chat: Chat): string[] {
  return chat.conversation.view.turns.filter(({ role }) => role === 'user').map(({ content }) => content);
}
