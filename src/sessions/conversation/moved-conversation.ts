import { InvalidInputError } from '../../foundation/index.js';
import type { LogDamage, LogEntry, LogRecord, LogTail } from '../../storage/index.js';
import { type ConversationRecord, fromDisk, toDisk } from './schema.js';

/** A record of a conversation in the form other machines may have it: redacted, as on disk, with its position. */
export interface MovedRecord {
  readonly seq: number;
  readonly record: LogRecord;
}

/** The intact records after a position, numbered in file order. */
export function movedRecords(found: Iterable<LogEntry | LogDamage | LogTail>, after: number): MovedRecord[] {
  const records: MovedRecord[] = [];
  let seq = -1;
  for (const one of found) {
    if (one.kind !== 'record') continue;
    seq += 1;
    if (seq <= after) continue;
    const { seq: _seq, crc: _crc, ...record } = one.value;
    records.push({ seq, record });
  }
  return records;
}

/**
 * The records, checked for this machine. Another machine wrote them: each must pass the codec, and the first must begin
 * this conversation. They get this machine's working directory. Throws INVALID_INPUT.
 */
export function adoptedRecords(
  id: string,
  moved: readonly LogRecord[],
  workingDirectory: string,
): LogRecord[] {
  const records = moved.map((one, at) => checked(one, at));
  const [first, ...rest] = records;
  if (first?.type !== 'metadata' || first.sessionId !== id || rest.some(({ type }) => type === 'metadata'))
    throw new InvalidInputError(`These are not the records of ${id}`, { place: 'records' });
  return records.map((record) => toDisk(placedAt(record, workingDirectory)));
}

function checked(value: LogRecord, at: number): ConversationRecord {
  const record = fromDisk({ ...value, crc: '' });
  if (record !== null && typeof record !== 'string') return record;
  throw new InvalidInputError(`Record ${at} is ${record ?? 'of unknown type'}`, { place: `records[${at}]` });
}

/** The agent's own conversation stays with its files; here the agent begins a new one. */
function placedAt(record: ConversationRecord, workingDirectory: string): ConversationRecord {
  switch (record.type) {
    case 'metadata':
    case 'launch':
      return { ...record, workingDirectory };
    case 'turn':
    case 'status':
      return { ...record, workingDirectory: undefined };
    case 'agent':
      return { ...record, resumeId: null, processId: null };
    default:
      return record;
  }
}
