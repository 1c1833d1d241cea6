import { closing } from './atomic-file.js';
import { attempt, UnsafePathError } from './errors.js';
import { type FileSystem, OpenFlags, systemCode } from './file-system.js';
import {
  checksumSeed,
  findWeldedRecord,
  type LineFault,
  type LogRecord,
  verifyLine,
} from './jsonl-record.js';

/** A record that was read, and where it stands. */
export interface LogEntry {
  readonly kind: 'record';
  readonly value: LogRecord;
  /** Null in a record written by somebody else. */
  readonly seq: number | null;
  readonly line: number;
  readonly offset: number;
}

/** Bytes that do not verify: where they are and why. Reading goes on behind them. */
export interface LogDamage {
  readonly kind: 'damage';
  readonly reason: LineFault | 'oversized' | 'gap';
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly detail: string;
}

/** An end without LF: a record on its way, or what a crash left of one. */
export interface LogTail {
  readonly kind: 'tail';
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface ReadLogOptions {
  /** The session whose records these are; their checksums start from it. */
  readonly sessionId: string;
  /** Longer lines are told as damage and never held in memory. */
  readonly maxRecordBytes?: number;
}

export const MAX_RECORD_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Everything in a log, in order, without a lock. Memory does not depend on the size of the file. Throws STORAGE_FAILED. */
export function* scanLog(
  fileSystem: FileSystem,
  path: string,
  options: ReadLogOptions,
): Generator<LogEntry | LogDamage | LogTail> {
  const seed = checksumSeed(options.sessionId);
  let lastSeq: number | null = null;
  for (const line of scanLines(fileSystem, path, options.maxRecordBytes ?? MAX_RECORD_BYTES)) {
    if (line.kind !== 'line') {
      yield line;
      continue;
    }
    for (const found of judgeLine(line, seed)) {
      if (found.kind === 'record' && found.seq !== null) {
        const gap = gapBefore(found, lastSeq);
        if (gap !== undefined) yield gap;
        lastSeq = found.seq;
      }
      yield found;
    }
  }
}

/** The whole log at once: its records, its damage, and an unfinished end if there is one. Throws STORAGE_FAILED. */
export function readLog(
  fileSystem: FileSystem,
  path: string,
  options: ReadLogOptions,
): { records: LogEntry[]; damage: LogDamage[]; tail: LogTail | undefined } {
  const records: LogEntry[] = [];
  const damage: LogDamage[] = [];
  let tail: LogTail | undefined;
  for (const found of scanLog(fileSystem, path, options)) {
    if (found.kind === 'record') records.push(found);
    else if (found.kind === 'damage') damage.push(found);
    else tail = found;
  }
  return { records, damage, tail };
}

/** The last records of a log, oldest first, read from its end; lines before them are not looked at. */
export function readLastRecords(
  fileSystem: FileSystem,
  path: string,
  count: number,
  options: ReadLogOptions,
): { records: Omit<LogEntry, 'line'>[]; damage: Omit<LogDamage, 'line'>[] } {
  const seed = checksumSeed(options.sessionId);
  const maxBytes = options.maxRecordBytes ?? MAX_RECORD_BYTES;
  const records: Omit<LogEntry, 'line'>[] = [];
  const damage: Omit<LogDamage, 'line'>[] = [];
  withOpenLog(fileSystem, path, (descriptor, size) => {
    for (const line of linesFromEnd(fileSystem, descriptor, size, maxBytes)) {
      for (const { line: _line, ...found } of judgeLine({ ...line, kind: 'line', line: 0 }, seed).reverse()) {
        if (found.kind === 'record') records.unshift(found);
        else damage.unshift(found);
      }
      if (records.length >= count) break;
    }
  });
  return { records: records.slice(-count), damage };
}

interface Line {
  readonly kind: 'line';
  readonly bytes: Buffer;
  readonly line: number;
  readonly offset: number;
}

function* scanLines(
  fileSystem: FileSystem,
  path: string,
  maxBytes: number,
): Generator<Line | LogDamage | LogTail> {
  const descriptor = openLog(fileSystem, path);
  if (descriptor === undefined) return;
  try {
    yield* frameLines(fileSystem, descriptor, path, maxBytes);
  } finally {
    fileSystem.close(descriptor);
  }
}

function* frameLines(
  fileSystem: FileSystem,
  descriptor: number,
  path: string,
  maxBytes: number,
): Generator<Line | LogDamage | LogTail> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let isOversized = false;
  let lineNumber = 1;
  let lineOffset = 0;
  let position = 0;
  for (;;) {
    const at = position;
    const count = attempt(path, 'read', () => fileSystem.read(descriptor, chunk, 0, chunk.length, at));
    if (count === 0) break;
    position += count;
    let from = 0;
    while (from < count) {
      const end = chunk.subarray(0, count).indexOf(0x0a, from);
      const piece = chunk.subarray(from, end === -1 ? count : end);
      pendingBytes += piece.length;
      if (pendingBytes > maxBytes) {
        isOversized = true;
        pending = [];
      } else {
        pending.push(Buffer.from(piece));
      }
      if (end === -1) break;
      yield isOversized
        ? oversized(lineNumber, lineOffset, pendingBytes)
        : { kind: 'line', bytes: Buffer.concat(pending), line: lineNumber, offset: lineOffset };
      lineNumber += 1;
      lineOffset += pendingBytes + 1;
      pending = [];
      pendingBytes = 0;
      isOversized = false;
      from = end + 1;
    }
  }
  if (pendingBytes > 0) yield { kind: 'tail', line: lineNumber, offset: lineOffset, length: pendingBytes };
}

