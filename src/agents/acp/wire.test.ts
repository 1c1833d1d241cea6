import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Wire } from './wire.js';

describe('the lines of an agent as messages', () => {
  it('pass on requests and notifications', async () => {
    const { wire, messages } = open();
    wire.receive('{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{}}');
    wire.receive('{"id":"a","method":"fs/read_text_file"}');
    wire.receive('{"jsonrpc":"2.0","method":"_own/thing"}');
    expect(await messages()).toMatchObject([
      { id: 1 },
      { id: 'a', jsonrpc: '2.0' },
      { method: '_own/thing' },
    ]);
  });

  it('report updates at once and keep them from the SDK', async () => {
    const { wire, messages, updates } = open();
    wire.receive(
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"x"}}}',
    );
    expect(updates).toEqual([{ sessionId: 's', update: { sessionUpdate: 'x' } }]);
    expect(await messages()).toEqual([]);
  });

  it('pass on answers to our requests, once, and no others', async () => {
    const { wire, messages, noise } = open();
    await ask(wire, 0);
    await ask(wire, 1);
    wire.receive('{"jsonrpc":"2.0","id":7,"result":{}}');
    wire.receive('{"jsonrpc":"2.0","id":0,"result":{"a":1},"error":null}');
    wire.receive('{"jsonrpc":"2.0","id":0,"result":{"a":2}}');
    wire.receive('{"id":1,"result":null,"error":{"code":429,"message":"no"}}');
    expect(await messages()).toEqual([
      { jsonrpc: '2.0', id: 0, result: { a: 1 } },
      { jsonrpc: '2.0', id: 1, error: { code: 429, message: 'no' } },
    ]);
    expect(noise).toEqual([]);
  });

  it.each([
    'Loading model…',
    '{"level":"info"}',
    '{"id":1}',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"result":{}}]',
    'null',
    '"x"',
    '{"jsonrpc":',
  ])('that are not messages are reported, not passed on: %s', async (line) => {
    const { wire, messages, noise } = open();
    wire.receive(line);
    expect(noise).toEqual([line]);
    expect(await messages()).toEqual([]);
  });

  it('that are blank are ignored', () => {
    const { wire, noise } = open();
    for (const line of ['', '  ', '\t']) wire.receive(line);
    expect(noise).toEqual([]);
  });

  it('do no harm after the end', async () => {
    const { wire, messages } = open();
    expect(await messages()).toEqual([]);
    wire.close();
    wire.receive('{"jsonrpc":"2.0","method":"x"}');
  });

  it('never throw, whatever they contain', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        open().wire.receive(line);
      }),
    );
  });
});

function open() {
  const updates: unknown[] = [];
  const noise: string[] = [];
  const wire = new Wire({
    write: async () => {},
    onUpdate: (params) => updates.push(params),
    onNoise: (line) => noise.push(line),
  });
  const messages = async () => {
    wire.close();
    const all: unknown[] = [];
    for await (const message of wire.stream.readable) all.push(message);
    return all;
  };
  return { wire, updates, noise, messages };
}

async function ask(wire: Wire, id: number): Promise<void> {
  const writer = wire.stream.writable.getWriter();
  await writer.write({ jsonrpc: '2.0', id, method: 'initialize' });
  writer.releaseLock();
}
