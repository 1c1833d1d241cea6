import type { FileSystem } from '../bytes/file-system.js';
import {
  gapBefore,
  judgeLine,
  judgeTail,
  type LogDamage,
  type LogEntry,
  type LogTail,
  type ReadLogOptions,
  scanLines,
} from './jsonl-reader.js';
import { checksumSeed, sealedSeq } from './jsonl-record.js';

/** A record of ours that matches its checksum; it was not parsed. */
export interface SealedLine {
  readonly kind: 'sealed';
  readonly seq: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Valid until the next one is requested. */
  readonly bytes: Buffer;
}

export interface CheckLogOptions extends ReadLogOptions {
  /**
   * Called for every sealed line that has the expected number, with its start in the buffer. If it returns true, the
   * line is not yielded. Yielding costs a third of the time.
   */
  readonly passOver?: ((buffer: Buffer, from: number, seq: number) => boolean) | undefined;
}

/**
 * Checks a log like `scanLog`, but parses only the lines that have no checksum or do not match it. Memory use does not
 * depend on the file's size. Throws STORAGE_FAILED.
 */
export function* checkLog(
  fileSystem: FileSystem,
  path: string,
  options: CheckLogOptions,
): Generator<SealedLine | LogEntry | LogDamage | LogTail> {
  const seed = checksumSeed(options.sessionId);
  const { passOver } = options;
  let lastSeq: number | null = null;
  let foreign = 0;
  const isExpected = (buffer: Buffer, from: number, to: number) => {
    const seq = sealedSeq(buffer, from, to, seed);
    if (passOver === undefined || seq === undefined || seq !== (lastSeq ?? -1) + 1 || foreign > 0)
      return false;
    if (!passOver(buffer, from, seq)) return false;
    lastSeq = seq;
    return true;
  };
  for (const line of scanLines(fileSystem, path, options, isExpected)) {
    if (line.kind === 'end') yield judgeTail(line, seed);
    if (line.kind === 'damage') yield line;
    if (line.kind !== 'line') continue;
    const seq = sealedSeq(line.bytes, 0, line.bytes.length, seed);
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
