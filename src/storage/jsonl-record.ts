import { crc32 } from 'node:zlib';

/** One record of a log: our keys `seq` and `crc` stand last, so that readers of the published format still work. */
export type LogRecord = Readonly<Record<string, unknown>>;

/** A line that verified. `seq` is null in a record that somebody else wrote without it. */
export interface VerifiedRecord {
  readonly value: LogRecord;
  readonly seq: number | null;
}

export type LineFault = 'nul' | 'not-json' | 'not-a-record' | 'checksum';

const CRC_KEY = ',"crc":"';
const CRC_SUFFIX_BYTES = CRC_KEY.length + 8 + 2;
const LF = 0x0a;

/** What every checksum of a log starts from, so that a record of another session does not verify here. */
export function checksumSeed(sessionId: string): number {
  return crc32(Buffer.from(sessionId, 'utf8'));
}

/** The bytes of one line: the record, its place in the log, the checksum of both, LF. */
export function encodeRecord(record: LogRecord, seq: number, seed: number): Buffer {
  const { seq: _seq, crc: _crc, ...rest } = record;
  const text = JSON.stringify({ ...rest, seq });
  const body = Buffer.from(text.slice(0, -1), 'utf8');
  const suffix = Buffer.from(`${CRC_KEY}${toHex(crc32(body, seed))}"}\n`, 'latin1');
  return Buffer.concat([body, suffix]);
}

/** Checks one line (without its LF). */
export function verifyLine(line: Buffer, seed: number): VerifiedRecord | LineFault {
  const value = parseObject(line);
  if (typeof value === 'string') return value;
  if ('crc' in value && !hasGoodChecksum(line, seed)) return 'checksum';
  return { value, seq: typeof value.seq === 'number' && Number.isInteger(value.seq) ? value.seq : null };
}

/**
 * A good record at the end of a line that is otherwise damaged: what remains when a torn record or a run of NULs was
 * welded to the next one. Returns where it starts.
 */
export function findWeldedRecord(
  line: Buffer,
  seed: number,
): { start: number; record: VerifiedRecord } | undefined {
  let start = line.indexOf('{"', 1);
  for (let tries = 0; start > 0 && tries < MAX_WELD_TRIES; tries++) {
    const rest = line.subarray(start);
    if (hasGoodChecksum(rest, seed)) {
      const record = verifyLine(rest, seed);
      if (typeof record === 'object') return { start, record };
    }
    start = line.indexOf('{"', start + 1);
  }
  return undefined;
}

/** Nested objects look like starts as well, so the search is bounded. */
const MAX_WELD_TRIES = 1_000;

export function isLineEnd(byte: number | undefined): boolean {
  return byte === LF;
}

function parseObject(line: Buffer): LogRecord | LineFault {
  if (line.length > 0 && line.every((byte) => byte === 0)) return 'nul';
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return 'not-json'; // told to the reader as damage, with its place
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not-a-record';
  return value as LogRecord;
}

function hasGoodChecksum(line: Buffer, seed: number): boolean {
  const bodyEnd = line.length - CRC_SUFFIX_BYTES;
  if (bodyEnd <= 0) return false;
  const expected = `${CRC_KEY}${toHex(crc32(line.subarray(0, bodyEnd), seed))}"}`;
  return line.toString('latin1', bodyEnd) === expected;
}

function toHex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
