import { checksumSeed, type FileEnds, verifyLine } from '../../storage/index.js';
import { EPOCH } from './fold.js';
import type { ConversationStatus } from './lifecycle.js';
import { type ConversationRecord, fromDisk, UNKNOWN_AGENT } from './schema.js';

/** What the ends of a file reveal about a conversation. */
export interface Glance {
  readonly agent: string;
  readonly createdAt: string;
  readonly lastActivity: string;
  readonly turnCount: number;
  /** As stored; null if there is none. */
  readonly status: ConversationStatus | null;
  readonly workingDirectory: string | null;
  readonly isDamaged: boolean;
  /** Whether the end is not a whole record: still being written, or torn. */
  readonly isTorn: boolean;
}

const LF = 0x0a;

/**
 * Reads the state of a conversation from the ends of its file. Undefined if that is not enough: the last record is
 * longer than what was read, or its writer does not number turns.
 */
export function glance(id: string, ends: FileEnds): Glance | undefined {
  const seed = checksumSeed(id);
  const first = firstRecord(ends, seed);
  if (first === undefined) return undefined;
  const last = lastRecords(ends, seed);
  if (last === undefined) return undefined;
  const metadata = first !== null && first.type === 'metadata' ? first : undefined;
  const { teller, lastActivity } = last;
  const fallback = lastActivity ?? new Date(ends.modifiedMs).toISOString();
  return {
    agent: metadata?.agent ?? UNKNOWN_AGENT,
    createdAt: metadata?.createdAt ?? (metadata === undefined ? fallback : EPOCH),
    lastActivity: fallback,
    turnCount: (teller?.type === 'turn' ? teller.turn : teller?.turns) ?? 0,
    // Our turns are written only to an active conversation.
    status: teller?.type === 'turn' ? 'active' : (teller?.status ?? metadata?.status ?? null),
    workingDirectory: teller?.workingDirectory ?? metadata?.workingDirectory ?? null,
    isDamaged: metadata === undefined || last.isDamaged,
    isTorn: last.isTorn,
  };
}

/** Null if the first line is not a record; undefined if it is longer than what was read. */
function firstRecord(ends: FileEnds, seed: number): ConversationRecord | null | undefined {
  const { dataEnd: size } = ends;
  const head = size < ends.head.length ? ends.head.subarray(0, size) : ends.head;
  const end = head.indexOf(LF);
  if (end === -1 && head.length < size) return undefined;
  return recordIn(head.subarray(0, end === -1 ? head.length : end), seed)?.record ?? null;
}

type Teller = Extract<ConversationRecord, { type: 'turn' | 'status' }>;

interface LastRecords {
  /** The last record that gives the number of turns; undefined if there is none. */
  readonly teller: Teller | undefined;
  readonly lastActivity: string | null;
  readonly isDamaged: boolean;
  readonly isTorn: boolean;
}

function lastRecords({ tail, dataEnd: size }: FileEnds, seed: number): LastRecords | undefined {
  let lastActivity: string | null = null;
  let isDamaged = false;
  let isTorn = false;
  let isFinished = tail.at(-1) === LF;
  let end = isFinished ? tail.length - 1 : tail.length;
  while (end > 0 || (isFinished && end === 0)) {
    const start = end === 0 ? 0 : tail.lastIndexOf(LF, end - 1) + 1;
    if (start === 0 && tail.length < size) return undefined;
    const found = recordIn(tail.subarray(start, end), seed);
    if (found === undefined && isFinished) isDamaged = true;
    if (found === undefined && !isFinished) isTorn = true;
    isFinished = true;
    end = start - 1;
    if (found === undefined) continue;
    const { record, seq } = found;
    // The first line may lack a number. If a later one does, the whole file has to be counted.
    if (start > 0 && seq === null) return undefined;
    if (record === null) continue;
    lastActivity ??= record.type === 'metadata' ? record.createdAt : record.timestamp;
    if (record.type === 'turn' && record.turn === null) return undefined;
    if (record.type === 'status' && record.turns === null) return undefined;
    if (record.type === 'turn' || record.type === 'status')
      return { teller: record, lastActivity, isDamaged, isTorn };
  }
  return { teller: undefined, lastActivity, isDamaged, isTorn };
}

/** A line that verifies, with `record: null` if its type is unknown; undefined if it is damaged. */
function recordIn(
  line: Buffer,
  seed: number,
): { record: ConversationRecord | null; seq: number | null } | undefined {
  const verdict = verifyLine(line, seed);
  if (typeof verdict === 'string') return undefined;
  const record = fromDisk(verdict.value);
  return typeof record === 'string' ? undefined : { record, seq: verdict.seq };
}
