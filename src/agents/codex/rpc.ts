/** The agent refused one of our requests; the message is its answer. */
class RefusedRequest extends Error {}

/** The agent is gone, or will say nothing more. */
export class LostAgent extends Error {}

export type RequestId = string | number;

export interface RpcOptions {
  readonly write: (line: string) => void;
  readonly onNotification: (method: string, params: unknown) => void;
  /** The agent wants something from us, and waits for `answer` or `refuse`. */
  readonly onRequest: (id: RequestId, method: string, params: unknown) => void;
  /** A line that is not a message. */
  readonly onNoise: (line: string) => void;
}

interface OpenCall {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Message = Readonly<Record<string, unknown>>;

/** The messages of `codex app-server`: requests in both directions, answers and notifications, each one a line of JSON. */
export class Rpc {
  readonly #options: RpcOptions;
  readonly #waiting = new Map<unknown, OpenCall>();
  #count = 0;
  #isClosed = false;

  constructor(options: RpcOptions) {
    this.#options = options;
  }

  /** Rejects with RefusedRequest, or LostAgent. */
  request(method: string, params: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new LostAgent('the agent has ended'));
    this.#count += 1;
    const id = this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string): void {
    this.#send({ method });
  }

  answer(id: RequestId, result: unknown): void {
    this.#send({ id, result });
  }

  refuse(id: RequestId, message: string): void {
    this.#send({ id, error: { code: METHOD_NOT_FOUND, message } });
  }

  /** Takes a line of the agent. */
  receive(line: string): void {
    if (line.trim() === '') return;
    const message = parse(line);
    const { id, method } = message ?? {};
    const isId = typeof id === 'string' || typeof id === 'number';
    if (message !== undefined && typeof method === 'string') {
      if (isId) this.#options.onRequest(id, method, message.params);
      else this.#options.onNotification(method, message.params);
    } else if (message !== undefined && isId) this.#settle(id, message);
    else this.#options.onNoise(line);
  }

  /** The agent will say nothing more: every open request is told that there will be no answer. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new LostAgent('the agent has ended'));
    this.#waiting.clear();
  }

  /** Answers to no open request are skipped. */
  #settle(id: RequestId, { result, error }: Message): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined || error === null) waiting?.resolve(result);
    else waiting?.reject(new RefusedRequest(messageIn(error)));
  }

  #send(message: object): void {
    this.#options.write(JSON.stringify(message));
  }
}

const METHOD_NOT_FOUND = -32_601;

function messageIn(error: unknown): string {
  const message = (error as { message?: unknown }).message;
  return typeof message === 'string' ? message : JSON.stringify(error);
}

function parse(line: string): Message | undefined {
  // Failed parsing is slow, and a flood of other text may come.
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined; // reported as noise by the caller
  }
}
