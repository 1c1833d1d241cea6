import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageGate, type OversizedMessage } from './message-gate.js';
import { MessageScan } from './message-scan.js';

async function through(chunks: readonly Buffer[], maxBytes: number) {
  const oversized: OversizedMessage[] = [];
  const gate = new MessageGate({ maxBytes, onOversized: (message) => oversized.push(message) });
  const passed: Buffer[] = [];
  for await (const piece of Readable.from(chunks).pipe(gate)) passed.push(piece as Buffer);
  return { text: Buffer.concat(passed).toString('utf8'), oversized };
}

describe('the gate before the messages of a client', () => {
  it('drops exactly the lines that are too long, however the bytes arrive', async () => {
    const line = fc.string({ maxLength: 40, unit: fc.constantFrom('a', 'é', '"', '{', ' ') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (lines, size) => {
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.subarray(index * size, (index + 1) * size),
          );
          const fits = (text: string) => Buffer.byteLength(text) < 20;
          const { text, oversized } = await through(pieces, 20);
          expect(text).toBe(
            lines
              .filter(fits)
              .map((one) => `${one}\n`)
              .join(''),
          );
          expect(oversized.map((message) => message.bytes)).toEqual(
            lines.filter((one) => !fits(one)).map((one) => Buffer.byteLength(one) + 1),
          );
        },
      ),
    );
  });

  it('passes on nothing of a line that never ends', async () => {
    let kept = 0;
    const gate = new MessageGate({ maxBytes: 1_000_000, onOversized: () => {} });
    const piece = Buffer.alloc(100_000, 'x');
    for (let count = 0; count < 200; count++) gate.write(piece);
    gate.on('data', (chunk: Buffer) => {
      kept += chunk.length;
    });
    gate.end();
    for await (const _ of gate);
    expect(kept).toBe(0);
  });
});

describe('the id of a request that is too long', () => {
  it.each([
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8}}', 7],
    ['{"method":"tools/call","params":{"id":8,"x":[{"id":9}]},"jsonrpc":"2.0","id":"a\\"b"}', 'a"b'],
    [' { "id" : 3 , "method" : "x" } ', 3],
    ['{"method":"x","params":{"text":"\\",\\"id\\":5"}}', null],
    ['{"jsonrpc":"2.0","id":7,"result":{}}', null],
    ['{"id":{"a":1},"method":"x"}', null],
    ['{"id":null,"method":"x"}', null],
    ['[{"id":1,"method":"x"}]', null],
    ['}}}}{"id":', null],
    ['\u0000\ufffd', null],
  ])('of %s is %o', (text, id) => {
    const scan = new MessageScan();
    for (const byte of Buffer.from(text)) scan.push(Buffer.from([byte]));
    expect(scan.requestId).toBe(id);
  });
});
