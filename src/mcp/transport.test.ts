import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/support/verifies.js';
import { DeliveringTransport } from './transport.js';

const RESULT = { jsonrpc: '2.0', id: 1, result: { content: [] } } as const;
const SIGNAL = new AbortController().signal;

/** A pipe that accepts what is written, and later reports success or failure. */
class Pipe extends Writable {
  readonly #failure: Error | undefined;

  constructor(failure?: Error) {
    super();
    this.#failure = failure;
    this.on('error', () => {});
  }

  override _write(_chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    setImmediate(() => done(this.#failure));
  }
}

function open(stdout: Writable = new Pipe()) {
  const told: boolean[] = [];
  let isClosed = false;
  const transport = new DeliveringTransport(new PassThrough(), stdout, () => {
    isClosed = true;
  });
  return { transport, told, note: (isSent: boolean) => void told.push(isSent), isClosed: () => isClosed };
}

describe('the transport that reports what was delivered', () => {
  verifies('Q18', 'a result that the pipe took was delivered, and is reported once', async () => {
    const { transport, told, note } = open();
    transport.whenSent(1, SIGNAL, note);
    await transport.send(RESULT);
    await transport.send(RESULT);
    await transport.close();
    expect(told).toEqual([true]);
  });

  verifies('Q18', 'what the pipe took and then lost was not delivered', async () => {
    const { transport, told, note } = open(new Pipe(new Error('EPIPE')));
    transport.whenSent(1, SIGNAL, note);
    await transport.send(RESULT);
    expect(told).toEqual([false]);
  });

  verifies('Q18', 'an error in place of the result delivered nothing', async () => {
    for (const message of [
      { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'x' } },
      { jsonrpc: '2.0', id: 1, result: { content: [], isError: true } },
    ] as const) {
      const { transport, told, note } = open();
      transport.whenSent(1, SIGNAL, note);
      await transport.send(message);
      expect(told).toEqual([false]);
    }
  });

  verifies('Q18', 'a cancelled request is not delivered: neither before nor while it waits', async () => {
    const { transport, told, note } = open();
    transport.whenSent(1, AbortSignal.abort(), note);
    const controller = new AbortController();
    transport.whenSent(2, controller.signal, note);
    expect(told).toEqual([false]);
    controller.abort();
    expect(told).toEqual([false, false]);
    await transport.close();
    expect(told).toEqual([false, false]);
  });

  verifies('Q18', 'what waits when the connection ends, and what comes after, is not delivered', async () => {
    const { transport, told, note, isClosed } = open();
    transport.whenSent(1, SIGNAL, note);
    await transport.close();
    transport.whenSent(2, SIGNAL, note);
    expect([told, isClosed()]).toEqual([[false, false], true]);
    await expect(transport.send(RESULT)).rejects.toThrow();
  });

  it('other messages pass without a report', async () => {
    const { transport, told, note } = open();
    transport.whenSent(1, SIGNAL, note);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/progress', params: {} });
    await transport.send({ jsonrpc: '2.0', id: 9, result: {} });
    expect(told).toEqual([]);
  });
});
