import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one turn used. */
export interface TurnUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: number;
  readonly window: number;
}

export const NO_USE: TurnUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0, window: 0 };

/** One side of an exchange, as it is stored. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly usage?: TurnUsage;
}

/** Conversations on disk, one file each; a line that has been written is complete, even after SIGKILL. */
export class Conversations {
  readonly #directory: string | null;
  readonly #notesPath: string | null;

  constructor(directory: string | null, notesPath: string | null) {
    this.#directory = directory;
    this.#notesPath = notesPath;
    if (directory !== null) mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  has(id: string): boolean {
    return this.#directory !== null && isFileName(id) && existsSync(this.#path(id));
  }

  /** Continues a conversation, or begins one. */
  open(id: string): Conversation {
    const messages = this.has(id) ? readMessages(readFileSync(this.#path(id), 'utf8')) : [];
    return new Conversation(id, messages, (message) => {
      if (this.#directory !== null) append(this.#path(id), message);
    });
  }

  /** Creates a conversation that can be resumed before anything was said in it. */
  begin(id: string): Conversation {
    if (this.#directory !== null) appendFileSync(this.#path(id), '', { mode: 0o600 });
    return this.open(id);
  }

  /** A new conversation that begins with everything said in another. */
  fork(from: string, id: string): Conversation {
    const copy = this.open(id);
    for (const message of this.open(from).messages) copy.add(message);
    return copy;
  }

  /** Records what the agent was told and what it knew then, for tests. */
  note(entry: unknown): void {
    if (this.#notesPath !== null) append(this.#notesPath, entry);
  }

  #path(id: string): string {
    if (!isFileName(id)) throw new Error(`not a conversation id: ${JSON.stringify(id)}`);
    return join(this.#directory ?? '', `${id}.jsonl`);
  }
}

/** What was said so far. A prompt is stored before the work on it begins, the reply afterwards. */
export class Conversation {
  readonly id: string;
  readonly messages: Message[];
  readonly #keep: (message: Message) => void;

  constructor(id: string, messages: readonly Message[], keep: (message: Message) => void) {
    this.id = id;
    this.messages = [...messages];
    this.#keep = keep;
  }

  get prompts(): string[] {
    return this.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  }

  add(message: Message): void {
    this.#keep(message);
    this.messages.push(message);
  }

  /** What all turns used together, including before a resume. */
  get total(): TurnUsage {
    return this.messages.reduce((sum, { usage }) => (usage === undefined ? sum : addUp(sum, usage)), NO_USE);
  }
}

function addUp(a: TurnUsage, b: TurnUsage): TurnUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cost: a.cost + b.cost,
    window: b.window,
  };
}

function append(path: string, entry: unknown): void {
  appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
}

/** Whether an id may become a file name: only if it could not be anything else. */
function isFileName(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(id);
}

function readMessages(text: string): Message[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Message);
}
