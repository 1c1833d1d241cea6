import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { MessageGate, type OversizedMessage } from './message-gate.js';

/** Called once: whether the result reached the pipe, or never will. */
export type OnSent = (isSent: boolean) => void;

/** How long a message may be. The SDK closes the connection on a longer one, so none may get that far. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/**
 * The stdio transport, which also reports when the result of a request was handed to the client. A message that is too
 * long causes just one error.
 */
export class DeliveringTransport extends StdioServerTransport {
  readonly #waiting = new Map<RequestId, OnSent>();
  readonly #stdin: Readable;
  readonly #gate: MessageGate;
  readonly #stdout: Writable;
  readonly #onClosed: () => void;
  #isClosed = false;

  constructor(stdin: Readable, stdout: Writable, onClosed: () => void) {
    const gate = new MessageGate({
      maxBytes: MAX_MESSAGE_BYTES,
      onOversized: (message) => this.#refuse(message),
    });
    super(gate, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
    this.#stdin = stdin;
    this.#gate = gate;
    this.#stdout = stdout;
    this.#onClosed = onClosed;
  }

  override async start(): Promise<void> {
    await super.start();
    this.#stdin.on('error', (error) => this.onerror?.(error));
    this.#stdin.once('close', () => this.#gate.end());
    if (this.#stdin.destroyed) this.#gate.end();
    else this.#stdin.pipe(this.#gate);
  }

  /**
   * Calls back when the result of this request was written, or when it never will be: it became an error, the client
   * cancelled the request (then nothing is sent at all), or the connection ended.
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
    this.#stdin.unpipe(this.#gate);
    this.#stdin.pause();
    await super.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, false);
    this.#onClosed();
  }

  #refuse({ bytes, requestId }: OversizedMessage): void {
    const message = `The message has ${bytes} bytes, and a message may have at most ${MAX_MESSAGE_BYTES}. Send less at once.`;
    this.onerror?.(new Error(message));
    if (requestId === null) return;
    // A client that no longer reads cannot be told.
    this.send({ jsonrpc: '2.0', id: requestId, error: { code: INVALID_REQUEST, message } }).catch(() => {});
  }

  #settle(id: RequestId | undefined, isSent: boolean): void {
    if (id === undefined) return;
    const onSent = this.#waiting.get(id);
    this.#waiting.delete(id);
    onSent?.(isSent);
  }

  /** A failed write reports its error only later; an empty write after it returns the same error. */
  #isFlushed(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#stdout.write('', (error) => resolve(!error));
    });
  }
}

/** The code that JSON-RPC gives this error. */
const INVALID_REQUEST = -32_600;

/** Whether a response carries the tool's own result, not an error in its place. */
function isGood(message: JSONRPCMessage): boolean {
  return 'result' in message && message.result.isError !== true;
}
