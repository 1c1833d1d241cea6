import type { FileSystem } from './file-system.js';
import {
  gapBefore,
  judgeLine,
  judgeTail,
  type LogDamage,
  type LogEntry,
  type LogTail,
  MAX_RECORD_BYTES,
  type ReadLogOptions,
  scanLines,
} from './jsonl-reader.js';
import { checksumSeed, sealedSeq } from './jsonl-record.js';

/** A record of ours that fits its checksum; it was not parsed. */
export interface SealedLine {
  readonly kind: 'sealed';
  readonly seq: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Good until the next one is asked for. */
  readonly bytes: Buffer;
}

/**
 * Checks a log as `scanLog` does, and parses only the lines that carry no checksum or do not fit it. Memory does not
 * depend on the size of the file. Throws STORAGE_FAILED.
 */
export function* checkLog(
  fileSystem: FileSystem,
  path: string,
  options: ReadLogOptions,
): Generator<SealedLine | LogEntry | LogDamage | LogTail> {
  const seed = checksumSeed(options.sessionId);
  let lastSeq: number | null = null;
  let foreign = 0;
  for (const line of scanLines(fileSystem, path, options.maxRecordBytes ?? MAX_RECORD_BYTES)) {
    if (line.kind === 'end') yield judgeTail(line, seed);
    if (line.kind === 'damage') yield line;
    if (line.kind !== 'line') continue;
    const seq = sealedSeq(line.bytes, seed);
    const sealed = { ...line, kind: 'sealed', length: line.bytes.length } as const;
    for (const found of seq === undefined ? judgeLine(line, seed) : [{ ...sealed, seq }]) {
      if (found.kind !== 'damage' && found.seq === null) foreign += 1;
      if (found.kind !== 'damage' && found.seq !== null) {
        const gap = gapBefore(found, lastSeq, foreign);
        if (gap !== undefined) yield gap;
        lastSeq = found.seq;
        foreign = 0;
      }
      yield found;
    }
  }
}
