import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksumSeed, encodeRecord, type LogRecord, verifyLine } from './jsonl-record.js';

const seed = checksumSeed('session-1');
const anyRecord = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<LogRecord>;

function lineOf(record: LogRecord, seq: number): Buffer {
  return encodeRecord(record, seq, seed).subarray(0, -1);
}

describe('a record', () => {
  it('is one line of JSON whose last keys are seq and crc', () => {
    const line = encodeRecord({ type: 'turn', content: 'a\nb' }, 7, seed).toString('utf8');
    expect(line).toMatch(/^\{"type":"turn","content":"a\\nb","seq":7,"crc":"[0-9a-f]{8}"\}\n$/);
  });

  it('has the CRC-32 of the bytes before ,"crc", seeded with the session id', () => {
    const line = encodeRecord({ a: 'ü' }, 0, seed).toString('utf8');
    const body = line.slice(0, line.indexOf(',"crc"'));
    const expected = crc32(Buffer.from(body), crc32('session-1')).toString(16).padStart(8, '0');
    expect(JSON.parse(line).crc).toBe(expected);
  });

  it('cannot bring its own seq and crc', () => {
    const line = lineOf({ seq: 99, crc: 'ffffffff', a: 1 }, 3);
    expect(verifyLine(line, seed)).toMatchObject({ seq: 3, value: { a: 1, seq: 3 } });
  });

  it('reads back as it was written, whatever it holds', () => {
    fc.assert(
      fc.property(anyRecord, fc.nat(), (record, seq) => {
        const line = encodeRecord(record, seq, seed);
        expect(line.indexOf(0x0a)).toBe(line.length - 1);
        const read = verifyLine(line.subarray(0, -1), seed);
        if (typeof read === 'string') throw new Error(read);
        const { seq: _seq, crc: _crc, ...rest } = record;
        const { crc, ...withoutCrc } = read.value;
        expect(JSON.stringify(withoutCrc)).toBe(JSON.stringify({ ...rest, seq }));
        expect(read.seq).toBe(seq);
        expect(crc).toMatch(/^[0-9a-f]{8}$/);
      }),
    );
  });

  it('does not verify under the id of another session', () => {
    fc.assert(
      fc.property(anyRecord, fc.string(), (record, other) => {
        fc.pre(other !== 'session-1');
        expect(verifyLine(lineOf(record, 1), checksumSeed(other))).toBe('checksum');
      }),
    );
  });

  it('does not verify with any single bit flipped', () => {
    const line = lineOf({ type: 'turn', role: 'user', content: 'Grüße {"a":1}', tokens: 3 }, 12);
    const accepted: string[] = [];
    for (let bit = 0; bit < line.length * 8; bit++) {
      const flipped = Buffer.from(line);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (typeof verifyLine(flipped, seed) === 'object') accepted.push(flipped.toString('latin1'));
    }
    expect(accepted).toEqual([]);
  });
});

describe('a line', () => {
  it.each([
    ['', 'not-json'],
    ['\0', 'nul'],
    ['\0\0\0\0\0\0', 'nul'],
    ['\0{}', 'not-json'],
    ['text', 'not-json'],
    ['{"a":1', 'not-json'],
    ['{"a":1}}', 'not-json'],
    ['[1]', 'not-a-record'],
    ['null', 'not-a-record'],
    ['5', 'not-a-record'],
    ['"{}"', 'not-a-record'],
    ['{"crc":"00000000"}', 'checksum'],
    ['{"a":1,"seq":0,"crc":"00000000"}', 'checksum'],
    ['{"a":1,"seq":0,"crc":null}', 'checksum'],
    ['{"a":1,"seq":0,"crc":"00000000","b":2}', 'checksum'],
    ['{"a":1,"a":2}', 'not-a-record'],
    ['{"a":"\\"","b":[{"c":1}],"a":2}', 'not-a-record'],
  ])('%j is reported as %s', (text, fault) => {
    expect(verifyLine(Buffer.from(text), seed)).toBe(fault);
  });

  it.each([
    ['{}', null],
    ['{"type":"turn","content":"x"}', null],
    ['{"seq":"one"}', null],
    ['{"seq":1.5}', null],
    ['{"type":"event","seq":4,"note":"somebody else counts as well"}', null],
    [' {"a":1}\r', null],
    ['{"a": {"b": 1}, "b": [{"a": ":"}], "c": "\\\\\\":{"}', null],
  ])('%j from another program is accepted as it is', (text, seq) => {
    expect(verifyLine(Buffer.from(text), seed)).toEqual({ value: JSON.parse(text), seq });
  });
});
