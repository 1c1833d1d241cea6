import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FailingFileSystem } from '../../../test/support/failing-file-system.js';
import { makeFifo } from '../../../test/support/plant.js';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { nodeFileSystem } from '../bytes/file-system.js';
import { type LogDamage, readLastRecords, readLog, scanLog } from './jsonl-reader.js';
import { checksumSeed, encodeRecord } from './jsonl-record.js';

const sessionId = 'session-1';
const seed = checksumSeed(sessionId);

let dir: TempDir;
beforeAll(async () => {
  dir = await tempDir({ isInMemory: true });
});
afterAll(async () => {
  await dir[Symbol.asyncDispose]();
});

/** One line of ours, LF included. */
function ours(seq: number, content = `text ${seq}`): Buffer {
  return encodeRecord({ type: 'turn', content }, seq, seed);
}

function log(...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function read(bytes: Buffer, options: { maxRecordBytes?: number } = {}) {
  const path = dir.at('log.jsonl');
  writeFileSync(path, bytes);
  return readLog(nodeFileSystem, path, { sessionId, ...options });
}

/** A short summary of what was read. */
function summary(bytes: Buffer, options: { maxRecordBytes?: number } = {}) {
  const { records, damage, tail } = read(bytes, options);
  return {
    records: records.map(({ seq, line, offset }) => ({ seq, line, offset })),
    damage: damage.map(({ reason, line, offset, length }) => ({ reason, line, offset, length })),
    tail,
  };
}

describe('readLog', () => {
  it('finds nothing in an empty file and in none', () => {
    expect(summary(Buffer.alloc(0))).toEqual({ records: [], damage: [], tail: undefined });
    expect(readLog(nodeFileSystem, dir.at('gone'), { sessionId })).toEqual({
      records: [],
      damage: [],
      tail: undefined,
    });
    expect(readLastRecords(nodeFileSystem, dir.at('gone'), 5, { sessionId })).toEqual({
      records: [],
      damage: [],
    });
  });

  it('reads records in order with their places', () => {
    const [a, b] = [ours(0), ours(1)];
    expect(read(log(a, b)).records).toEqual([
      {
        kind: 'record',
        value: { type: 'turn', content: 'text 0', seq: 0, crc: expect.any(String) },
        seq: 0,
        line: 1,
        offset: 0,
        length: a.length - 1,
      },
      {
        kind: 'record',
        value: { type: 'turn', content: 'text 1', seq: 1, crc: expect.any(String) },
        seq: 1,
        line: 2,
        offset: a.length,
        length: b.length - 1,
      },
    ]);
  });

  it('reads every byte prefix: all whole records, and the rest as an unfinished end', () => {
    const lines = [ours(0), ours(1, 'Grüße\u2028🎉'), ours(2, '{"nested":{"a":[1]}}'), ours(3)];
    const whole = log(...lines);
    const ends = lines.map((_, index) => log(...lines.slice(0, index + 1)).length);
    for (let length = 0; length <= whole.length; length++) {
      const count = ends.filter((end) => end <= length).length;
      const lastEnd = ends[count - 1] ?? 0;
      const { records, damage, tail } = summary(whole.subarray(0, length));
      expect(records.map((record) => record.seq)).toEqual([0, 1, 2, 3].slice(0, count));
      expect(damage).toEqual([]);
      const isWhole = ends.includes(length + 1);
      const place = { kind: 'tail', line: count + 1, offset: lastEnd, length: length - lastEnd };
      expect(tail).toEqual(
        length === lastEnd
          ? undefined
          : isWhole
            ? { ...place, record: expect.objectContaining({ seq: count }) }
            : place,
      );
    }
  });

  it('does not split at line separators inside text', () => {
    const text = 'a\u2028b\u2029c\u0085d\r';
    expect(read(log(ours(0, text))).records[0]?.value.content).toBe(text);
  });

  it.each([
    ['garbage', 'garbage', 'not-json'],
    ['an empty line', '', 'not-json'],
    ['NULs', '\0'.repeat(1_206), 'nul'],
    ['an array', '[1,2]', 'not-a-record'],
    [
      'a record of another session',
      encodeRecord({ a: 1 }, 1, checksumSeed('other')).subarray(0, -1),
      'checksum',
    ],
    ['a changed record', ours(1).toString('utf8').replace('text', 'TEXT').trimEnd(), 'checksum'],
  ] as const)('reports %s in the middle as damage and continues', (_what, middle, reason) => {
    const [first, last] = [ours(0), ours(1)];
    const bytes = Buffer.from(middle);
    expect(summary(log(first, bytes, '\n', last))).toEqual({
      records: [
        { seq: 0, line: 1, offset: 0 },
        { seq: 1, line: 3, offset: first.length + bytes.length + 1 },
      ],
      damage: [{ reason, line: 2, offset: first.length, length: bytes.length }],
      tail: undefined,
    });
  });

  it.each([
    ['a run of NULs', Buffer.alloc(100)],
    ['a torn record', ours(1, 'a {"nested":{"b":1}} one').subarray(0, -20)],
    ['a torn record with many objects in it', Buffer.from(`{"a":[${'{"b":1},'.repeat(3_000)}`)],
    ['garbage', Buffer.from('%%%')],
  ])('finds the good record that was welded to %s', (_what, junk) => {
    const first = ours(0);
    expect(summary(log(first, junk, ours(1)))).toEqual({
      records: [
        { seq: 0, line: 1, offset: 0 },
        { seq: 1, line: 2, offset: first.length + junk.length },
      ],
      damage: [{ reason: 'not-json', line: 2, offset: first.length, length: junk.length }],
      tail: undefined,
    });
  });

  it('finds both of two whole records that lost the LF between them, and says so', () => {
    const [a, b, c] = [ours(0), ours(1), ours(2)];
    const { records, damage } = summary(log(a.subarray(0, -1), b.subarray(0, -1), c));
    expect(records.map(({ seq, offset }) => [seq, offset])).toEqual([
      [0, 0],
      [1, a.length - 1],
      [2, a.length + b.length - 2],
    ]);
    expect(damage).toEqual([{ reason: 'not-json', line: 1, offset: a.length - 1, length: 0 }]);
  });

  it('finds a whole record before a torn one in the same line', () => {
    const [a, b] = [ours(0).subarray(0, -1), ours(1).subarray(0, 30)];
    expect(summary(log(a, b, '\n'))).toEqual({
      records: [{ seq: 0, line: 1, offset: 0 }],
      damage: [{ reason: 'not-json', line: 1, offset: a.length, length: 30 }],
      tail: undefined,
    });
  });

  it.each([
    ['\r behind it, as a file with DOS line ends has', '', '\r'],
    ['spaces before it', '  ', ''],
  ])('finds a record with %s, and says so', (_what, before, after) => {
    const bytes = ours(0).subarray(0, -1);
    const { records, damage } = summary(log(before, bytes, after, '\n'));
    expect(records).toEqual([{ seq: 0, line: 1, offset: before.length }]);
    expect(damage.map(({ reason, length }) => [reason, length])).toEqual(
      [before, after].filter((text) => text !== '').map((text) => ['checksum', text.length]),
    );
  });

  it('does not mistake an object inside a damaged record for a record', () => {
    const inner = ours(7, 'forged').toString('utf8').trimEnd();
    const outer = encodeRecord({ type: 'tool', input: JSON.parse(inner), more: 'text' }, 0, seed);
    const damaged = Buffer.from(outer.toString('utf8').replace('tool', 'TOOL'));
    expect(summary(damaged).records).toEqual([]);
  });

  it('accepts foreign lines without seq and crc, also between ours', () => {
    const foreign = '{"type":"turn","content":"theirs"}\n';
    const { records, damage } = summary(log(foreign, ours(1), foreign, foreign, ours(4), ours(5)));
    expect(records.map((record) => record.seq)).toEqual([null, 1, null, null, 4, 5]);
    expect(damage).toEqual([]);
  });

  it('reports a missing record even between foreign lines', () => {
    const foreign = '{"type":"turn","content":"theirs"}\n';
    const { damage } = summary(log(ours(0), foreign, ours(3)));
    expect(damage.map(({ reason, line }) => [reason, line])).toEqual([['gap', 3]]);
  });

  it.each([
    ['a missing start', [2, 3], [[1, 'record 2 comes first']]],
    ['a missing record', [0, 1, 3], [[3, 'record 3 follows record 1']]],
    ['a doubled record', [0, 1, 1, 2], [[3, 'record 1 follows record 1']]],
    [
      'swapped records',
      [0, 2, 1, 3],
      [
        [2, 'record 2 follows record 0'],
        [3, 'record 1 follows record 2'],
        [4, 'record 3 follows record 1'],
      ],
    ],
    ['a doubled block', [0, 1, 0, 1, 2], [[3, 'record 0 follows record 1']]],
  ] as const)('reports %s as a gap and keeps what is there', (_what, order, gaps) => {
    const { records, damage } = read(log(...order.map((seq) => ours(seq))));
    expect(records.map((record) => record.seq)).toEqual(order);
    expect(damage.map(({ reason, line, detail }) => [reason, line, detail])).toEqual(
      gaps.map(([line, detail]) => ['gap', line, detail]),
    );
  });

  it('does not hold oversized lines, and continues after them', () => {
    const [first, last] = [ours(0), ours(1)];
    expect(summary(log(first, 'x'.repeat(5_000), '\n', last), { maxRecordBytes: 4_000 })).toEqual({
      records: [
        { seq: 0, line: 1, offset: 0 },
        { seq: 1, line: 3, offset: first.length + 5_001 },
      ],
      damage: [{ reason: 'oversized', line: 2, offset: first.length, length: 5_000 }],
      tail: undefined,
    });
    expect(read(log(ours(0, 'x'.repeat(500_000)), ours(1))).records).toHaveLength(2);
  });

  it.each([2_000, 600_000])('finds the last records before an oversized line of %i bytes', (length) => {
    read(log(ours(0), ours(1), 'x'.repeat(length), '\n'));
    const path = dir.at('log.jsonl');
    const options = { sessionId, maxRecordBytes: 1_000 };
    const { records, damage } = readLastRecords(nodeFileSystem, path, 1, options);
    expect(records.map((record) => record.seq)).toEqual([1]);
    expect(damage).toMatchObject([{ reason: 'oversized', offset: ours(0).length * 2, length }]);
  });

  it('reads a line that is exactly as long as allowed', () => {
    const line = ours(0, 'x'.repeat(1_000));
    expect(read(line, { maxRecordBytes: line.length - 1 }).records).toHaveLength(1);
    expect(read(line, { maxRecordBytes: line.length - 2 }).damage).toMatchObject([{ reason: 'oversized' }]);
  });

  it('reads a large sparse hole without holding it', () => {
    const path = dir.at('sparse.jsonl');
    writeFileSync(path, ours(0));
    truncateSync(path, 200 * 1024 * 1024);
    const { records, tail } = readLog(nodeFileSystem, path, { sessionId });
    expect(records).toHaveLength(1);
    expect(tail?.length).toBe(200 * 1024 * 1024 - ours(0).length);
  });

  it('refuses anything but a file', () => {
    const put: [string, (path: string) => void][] = [
      ['link', (path) => symlinkSync('/etc/hostname', path)],
      ['fifo', (path) => makeFifo(path)],
      ['directory', (path) => mkdirSync(path)],
    ];
    for (const [name, make] of put) {
      make(dir.at(name));
      const unsafe = expect.objectContaining({ code: 'UNSAFE_PATH' });
      expect(() => readLog(nodeFileSystem, dir.at(name), { sessionId })).toThrow(unsafe);
      expect(() => readLastRecords(nodeFileSystem, dir.at(name), 1, { sessionId })).toThrow(unsafe);
    }
  });

  it('closes the file when its reader stops early', () => {
    const path = dir.at('early.jsonl');
    writeFileSync(path, log(ours(0), ours(1)));
    const fileSystem = new FailingFileSystem();
    for (const found of scanLog(fileSystem, path, { sessionId })) {
      expect(found.kind).toBe('record');
      break;
    }
    expect(fileSystem.openDescriptors.size).toBe(0);
  });
});

describe('any log', () => {
  type Line =
    | { kind: 'ours' }
    | { kind: 'foreign' }
    | { kind: 'junk'; bytes: Buffer; reason: LogDamage['reason'] }
    | { kind: 'welded'; before: number; junk: Buffer; after: boolean };

  const text = fc.string({ unit: 'grapheme', maxLength: 40 });
  const nuls = fc.integer({ min: 1, max: 300 }).map((count) => Buffer.alloc(count));
  const torn = fc
    .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([content, part]) => ours(9, content).subarray(0, 1 + Math.floor(part * 40)));
  const noise = fc
    .uint8Array({ minLength: 1, maxLength: 60 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x7b ? 0x25 : byte))))
    .filter(
      (bytes) => !isJson(bytes) && bytes.some((byte) => byte !== 0) && bytes.toString('latin1').trim() !== '',
    );
  const line: fc.Arbitrary<Line> = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Line>({ kind: 'ours' }) },
    { weight: 1, arbitrary: fc.constant<Line>({ kind: 'foreign' }) },
    { weight: 1, arbitrary: nuls.map<Line>((bytes) => ({ kind: 'junk', bytes, reason: 'nul' })) },
    { weight: 1, arbitrary: torn.map<Line>((bytes) => ({ kind: 'junk', bytes, reason: 'not-json' })) },
    { weight: 1, arbitrary: noise.map<Line>((bytes) => ({ kind: 'junk', bytes, reason: 'not-json' })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat({ max: 2 }), fc.oneof(nuls, torn, noise), fc.boolean())
        .filter(([before, , after]) => before > 0 || after)
        .map<Line>(([before, junk, after]) => ({ kind: 'welded', before, junk, after })),
    },
  );

  it('gives every intact record and reports all damage, each at its place', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.oneof(fc.constant(Buffer.alloc(0)), torn),
        (lines, end) => {
          const { bytes, expected } = build(lines, end);
          expect(summary(bytes)).toEqual(expected);
        },
      ),
      { numRuns: 400, seed: 20_260_301 },
    );
  });

  it('gives the same last records from its end as from its start', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        torn,
        fc.integer({ min: 1, max: 6 }),
        (lines, end, count) => {
          const { records } = read(build(lines, end).bytes);
          const last = readLastRecords(nodeFileSystem, dir.at('log.jsonl'), count, { sessionId });
          expect(last.records).toEqual(records.slice(-count).map(({ line: _line, ...record }) => record));
        },
      ),
      { numRuns: 400, seed: 20_260_301 },
    );
  });

  it('is read without a crash after any mutation, and untouched records are all there', () => {
    const random = new SeededRandom(4);
    const lines = Array.from({ length: 20 }, (_, seq) => ours(seq, `text ${seq} ${'ü'.repeat(seq)}`));
    const whole = log(...lines);
    for (let round = 0; round < 2_000; round++) {
      const at = random.below(whole.length);
      const length = 1 + random.below(200);
      const mutant = mutate(random, whole, at, length);
      const { records, damage, tail } = read(mutant.bytes);
      const found = new Set(records.map((record) => record.seq));
      const lost = lines
        .map((_, seq) => seq)
        .filter((seq) => isUntouched(lines, seq, mutant) && !found.has(seq));
      expect(lost, `${mutant.kind} at ${at}, ${length} bytes, round ${round}`).toEqual([]);
      // Missing whole records at the end leave no trace in the file.
      const isCleanEnd =
        whole.subarray(0, mutant.bytes.length).equals(mutant.bytes) && mutant.bytes.at(-1) === 0x0a;
      // A splice may complete a torn record so that it looks like a foreign one; its missing number gives it away.
      const told =
        damage.length + (tail === undefined ? 0 : 1) + records.filter(({ seq }) => seq === null).length;
      if (!isCleanEnd && mutant.bytes.length > 0)
        expect(told, `${mutant.kind} at ${at}, ${length} bytes, round ${round}`).toBeGreaterThan(0);
    }
  });

  /** The bytes of a log, and what a reader must report about them. */
  function build(lines: readonly Line[], end: Buffer) {
    const parts: Buffer[] = [];
    const records: { seq: number | null; line: number; offset: number }[] = [];
    const damage: { reason: LogDamage['reason']; line: number; offset: number; length: number }[] = [];
    let offset = 0;
    let seq = 0;
    const add = (bytes: Buffer) => {
      parts.push(bytes);
      offset += bytes.length;
    };
    const addOurs = (lineNumber: number) => {
      records.push({ seq, line: lineNumber, offset });
      add(ours(seq++).subarray(0, -1));
    };
    for (const [index, item] of lines.entries()) {
      const lineNumber = index + 1;
      if (item.kind === 'ours') addOurs(lineNumber);
      else if (item.kind === 'foreign') {
        records.push({ seq: null, line: lineNumber, offset });
        add(Buffer.from('{"type":"turn","content":"theirs"}'));
      } else if (item.kind === 'junk') {
        damage.push({ reason: item.reason, line: lineNumber, offset, length: item.bytes.length });
        add(item.bytes);
      } else {
        for (let count = 0; count < item.before; count++) addOurs(lineNumber);
        damage.push({ reason: 'not-json', line: lineNumber, offset, length: item.junk.length });
        add(item.junk);
        if (item.after) addOurs(lineNumber);
      }
      add(Buffer.from('\n'));
    }
    const tail =
      end.length === 0 ? undefined : { kind: 'tail', line: lines.length + 1, offset, length: end.length };
    return { bytes: Buffer.concat([...parts, end]), expected: { records, damage, tail } };
  }
});

