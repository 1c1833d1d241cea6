import { closeQuietly, readExactly } from '../bytes/atomic-file.js';
import { type FileFacts, type FileSystem, OpenFlags, systemCode } from '../bytes/file-system.js';
import { attempt, UnsafePathError } from '../errors.js';
import {
  checksumSeed,
  type LineFault,
  type LogRecord,
  salvageRecords,
  type VerifiedRecord,
  verifyLine,
} from './jsonl-record.js';

/** A record that was read, and its place. */
export interface LogEntry {
  readonly kind: 'record';
  readonly value: LogRecord;
  /** Null in a record that another program wrote. */
  readonly seq: number | null;
  readonly line: number;
  readonly offset: number;
  /** In bytes, without the LF. */
  readonly length: number;
}

/** Bytes that do not verify: where they are and why. Reading continues after them. */
export interface LogDamage {
  readonly kind: 'damage';
  readonly reason: LineFault | 'oversized' | 'gap';
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  readonly detail: string;
}

/** An end without LF: a record being written, or what a crash left of one. */
export interface LogTail {
  readonly kind: 'tail';
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Set if only the LF is missing: then this is the whole record. */
  readonly record?: VerifiedRecord;
}

export interface ReadLogOptions {
  /** The session whose records these are; their checksums start from it. */
  readonly sessionId: string;
  /** Longer lines are reported as damage and never held in memory. */
  readonly maxRecordBytes?: number;
  /** How much to read at a time; use less than the default if you want only the start. */
  readonly chunkBytes?: number;
  /** Where to begin: after a line that was read before. Lines are counted from there. */
  readonly start?: number | undefined;
  /** Where to end; by default at the end of the file. */
  readonly end?: number | undefined;
}

export const MAX_RECORD_BYTES = 32 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Larger reads cost less; a short file needs no large buffer. */
const SCAN_BYTES = 1024 * 1024;
const MIN_SCAN_BYTES = 4096;
const LF = 0x0a;

