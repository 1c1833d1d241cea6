import { crc32 } from 'node:zlib';

/** One record of a log. Our keys `seq` and `crc` come last, so readers of the published format still work. */
export type LogRecord = Readonly<Record<string, unknown>>;

/** A line that verified. `seq` is null in a record that another program wrote without it. */
export interface VerifiedRecord {
  readonly value: LogRecord;
  readonly seq: number | null;
}

export type LineFault = 'nul' | 'not-json' | 'not-a-record' | 'checksum';

const CRC_KEY = ',"crc":"';
const SEQ_KEY = '"seq":';
const CRC_SUFFIX_BYTES = CRC_KEY.length + 8 + 2;
const ZERO = 0x30;
const CRC_KEY_BYTES = Uint8Array.from(Buffer.from(CRC_KEY));
const SEQ_KEY_BYTES = Uint8Array.from(Buffer.from(SEQ_KEY));
const CLOSING_BYTES = Uint8Array.from(Buffer.from('"}'));
/** The value of each byte that is a lowercase hexadecimal digit, as we write them. */
const NO_DIGIT = 255;
const HEX_DIGITS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(byte));
  return value === -1 ? NO_DIGIT : value;
});

/** The start value of every checksum in a log, so a record of another session does not verify here. */
export function checksumSeed(sessionId: string): number {
  return crc32(Buffer.from(sessionId, 'utf8'));
}

/** The bytes of one line: the record, its number, the checksum of both, LF. */
export function encodeRecord(record: LogRecord, seq: number, seed: number): Buffer {
  const text = JSON.stringify('seq' in record || 'crc' in record ? withoutOurKeys(record) : record);
  const body = `${text === '{}' ? '{' : `${text.slice(0, -1)},`}"seq":${seq}`;
  // Every record waits for this before its sync, so it uses one string and one buffer.
  return Buffer.from(`${body}${suffixOf(crc32(body, seed))}\n`, 'utf8');
}

function withoutOurKeys(record: LogRecord): LogRecord {
  const { seq: _seq, crc: _crc, ...rest } = record;
  return rest;
}

/** Checks one line (without its LF). */
export function verifyLine(line: Buffer, seed: number): VerifiedRecord | LineFault {
  const value = parseObject(line);
  if (typeof value === 'string') return value;
  const seq = isSeq(value.seq) ? value.seq : null;
  const isSigned = 'crc' in value || (seq !== null && hasSpoiledKey(value));
  if (isSigned && !hasGoodChecksum(line, 0, line.length, seed)) return 'checksum';
  // Two records welded together parse as one, with the keys of both.
  if (!isSigned && repeatsKey(line.toString('utf8'), Object.keys(value).length)) return 'not-a-record';
  // A number without a checksum cannot be trusted: our numbering must not continue from it.
  return { value, seq: isSigned ? seq : null };
}

/**
 * The number of the line between two offsets of a buffer if its checksum is good, found without parsing; undefined for
 * any other line. If the checksum matches, we wrote the line.
 */
export function sealedSeq(buffer: Buffer, from: number, to: number, seed: number): number | undefined {
  if (buffer[from] !== OPENING_BRACE || !hasGoodChecksum(buffer, from, to, seed)) return undefined;
  const end = to - CRC_SUFFIX_BYTES;
  let seq = 0;
  let start = end;
  for (let factor = 1; start > from && isDigit(buffer[start - 1]); factor *= 10) {
    start -= 1;
    seq += ((buffer[start] ?? 0) - ZERO) * factor;
  }
  const isNumbered = start < end && hasBytes(buffer, start - SEQ_KEY.length, SEQ_KEY_BYTES);
  return isNumbered && isSeq(seq) ? seq : undefined;
}

/** A record of ours inside a damaged line, in the bytes from `start` up to `end`. */
export interface SalvagedRecord {
  readonly start: number;
  readonly end: number;
  readonly record: VerifiedRecord;
}

/**
 * The good records of a line that does not verify: whole ones at its start (they lost their LF, or a CR was added), and
 * one at its end (a torn record or a run of NULs was welded to it). Anything in between is not trusted: text may look
 * like a record.
 */
export function salvageRecords(line: Buffer, seed: number): SalvagedRecord[] {
  const salvaged: SalvagedRecord[] = [];
  let start = 0;
  for (;;) {
    const found = recordFrom(line, start, seed) ?? recordAtEnd(line, start, seed);
    if (found === undefined) return salvaged;
    salvaged.push(found);
    start = found.end;
  }
}

