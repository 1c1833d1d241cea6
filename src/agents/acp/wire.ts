import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';

export interface WireOptions {
  readonly write: (line: string) => Promise<void>;
  /** Gets the parameters of each `session/update` before anything that follows it is read. */
  readonly onUpdate: (params: unknown) => void;
  /** A line that is not a message. */
  readonly onNoise: (line: string) => void;
}

type Record = Readonly<{ [key: string]: unknown }>;

/**
 * The lines of an agent as the stream of messages that the SDK takes. What the SDK would stumble over does not reach it:
 * lines that are not messages, answers to no request, and all session updates. The SDK knows a closed list of updates and
 * writes to the console about others; and it does not keep them in order with the answer to the prompt, so a turn could
 * end before its last word.
 */
export class Wire {
  readonly stream: Stream;
  readonly #options: WireOptions;
  readonly #asked = new Set<unknown>();
  #controller: ReadableStreamDefaultController<AnyMessage> | undefined;

  constructor(options: WireOptions) {
    this.#options = options;
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
        },
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) }),
    };
  }

  /** Takes a line of the agent. */
  receive(line: string): void {
    if (line.trim() === '') return;
    const message = parseRecord(line);
    if (message === undefined) this.#options.onNoise(line);
    else if (typeof message.method === 'string') this.#receiveCall(message, message.method);
    else if (isAnswer(message)) this.#receiveAnswer(message);
    else this.#options.onNoise(line);
  }

  /** The agent will say nothing more; every open request is told that there will be no answer. */
  close(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    controller?.close();
  }

  #receiveCall(message: Record, method: string): void {
    if (method === 'session/update' && !('id' in message)) this.#options.onUpdate(message.params);
    else this.#pass({ ...message, jsonrpc: '2.0' });
  }

  #receiveAnswer(message: Record): void {
    if (this.#asked.delete(message.id)) this.#pass(answerOf(message));
  }

  #pass(message: Record): void {
    this.#controller?.enqueue(message as AnyMessage);
  }

  #send(message: AnyMessage): Promise<void> {
    if ('method' in message && 'id' in message) this.#asked.add(message.id);
    return this.#options.write(JSON.stringify(message));
  }
}

function isAnswer(message: Record): boolean {
  return 'id' in message && ('result' in message || 'error' in message);
}

/** Some agents answer with both members, one of them null, or leave out the version. */
function answerOf(message: Record): Record {
  const { id, error, result } = message;
  const isError = error !== undefined && error !== null;
  return { jsonrpc: '2.0', id, ...(isError ? { error } : { result: result ?? null }) };
}

function parseRecord(line: string): Record | undefined {
  // Failed parsing is slow, and a flood of other text may come.
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record)
      : undefined;
  } catch {
    return undefined;
  }
}