interface Mutant {
  readonly kind: string;
  readonly bytes: Buffer;
  /** What was changed or moved in the original. */
  readonly from: number;
  readonly to: number;
}

function mutate(random: SeededRandom, whole: Buffer, at: number, length: number): Mutant {
  const to = Math.min(whole.length, at + length);
  const [before, middle, after] = [whole.subarray(0, at), whole.subarray(at, to), whole.subarray(to)];
  const kind = random.pick(['nul', 'cut', 'double', 'noise', 'flip', 'insert', 'truncate'] as const);
  const mutants = {
    nul: () => [before, Buffer.alloc(middle.length), after],
    cut: () => [before, after],
    double: () => [before, middle, middle, after],
    noise: () => [before, random.bytes(middle.length), after],
    flip: () => [before, Buffer.from([(middle[0] ?? 0) ^ (1 << random.below(8))]), middle.subarray(1), after],
    insert: () => [before, random.bytes(1 + random.below(50)), middle, after],
    truncate: () => [before],
  };
  const reach = { flip: at + 1, insert: at, double: to, truncate: whole.length }[kind as 'flip'] ?? to;
  return { kind, bytes: Buffer.concat(mutants[kind]()), from: at, to: reach };
}

/** Whether a record and both its line breaks are unchanged. */
function isUntouched(lines: readonly Buffer[], seq: number, mutant: Mutant): boolean {
  const start = Buffer.concat(lines.slice(0, seq)).length;
  const end = start + (lines[seq]?.length ?? 0);
  return mutant.to < start || mutant.from >= end;
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
