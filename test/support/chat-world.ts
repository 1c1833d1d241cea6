import { EventEmitter } from 'node:events';
import type { AgentEvent } from '../../src/agents/index.js';
import { TurnTaker } from '../../src/run/index.js';
import { ProcessSessions } from '../../src/sessions/process/index.js';
import { Chat, type ChatParty, type ChatView } from '../../src/tui/chat/chat.js';
import { LineInput } from '../../src/tui/chat/line-input.js';
import type { TerminalStreams } from '../../src/tui/hold-terminal.js';
import { type ConversationWorld, conversationWorld } from './conversation-world.js';
import { playedLaunch } from './night-world.js';
import { storageTools } from './storage-tools.js';

/** A terminal with both ends in the test's hands. */
export class TypedTerminal implements TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Everything that was written to it. */
  written = '';
  isRaw = false;

  constructor(columns = 80) {
    const stdin: object = Object.assign(new EventEmitter(), {
      isTTY: true,
      resume: () => stdin,
      pause: () => stdin,
      setRawMode: (isRaw: boolean) => {
        this.isRaw = isRaw;
        return stdin;
      },
    });
    const stdout: object = Object.assign(new EventEmitter(), {
      columns,
      write: (text: string) => {
        this.written += text;
        return true;
      },
    });
    this.stdin = stdin as NodeJS.ReadStream;
    this.stdout = stdout as NodeJS.WriteStream;
    this.stderr = Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.WriteStream;
  }

  /** Keys as bytes: `\r` is Enter, `\x03` Ctrl+C. They take effect at once. */
  type(keys: string): void {
    this.stdin.emit('data', Buffer.from(keys));
  }

  /** What was written since the last look, without cursor movements. */
  look(): string {
    const text = this.written;
    this.written = '';
    return text.replaceAll(/\x1b\[[?\d;]*[A-Za-z]/g, '').replaceAll('\r', '');
  }
}

/** The line editor at such a terminal, and what it reported. */
export interface TypedInput extends Disposable {
  readonly terminal: TypedTerminal;
  readonly input: LineInput;
  readonly told: string[];
}

export function typedInput(columns?: number): TypedInput {
  const terminal = new TypedTerminal(columns);
  const told: string[] = [];
  const input = new LineInput({
    stdin: terminal.stdin,
    stdout: terminal.stdout,
    stderr: terminal.stderr,
    onInterrupt: () => told.push('interrupt'),
    onQueued: (text) => told.push(`queued ${text}`),
    onDropped: (count) => told.push(`dropped ${count}`),
    onNote: (text) => told.push(`note ${text}`),
  });
  return { terminal, input, told, [Symbol.dispose]: () => input[Symbol.dispose]() };
}

/** What an agent does with a prompt. */
export type Play = (prompt: string) => AsyncGenerator<AgentEvent>;

/** A chat in this process with a scripted agent, and everything it showed. */
export interface ChatWorld extends AsyncDisposable {
  readonly world: ConversationWorld;
  readonly chat: Chat;
  /** What the view was given, as `kind: text`. */
  readonly shown: string[];
  readonly prompts: string[];
  readonly files: Map<string, string>;
}

export async function chatWorld(play: Play): Promise<ChatWorld> {
  const world = await conversationWorld();
  const shown: string[] = [];
  const prompts: string[] = [];
  const files = new Map<string, string>();
  const party = async (agent: string): Promise<ChatParty> => {
    const conversation = await world.sessions.create({ id: `with-${agent}`, agent });
    const launch = playedLaunch(agent, world.base, (prompt) => {
      prompts.push(prompt);
      return play(prompt);
    });
    const processes = new ProcessSessions(storageTools());
    const taker = new TurnTaker({ processes, conversation, launch, log: world.log });
    return { agent, conversation, path: world.path(conversation.id), taker };
  };
  const view: ChatView = {
    say: (text) => shown.push(`say: ${text}`),
    note: (text) => shown.push(`note: ${text}`),
    warn: (text) => shown.push(`warn: ${text}`),
    event: (event) => shown.push(event.type === 'text' ? `event: ${event.text}` : `event: ${event.type}`),
    working: (isWorking) => shown.push(isWorking ? 'working' : 'idle'),
    asked: (question) => shown.push(`asked: ${question.id}`),
  };
  const chat = new Chat({
    view,
    party: await party('ada'),
    startWith: party,
    readFile: (path) => files.get(path) ?? '',
    createFile: (path, text) => {
      if (files.has(path)) return false;
      files.set(path, text);
      return true;
    },
  });
  return { world, chat, shown, prompts, files, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}