/** Everything in a log, in order, without a lock. Memory use does not depend on the file's size. Throws STORAGE_FAILED. */
export function* scanLog(
  fileSystem: FileSystem,
  path: string,
  options: ReadLogOptions,
): Generator<LogEntry | LogDamage | LogTail> {
  const seed = checksumSeed(options.sessionId);
  let lastSeq: number | null = null;
  let foreign = 0;
  for (const line of scanLines(fileSystem, path, options)) {
    if (line.kind === 'end') {
      yield judgeTail(line, seed);
      continue;
    }
    if (line.kind !== 'line') {
      yield line;
      continue;
    }
    for (const found of judgeLine(line, seed)) {
      if (found.kind === 'record' && found.seq === null) foreign += 1;
      if (found.kind === 'record' && found.seq !== null) {
        const gap = gapBefore(found, lastSeq, foreign);
        if (gap !== undefined) yield gap;
        lastSeq = found.seq;
        foreign = 0;
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

/** The last records of a log, oldest first, read from its end without looking at earlier lines. */
export function readLastRecords(
  fileSystem: FileSystem,
  path: string,
  count: number,
  options: ReadLogOptions,
): { records: Omit<LogEntry, 'line'>[]; damage: Omit<LogDamage, 'line'>[] } {
  const records: Omit<LogEntry, 'line'>[] = [];
  const damage: Omit<LogDamage, 'line'>[] = [];
  for (const found of scanLogBackwards(fileSystem, path, options)) {
    if (found.kind === 'tail') continue;
    if (found.kind === 'record') records.push(found);
    else damage.push(found);
    if (records.length >= count) break;
  }
  return { records: records.reverse(), damage: damage.reverse() };
}

/**
 * Everything in a log from its end backwards, without a lock and without line numbers. If `limitBytes` do not cover a
 * whole line, that is reported as damage, and reading stops. Throws STORAGE_FAILED.
 */
export function* scanLogBackwards(
  fileSystem: FileSystem,
  path: string,
  options: ReadLogOptions & { readonly limitBytes?: number | undefined },
): Generator<Omit<LogEntry, 'line'> | Omit<LogDamage, 'line'> | Omit<LogTail, 'line'>> {
  const seed = checksumSeed(options.sessionId);
  const maxBytes = options.maxRecordBytes ?? MAX_RECORD_BYTES;
  const log = openLog(fileSystem, path);
  if (log === undefined) return;
  const { descriptor, facts } = log;
  try {
    for (const { bytes, offset, length, isFinished } of linesFromEnd(
      fileSystem,
      descriptor,
      Math.min(facts.size, options.end ?? facts.size),
      { maxBytes, limitBytes: options.limitBytes ?? Number.POSITIVE_INFINITY },
      path,
    )) {
      const place = { line: 0, offset };
      const judged = !isFinished
        ? [judgeTail({ kind: 'end', bytes, length, ...place }, seed)]
        : length > maxBytes
          ? [oversized(0, offset, length)]
          : judgeLine({ kind: 'line', bytes, ...place }, seed).reverse();
      for (const { line: _line, ...found } of judged) yield found;
    }
  } finally {
    closeQuietly(fileSystem, descriptor);
  }
}

interface Line {
  readonly kind: 'line';
  /** A view of the reader's buffer, valid until the next line is requested. */
  readonly bytes: Buffer;
  readonly line: number;
  readonly offset: number;
}

/** What follows the last LF; its bytes are not held if there are too many. */
interface End {
  readonly kind: 'end';
  readonly bytes: Buffer;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/** Whether the line between two offsets of a buffer can be skipped. */
type PassOver = (buffer: Buffer, from: number, to: number) => boolean;

/** The lines of a log; skipping lines with `isPassedOver` saves the cost of yielding them one by one. */
export function* scanLines(
  fileSystem: FileSystem,
  path: string,
  options: ReadLogOptions,
  isPassedOver?: PassOver,
): Generator<Line | LogDamage | End> {
  const log = openLog(fileSystem, path);
  if (log === undefined) return;
  try {
    yield* frameLines(fileSystem, log, path, options, isPassedOver);
  } finally {
    closeQuietly(fileSystem, log.descriptor);
  }
}

function* frameLines(
  fileSystem: FileSystem,
  { descriptor, facts }: OpenLog,
  path: string,
  options: ReadLogOptions,
  isPassedOver: PassOver = () => false,
): Generator<Line | LogDamage | End> {
  const {
    maxRecordBytes: maxBytes = MAX_RECORD_BYTES,
    chunkBytes = SCAN_BYTES,
    start = 0,
    end: limit,
  } = options;
  let buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(MIN_SCAN_BYTES, facts.size - start + 1)));
  /** How many bytes of an unfinished line are at the start of the buffer, and (`lost`) how many were dropped. */
  let held = 0;
  let lost = 0;
  let lineNumber = 1;
  let lineOffset = start;
  let position = start;
  for (;;) {
    if (held === buffer.length && held <= maxBytes) buffer = Buffer.concat([buffer], 2 * held);
    if (held === buffer.length) {
      lost += held;
      held = 0;
    }
    const room = Math.min(buffer.length - held, (limit ?? Number.POSITIVE_INFINITY) - position);
    const count = attempt(path, 'read', () => fileSystem.read(descriptor, buffer, held, room, position));
    if (count === 0) break;
    position += count;
    const filled = buffer.subarray(0, held + count);
    let from = 0;
    for (let end = filled.indexOf(LF, held); end !== -1; end = filled.indexOf(LF, from)) {
      const length = lost + end - from;
      if (length > maxBytes) yield oversized(lineNumber, lineOffset, length);
      else if (!isPassedOver(buffer, from, end))
        yield { kind: 'line', bytes: filled.subarray(from, end), line: lineNumber, offset: lineOffset };
      lineNumber += 1;
      lineOffset += length + 1;
      lost = 0;
      from = end + 1;
    }
    buffer.copyWithin(0, from, filled.length);
    held = filled.length - from;
  }
  const end = { line: lineNumber, offset: lineOffset, length: lost + held };
  if (end.length > 0) yield { kind: 'end', bytes: buffer.subarray(0, held), ...end };
}

interface LineFromEnd {
  readonly bytes: Buffer;
  readonly offset: number;
  readonly length: number;
  readonly isFinished: boolean;
}

function* linesFromEnd(
  fileSystem: FileSystem,
  descriptor: number,
  size: number,
  limits: { readonly maxBytes: number; readonly limitBytes: number },
  path: string,
): Generator<LineFromEnd> {
  /**
   * Where the current chunk starts, and (`later`) what was already read of the line that extends beyond it, last piece
   * first.
   */
  let start = size;
  let chunk = Buffer.alloc(0);
  let later: Buffer[] = [];
  let held = 0;
  /** How much of an oversized line was dropped. */
  let lost = 0;
  let lineEnd = size;
  // What follows the last LF is still being written, or torn.
  let isFinished = false;
  for (;;) {
    const lineBreak = chunk.lastIndexOf(LF);
    later.push(chunk.subarray(lineBreak + 1));
    held += chunk.length - lineBreak - 1;
    if (lineBreak === -1 && held > limits.maxBytes) {
      lost += held;
      held = 0;
      later = [];
    }
    if (lineBreak === -1 && start > 0 && lineEnd - start < limits.limitBytes) {
      const from = Math.max(0, start - CHUNK_BYTES);
      chunk = Buffer.allocUnsafe(start - from);
      if (!attempt(path, 'read', () => readExactly(fileSystem, descriptor, chunk, from))) return;
      start = from;
      continue;
    }
    const length = held + lost;
    const bytes = later.length === 1 ? (later[0] as Buffer) : Buffer.concat(later.reverse());
    if (isFinished || length > 0) yield { bytes, offset: start + lineBreak + 1, length, isFinished };
    if (lineBreak === -1) return;
    isFinished = true;
    later = [];
    held = 0;
    lost = 0;
    chunk = chunk.subarray(0, lineBreak);
    lineEnd = start + lineBreak;
  }
}

export function judgeLine(line: Line, seed: number): (LogEntry | LogDamage)[] {
  const place = { line: line.line, offset: line.offset };
  const verdict = verifyLine(line.bytes, seed);
  if (typeof verdict === 'object')
    return [{ kind: 'record', ...verdict, ...place, length: line.bytes.length }];
  const salvaged = verdict === 'not-json' || verdict === 'checksum' ? salvageRecords(line.bytes, seed) : [];
  const found: (LogEntry | LogDamage)[] = [];
  const damageUpTo = (start: number, end: number) => {
    const stretch = { ...place, offset: line.offset + start, length: end - start };
    found.push({ kind: 'damage', reason: verdict, ...stretch, detail: DETAILS[verdict] });
  };
  let reached = 0;
  for (const { start, end, record } of salvaged) {
    if (start > reached) damageUpTo(reached, start);
    found.push({ kind: 'record', ...record, ...place, offset: line.offset + start, length: end - start });
    reached = end;
  }
  // Records that only lost the LF between them leave no bytes over; then the place of the second one is reported.
  const isWithoutRest =
    salvaged.length > 0 && found.length === salvaged.length && reached === line.bytes.length;
  if (isWithoutRest) damageUpTo(salvaged[1]?.start ?? reached, salvaged[1]?.start ?? reached);
  else if (reached < line.bytes.length || line.bytes.length === 0) damageUpTo(reached, line.bytes.length);
  return found;
}

export function judgeTail({ bytes, line, offset, length }: End, seed: number): LogTail {
  const verdict = bytes.length === length ? verifyLine(bytes, seed) : undefined;
  const tail = { kind: 'tail', line, offset, length } as const;
  return typeof verdict === 'object' ? { ...tail, record: verdict } : tail;
}

const DETAILS: Readonly<Record<LineFault, string>> = {
  nul: 'a run of NUL bytes, as left by a power loss',
  'not-json': 'not a JSON record',
  'not-a-record': 'JSON, but not an object',
  checksum: 'the checksum does not match: bytes were changed, or the record belongs to another session',
};

function oversized(line: number, offset: number, length: number): LogDamage {
  return { kind: 'damage', reason: 'oversized', line, offset, length, detail: `a line of ${length} bytes` };
}

/** Foreign records take up numbers when our next writer counts the file, so they may fill a gap. */
export function gapBefore(
  entry: { seq: number | null; line: number; offset: number },
  lastSeq: number | null,
  foreign: number,
): LogDamage | undefined {
  if (entry.seq === null) return undefined;
  const reached = lastSeq ?? -1;
  if (entry.seq > reached && entry.seq <= reached + 1 + foreign) return undefined;
  const detail =
    lastSeq === null ? `record ${entry.seq} comes first` : `record ${entry.seq} follows record ${lastSeq}`;
  return { kind: 'damage', reason: 'gap', line: entry.line, offset: entry.offset, length: 0, detail };
}

/** A range of bytes of a log; fewer if the log ends first, none if there is no log. Throws UNSAFE_PATH, STORAGE_FAILED. */
export function readRange(fileSystem: FileSystem, path: string, start: number, length: number): Buffer {
  const log = openLog(fileSystem, path);
  if (log === undefined) return Buffer.alloc(0);
  try {
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, log.facts.size - start)));
    const isWhole = attempt(path, 'read', () => readExactly(fileSystem, log.descriptor, buffer, start));
    return isWhole ? buffer : Buffer.alloc(0);
  } finally {
    closeQuietly(fileSystem, log.descriptor);
  }
}

/** A log open for reading, and its facts when it was opened. */
export interface OpenLog {
  readonly descriptor: number;
  readonly facts: FileFacts;
}

/** Opens a log for reading; undefined if there is none. Throws UNSAFE_PATH, STORAGE_FAILED. */
export function openLog(fileSystem: FileSystem, path: string): OpenLog | undefined {
  return attempt(path, 'open', () => {
    let descriptor: number;
    try {
      descriptor = fileSystem.open(path, OpenFlags.read);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      if (systemCode(error) === 'ELOOP') throw new UnsafePathError(path, 'it is a symbolic link');
      throw error;
    }
    let facts: FileFacts | undefined;
    try {
      facts = fileSystem.factsOf(descriptor);
    } finally {
      if (facts?.kind !== 'file') closeQuietly(fileSystem, descriptor);
    }
    if (facts.kind !== 'file') throw new UnsafePathError(path, 'it is not a regular file');
    return { descriptor, facts };
  });
}
