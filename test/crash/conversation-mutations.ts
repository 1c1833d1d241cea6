import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isHoldfastError } from '../../src/foundation/index.js';
import { type ConversationWorld, conversationWorld, publishedFile } from '../support/conversation-world.js';
import { SeededRandom } from '../support/seeded-random.js';
import { countWork } from '../support/work.js';

/** How often each character of a file may be parsed, over everything that is done with it. */
const MAX_PARSES = 30;
const MAX_GROWTH_BYTES = 600 * 1024 * 1024;

/** Reads, lists, verifies, continues and recovers files with random changes; the only failure allowed is a typed error. */
export async function mutate(files: number, seed: number): Promise<void> {
  await using world = await conversationWorld({ isInMemory: true });
  const random = new SeededRandom(seed);
  const before = process.memoryUsage().rss;
  const originals = await makeOriginals(world);
  for (let number = 0; number < files; number++) {
    const bytes = mutated(random.pick(originals), random);
    world.plant('mine', bytes);
    using parsed = countWork(JSON, 'parse', (_self, [text]) => String(text).length);
    await exercise(world, `file ${number} of seed ${seed}`);
    expect(parsed.total, `work for file ${number} of seed ${seed}`).toBeLessThan(
      MAX_PARSES * (bytes.length + 1_000),
    );
    removeAside(world);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH_BYTES);
}

async function makeOriginals(world: ConversationWorld): Promise<Buffer[]> {
  {
    using conversation = await world.sessions.create({ id: 'mine', agent: 'a' });
    for (let turn = 1; turn <= 12; turn++) {
      const ref = conversation.addUserTurn(`turn ${turn} ${'text '.repeat(turn * 5)}`);
      if (turn % 4 === 0) conversation.markFailed(ref, 'no');
    }
    conversation.noteAgent({ driver: 'd', resumeId: 'r' });
    conversation.clearContext();
    conversation.setStatus('completed');
  }
  const foreign = publishedFile(
    'mine',
    Array.from({ length: 8 }, (_, turn) => ['user', `turn ${turn}`]),
  );
  return [readFileSync(world.path('mine')), Buffer.from(foreign)];
}

/** What no file of ours contains, but a hostile one may. */
const INSERTS: readonly Buffer[] = [
  Buffer.alloc(3_000),
  Buffer.from('\n'.repeat(500)),
  Buffer.from('['.repeat(20_000)),
  Buffer.from('{"a":'.repeat(5_000)),
  Buffer.from('{"'.repeat(20_000)),
  Buffer.from(',"crc":"'.repeat(5_000)),
  Buffer.from('\ufeff\u2028\r'),
  Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
  Buffer.from('x'.repeat(300_000)),
  Buffer.from(
    '\n{"type":"turn","role":"user","content":"x","timestamp":"2026-01-01T00:00:00Z","tokens":1e999,"turn":1e300,"seq":9007199254740991}\n',
  ),
  Buffer.from('\n{"type":"status","status":"active","turns":-1,"timestamp":"never"}\n'),
  Buffer.from('\n{"type":"metadata","version":1.5,"__proto__":{"type":"turn"}}\n'),
  Buffer.from('\n{"type":{"toString":1},"seq":-1,"crc":[]}\n'),
  Buffer.from('\n{"constructor":{"prototype":{"polluted":true}},"type":"turn"}\n'),
];

function mutated(original: Buffer, random: SeededRandom): Buffer {
  let bytes = Buffer.from(original);
  for (let change = random.below(6); change >= 0; change--) {
    const at = random.below(bytes.length + 1);
    const length = random.below(random.chance(0.8) ? 20 : 400);
    const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
    const kind = random.below(6);
    if (kind === 0 && at < bytes.length) bytes[at] = random.below(256);
    if (kind === 1) bytes = Buffer.concat([head, random.bytes(length), tail.subarray(length)]);
    if (kind === 2) bytes = Buffer.concat([head, tail.subarray(length)]);
    if (kind === 3) bytes = Buffer.concat([head, random.pick(INSERTS), tail]);
    if (kind === 4) bytes = Buffer.concat([head, tail.subarray(0, length), tail]);
    if (kind === 5) bytes = Buffer.from(head);
  }
  return bytes;
}

async function exercise(world: ConversationWorld, name: string): Promise<void> {
  const { sessions } = world;
  const [summary] = sessions.list();
  const view = sessions.get('mine');
  const last = sessions.readLast('mine', 3);
  expect(summary?.id, name).toBe('mine');
  expect(last.turns.length, name).toBeLessThanOrEqual(view.turns.length);
  const { damage, records } = sessions.verify('mine');
  if (records > 0) expect(damage, `${name}: verify and read agree`).toEqual(view.damage);
  try {
    using conversation = await sessions.hold('mine');
    conversation.addUserTurn('next');
  } catch (error) {
    // There is nothing to continue, or the version was changed to a higher one.
    expect(
      isHoldfastError(error, 'DOCUMENT_DAMAGED') || isHoldfastError(error, 'NEWER_VERSION'),
      `${name}: ${error}`,
    ).toBe(true);
    return;
  }
  const turns = sessions.get('mine').turns;
  expect(turns.at(-1)?.content, name).toBe('next');
  await sessions.recover('mine');
  expect(sessions.verify('mine').damage, `${name}: after recovery`).toEqual([]);
  expect(sessions.get('mine').turns, `${name}: what recovery kept`).toEqual(turns);
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
}

function removeAside(world: ConversationWorld): void {
  for (const name of readdirSync(world.base)) if (name.includes('.damaged-')) rmSync(join(world.base, name));
}
