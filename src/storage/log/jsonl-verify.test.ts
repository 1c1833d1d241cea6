import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { nodeFileSystem } from '../bytes/file-system.js';
import { scanLog, scanLogBackwards } from './jsonl-reader.js';
import { checksumSeed, encodeRecord } from './jsonl-record.js';
import { checkLog } from './jsonl-verify.js';

const sessionId = 'session-1';
const seed = checksumSeed(sessionId);
let dir: TempDir;

beforeAll(async () => {
  dir = await tempDir({ isInMemory: true });
});
afterAll(() => dir[Symbol.asyncDispose]());

function ours(seq: number): Buffer {
  return encodeRecord({ type: 'turn', content: `text ${seq}` }, seq, seed);
}

function write(parts: readonly (Buffer | string)[]): string {
  const path = dir.at('log.jsonl');
  writeFileSync(path, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return path;
}

/** Every finding, without the parts that only one of the readers reports. */
function places(found: Iterable<{ kind: string; offset: number; length: number; seq?: number | null }>) {
  return [...found].map(({ kind, offset, length, ...rest }) => ({
    kind: kind === 'sealed' ? 'record' : kind,
    offset,
    length,
    ...('seq' in rest ? { seq: rest.seq } : {}),
  }));
}

/** A log of whole, foreign, damaged, doubled and missing lines. */
const parts = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.nat(6).map(ours) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{"type":"turn"}\n', 'garbage\n', '\0\0\0\n', '\n', '[]\n', '{"half'),
    },
    { weight: 1, arbitrary: fc.nat(6).map((seq) => ours(seq).subarray(0, -9)) },
  ),
  { maxLength: 12 },
);

describe('checkLog', () => {
  it('finds what reading the whole log finds, at the same places', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const path = write(all);
        expect(places(checkLog(nodeFileSystem, path, { sessionId }))).toEqual(
          places(scanLog(nodeFileSystem, path, { sessionId })),
        );
      }),
    );
  });

  it('finds the same when lines are skipped', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const path = write(all);
        let passed = 0;
        const passOver = () => {
          passed += 1;
          return true;
        };
        const found = places(checkLog(nodeFileSystem, path, { sessionId, passOver }));
        const whole = places(scanLog(nodeFileSystem, path, { sessionId }));
        expect(found.filter(({ kind }) => kind !== 'record')).toEqual(
          whole.filter(({ kind }) => kind !== 'record'),
        );
        expect(found.length + passed).toBe(whole.length);
      }),
    );
  });

  it('asks only about lines with the expected number', () => {
    const path = write([ours(0), ours(1), ours(3), ours(4)]);
    const asked: number[] = [];
    const passOver = (_buffer: Buffer, _from: number, seq: number) => asked.push(seq) > 0;
    expect(places(checkLog(nodeFileSystem, path, { sessionId, passOver })).map(({ kind }) => kind)).toEqual([
      'damage',
      'record',
    ]);
    expect(asked).toEqual([0, 1, 4]);
  });

  it('trusts no line whose checksum is another session’s, or is spelled differently', () => {
    const [line] = [ours(0).toString()];
    const capital = line.replace(/[0-9a-f]{8}"\}\n$/, (end) => end.toUpperCase());
    const foreign = encodeRecord({ type: 'turn' }, 1, checksumSeed('another'));
    const found = [
      ...checkLog(nodeFileSystem, write([capital === line ? ours(9) : capital, foreign]), { sessionId }),
    ];
    expect(found.filter(({ kind }) => kind === 'sealed').length).toBeLessThanOrEqual(1);
    expect(found.at(-1)).toMatchObject({ kind: 'damage', reason: 'checksum' });
  });
});

describe('scanLogBackwards', () => {
  it('finds what reading forwards finds, in reverse', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const path = write(all);
        const forwards = [...scanLog(nodeFileSystem, path, { sessionId })].filter(
          (found) => found.kind !== 'damage' || found.reason !== 'gap',
        );
        expect(places(scanLogBackwards(nodeFileSystem, path, { sessionId }))).toEqual(
          places(forwards).reverse(),
        );
      }),
    );
  });
});