function* linesFromEnd(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  maxBytes: number,
): Generator<{ bytes: Buffer; offset: number }> {
  let end = size;
  let held = Buffer.alloc(0);
  let isUnfinished = true;
  while (end > 0 || held.length > 0) {
    const lineBreak = held.lastIndexOf(0x0a);
    if (lineBreak === -1 && end > 0) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const chunk = Buffer.allocUnsafe(end - start);
      const count = fileSystem.read(descriptor, chunk, 0, chunk.length, start);
      if (count < chunk.length || held.length + count > maxBytes + CHUNK_BYTES) return;
      held = Buffer.concat([chunk, held]);
      end = start;
      continue;
    }
    const bytes = held.subarray(lineBreak + 1);
    // What stands behind the last LF is on its way, or torn: not a record yet.
    if (!isUnfinished) yield { bytes, offset: end + lineBreak + 1 };
    isUnfinished = false;
    if (lineBreak === -1) return;
    held = held.subarray(0, lineBreak);
    if (held.length === 0 && end === 0) {
      yield { bytes: held, offset: 0 };
      return;
    }
  }
}

function judgeLine(line: Line, seed: number): (LogEntry | LogDamage)[] {
  const place = { line: line.line, offset: line.offset };
  const verdict = verifyLine(line.bytes, seed);
  if (typeof verdict === 'object') return [{ kind: 'record', ...verdict, ...place }];
  const welded = findWeldedRecord(line.bytes, seed);
  const length = welded?.start ?? line.bytes.length;
  const damage: LogDamage = { kind: 'damage', reason: verdict, ...place, length, detail: DETAILS[verdict] };
  if (welded === undefined) return [damage];
  return [damage, { kind: 'record', ...welded.record, line: line.line, offset: line.offset + welded.start }];
}

const DETAILS: Readonly<Record<LineFault, string>> = {
  nul: 'a run of NUL bytes, as power loss leaves it',
  'not-json': 'not a JSON record',
  'not-a-record': 'JSON, but not an object',
  checksum: 'the checksum does not match: bytes were changed, or the record belongs to another session',
};

function oversized(line: number, offset: number, length: number): LogDamage {
  return { kind: 'damage', reason: 'oversized', line, offset, length, detail: `a line of ${length} bytes` };
}

function gapBefore(entry: LogEntry, lastSeq: number | null): LogDamage | undefined {
  if (lastSeq === null || entry.seq === null || entry.seq === lastSeq + 1) return undefined;
  const detail = `record ${entry.seq} follows record ${lastSeq}`;
  return { kind: 'damage', reason: 'gap', line: entry.line, offset: entry.offset, length: 0, detail };
}

function withOpenLog(
  fileSystem: FileSystem,
  path: string,
  action: (descriptor: number, size: number) => void,
): void {
  const descriptor = openLog(fileSystem, path);
  if (descriptor === undefined) return;
  closing(fileSystem, descriptor, () =>
    attempt(path, 'read', () => action(descriptor, fileSystem.factsOf(descriptor).size)),
  );
}

function openLog(fileSystem: FileSystem, path: string): number | undefined {
  return attempt(path, 'open', () => {
    let descriptor: number;
    try {
      descriptor = fileSystem.open(path, OpenFlags.read);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      if (systemCode(error) === 'ELOOP') throw new UnsafePathError(path, 'it is a symbolic link');
      throw error;
    }
    if (fileSystem.factsOf(descriptor).kind === 'file') return descriptor;
    fileSystem.close(descriptor);
    throw new UnsafePathError(path, 'it is not a regular file');
  });
}
