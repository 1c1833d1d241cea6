import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Told once: whether the result reached the pipe, or never will. */
export type OnSent = (isSent: boolean) => void;

/** The stdio transport, which also tells when the result of a request was handed to the client. */
export class DeliveringTransport extends StdioServerTransport {
  readonly #waiting = new Map<RequestId, OnSent>();
  readonly #stdout: Writable;
  readonly #onClosed: () => void;
  #isClosed = false;

  constructor(stdin: Readable, stdout: Writable, onClosed: () => void) {
    super(stdin, stdout);
    this.#stdout = stdout;
    this.#onClosed = onClosed;
  }

  /**
   * Calls back when the result of this request was written, or when it never will be: it became an error, the client
   * called the request off (then nothing is sent at all), or the connection ended.
   */
  whenSent(id: RequestId, signal: AbortSignal, onSent: OnSent): void {
    this.#waiting.set(id, onSent);
    if (signal.aborted || this.#isClosed) this.#settle(id, false);
    else signal.addEventListener('abort', () => this.#settle(id, false), { once: true });
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const id = 'result' in message || 'error' in message ? message.id : undefined;
    try {
      await super.send(message);
    } catch (error) {
      this.#settle(id, false);
      throw error;
    }
    if (id === undefined || !this.#waiting.has(id)) return;
    this.#settle(id, isGood(message) && (await this.#isFlushed()));
  }

  override async close(): Promise<void> {
    this.#isClosed = true;
    await super.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, false);
    this.#onClosed();
  }

  #settle(id: RequestId | undefined, isSent: boolean): void {
    if (id === undefined) return;
    const onSent = this.#waiting.get(id);
    this.#waiting.delete(id);
    onSent?.(isSent);
  }

  /** A write that fails tells so only later; one behind it comes back with the same error. */
  #isFlushed(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#stdout.write('', (error) => resolve(!error));
    });
  }
}

/** Whether a response carries what the tool returned, rather than an error that took its place. */
function isGood(message: JSONRPCMessage): boolean {
  return 'result' in message && message.result.isError !== true;
}
