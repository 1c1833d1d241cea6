import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** Told once: whether the response reached the pipe, or the connection ended first. */
export type OnSent = (isSent: boolean) => void;

/** The stdio transport, which also tells when the response to a request was handed to the client. */
export class DeliveringTransport extends StdioServerTransport {
  readonly #waiting = new Map<RequestId, OnSent[]>();
  readonly #onClosed: () => void;

  constructor(stdin: Readable, stdout: Writable, onClosed: () => void) {
    super(stdin, stdout);
    this.#onClosed = onClosed;
  }

  /** Calls back when the response to this request was written, or when it never will be. */
  whenSent(id: RequestId, onSent: OnSent): void {
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), onSent]);
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    const id = 'result' in message || 'error' in message ? message.id : undefined;
    try {
      await super.send(message);
    } catch (error) {
      this.#settle(id, false);
      throw error;
    }
    this.#settle(id, true);
  }

  override async close(): Promise<void> {
    await super.close();
    for (const id of [...this.#waiting.keys()]) this.#settle(id, false);
    this.#onClosed();
  }

  #settle(id: RequestId | undefined, isSent: boolean): void {
    if (id === undefined) return;
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const onSent of waiting) onSent(isSent);
  }
}
