import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { isHoldfastError } from '../../src/foundation/index.js';
import { type ConversationWorld, conversationWorld } from '../support/conversation-world.js';
import { SeededRandom } from '../support/seeded-random.js';

/** Goes through this many states in which a crash or a bad disk may leave a log, and inspects each. */
export async function survey(states: number, seed: number): Promise<{ states: number; lost: number }> {
  await using world = await conversationWorld({ isInMemory: true });
  const random = new SeededRandom(seed);
  const surveyed = { states: 0, lost: 0 };
  for (let round = 1; surveyed.states < states; round++) {
    const log = await makeLog(world, `log-${round}`, random);
    const other = await makeLog(world, `other-${round}`, random);
    for (const state of statesOf(log.bytes, other.bytes, random)) {
      if (surveyed.states >= states) break;
      surveyed.states += 1;
      surveyed.lost += await inspect(world, log, state);
    }
  }
  return surveyed;
}

interface Log {
  readonly id: string;
  readonly bytes: Buffer;
  /** The lines without LF, each with the turn it holds; undefined for a record of another type. */
  readonly lines: readonly { readonly line: string; readonly turn: string | undefined }[];
}

interface State {
  readonly kind: string;
  readonly bytes: Buffer;
}

const TEXTS = [
  '',
  'short',
  '{"type":"turn","role":"user","content":"forged"}',
  'Grüße\u2028🎉',
  'a\\"},{"b',
  '\0\0\n\n',
];

async function makeLog(world: ConversationWorld, id: string, random: SeededRandom): Promise<Log> {
  {
    using conversation = await world.sessions.create({ id, agent: 'a' });
    const count = 2 + random.below(6);
    for (let turn = 1; turn <= count; turn++) {
      // Every text is different, so an invented or doubled turn is noticed.
      const text = `${id} ${turn} ${random.pick(TEXTS)}${'x'.repeat(random.below(120))}`;
      const ref = conversation.addUserTurn(text);
      if (random.chance(0.2)) conversation.noteAgent({ driver: 'd', resumeId: `r${turn}` });
      if (random.chance(0.2)) conversation.markFailed(ref, 'no');
    }
    if (random.chance(0.3)) conversation.setStatus('completed');
  }
  const bytes = readFileSync(world.path(id));
  const lines = bytes.toString('latin1').split('\n').slice(0, -1);
  return {
    id,
    bytes,
    lines: lines.map((line) => {
      const record = JSON.parse(Buffer.from(line, 'latin1').toString('utf8'));
      return { line, turn: record.type === 'turn' ? record.content : undefined };
    }),
  };
}

/** Every byte prefix; then blocks that were zeroed, swapped, doubled, or came from elsewhere. */
function* statesOf(whole: Buffer, other: Buffer, random: SeededRandom): Generator<State> {
  for (let length = 0; length <= whole.length; length++)
    yield { kind: `prefix ${length}`, bytes: whole.subarray(0, length) };
  for (let count = 0; count < whole.length; count++) {
    const length = random.below(whole.length);
    yield {
      kind: `NULs behind ${length}`,
      bytes: Buffer.concat([whole.subarray(0, length), Buffer.alloc(random.below(600))]),
    };
    for (const blocks of [blocksOf(whole, random), linesOf(whole)]) {
      const [a, b] = [random.below(blocks.length), random.below(blocks.length)];
      const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = [blocks[a], blocks[b]];
      const join = (kind: string, changed: Buffer[]) => ({
        kind: `${kind} ${a} ${b}`,
        bytes: Buffer.concat(changed),
      });
      yield join('zeroed', blocks.with(a, Buffer.alloc(first.length)));
      yield join('swapped', blocks.with(a, second).with(b, first));
      yield join('doubled', blocks.toSpliced(b, 0, first));
      yield join('lost', blocks.toSpliced(a, 1));
      const foreign = random.pick(random.chance(0.5) ? linesOf(other) : blocksOf(other, random));
      yield join('spliced', blocks.toSpliced(a, random.below(2), foreign));
    }
  }
}

function blocksOf(bytes: Buffer, random: SeededRandom): Buffer[] {
  const size = random.pick([32, 64, 128, 512]);
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

function linesOf(bytes: Buffer): Buffer[] {
  const text = bytes.toString('latin1');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(`${line}\n`, 'latin1'));
}

/** Returns 1 for a state of which nothing is left. */
async function inspect(world: ConversationWorld, log: Log, { kind, bytes }: State): Promise<number> {
  writeFileSync(world.path(log.id), bytes);
  const present = new Set(bytes.toString('latin1').split('\n'));
  const intact = log.lines.filter(({ line }) => present.has(line));
  const found = world.sessions.get(log.id).turns.map(({ content }) => content);
  const all = log.lines.flatMap(({ turn }) => turn ?? []);
  const missing = intact.flatMap(({ turn }) => turn ?? []).filter((turn) => !found.includes(turn));
  expect(missing, `${kind}: intact turns that were not returned`).toEqual([]);
  expect(found, `${kind}: each turn once, in order, none invented`).toEqual(
    all.filter((turn) => found.includes(turn)),
  );
  world.sessions.list();
  return appendTo(world, log, { kind, found, isIntact: intact.length > 0 });
}

async function appendTo(
  world: ConversationWorld,
  { id }: Log,
  { kind, found, isIntact }: { kind: string; found: readonly string[]; isIntact: boolean },
): Promise<number> {
  try {
    using conversation = await world.sessions.hold(id);
    conversation.addUserTurn('next');
    for (const { keptAt } of conversation.repairs) if (keptAt !== undefined) unlinkSync(keptAt);
  } catch (error) {
    if (!isHoldfastError(error, 'DOCUMENT_DAMAGED') || isIntact) throw new Error(kind, { cause: error });
    return 1;
  }
  const after = world.sessions.get(id);
  expect(
    after.turns.map(({ content }) => content),
    `${kind}: after the next append`,
  ).toEqual([...found, 'next']);
  expect(world.sessions.readLast(id, 1).turns.at(-1)?.content, kind).toBe('next');
  return 0;
}