/** The record that starts exactly here, wherever it ends. */
function recordFrom(line: Buffer, start: number, seed: number): SalvagedRecord | undefined {
  if (line[start] !== OPENING_BRACE) return undefined;
  let checksum = seed;
  let checkedTo = start;
  for (;;) {
    const bodyEnd = line.indexOf(CRC_KEY, checkedTo);
    if (bodyEnd === -1) return undefined;
    checksum = crc32(line.subarray(checkedTo, bodyEnd), checksum);
    checkedTo = bodyEnd;
    const end = bodyEnd + CRC_SUFFIX_BYTES;
    if (line.toString('latin1', bodyEnd, end) === suffixOf(checksum))
      return salvagedAt(line, start, end, seed);
    checksum = crc32(line.subarray(bodyEnd, bodyEnd + 1), checksum);
    checkedTo = bodyEnd + 1;
  }
}

/** The record that ends the line, wherever it starts; searched from the end, where it is usually short. */
function recordAtEnd(line: Buffer, from: number, seed: number): SalvagedRecord | undefined {
  const bodyEnd = line.length - CRC_SUFFIX_BYTES;
  if (bodyEnd <= from || !line.toString('latin1', bodyEnd).startsWith(CRC_KEY)) return undefined;
  const suffix = line.toString('latin1', bodyEnd);
  let start = line.lastIndexOf('{"', bodyEnd);
  for (let checkedBytes = 0; start >= from && checkedBytes < MAX_SALVAGE_BYTES; ) {
    const body = line.subarray(start, bodyEnd);
    if (suffix === suffixOf(crc32(body, seed))) return salvagedAt(line, start, line.length, seed);
    checkedBytes += body.length;
    if (start === 0) return undefined;
    start = line.lastIndexOf('{"', start - 1);
  }
  return undefined;
}

function salvagedAt(line: Buffer, start: number, end: number, seed: number): SalvagedRecord | undefined {
  const record = verifyLine(line.subarray(start, end), seed);
  return typeof record === 'object' ? { start, end, record } : undefined;
}

/** Nested objects look like starts too, so the search is bounded. */
const MAX_SALVAGE_BYTES = 64 * 1024 * 1024;
const OPENING_BRACE = 0x7b;

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function parseObject(line: Buffer): LogRecord | LineFault {
  if (line[0] === 0 && line.every((byte) => byte === 0)) return 'nul';
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return 'not-json'; // reported to the reader as damage, with its place
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not-a-record';
  return value as LogRecord;
}

/** Whether an object, known to be JSON, names a key twice. */
function repeatsKey(text: string, keys: number): boolean {
  let depth = 0;
  let named = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ':' && depth === 1) named += 1;
  }
  return named > keys;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Compared byte by byte, because every record that is read passes through here. */
function hasGoodChecksum(buffer: Buffer, from: number, to: number, seed: number): boolean {
  const bodyEnd = to - CRC_SUFFIX_BYTES;
  if (
    bodyEnd <= from ||
    !hasBytes(buffer, bodyEnd, CRC_KEY_BYTES) ||
    !hasBytes(buffer, to - 2, CLOSING_BYTES)
  )
    return false;
  let stored = 0;
  for (let at = bodyEnd + CRC_KEY.length; at < to - 2; at++) {
    const digit = HEX_DIGITS[buffer[at] ?? 0] ?? NO_DIGIT;
    if (digit === NO_DIGIT) return false;
    stored = stored * 16 + digit;
  }
  // Creating a plain view is faster than creating a Buffer.
  const body = new Uint8Array(buffer.buffer, buffer.byteOffset + from, bodyEnd - from);
  return stored === crc32(body, seed);
}

function hasBytes(buffer: Buffer, at: number, bytes: Uint8Array): boolean {
  if (at < 0) return false;
  for (let index = 0; index < bytes.length; index++) if (buffer[at + index] !== bytes[index]) return false;
  return true;
}

/** Whether a record ends like ours but with another key in place of `crc`: spoiling the key must not disable the check. */
function hasSpoiledKey(value: LogRecord): boolean {
  const [place, key = ''] = Object.keys(value).slice(-2);
  return place === 'seq' && /^[0-9a-f]{8}$/.test(String(value[key]));
}

function suffixOf(checksum: number): string {
  return `${CRC_KEY}${checksum.toString(16).padStart(8, '0')}"}`;
}
