import { type Clock, timestamp } from '../../foundation/index.js';
import { checksumSeed, DocumentDamagedError, encodeRecord, type LogRecord } from '../../storage/index.js';
import { metadataOf } from './conversation.js';
import { DamageNotes, isLoose } from './damage-notes.js';
import { type ConversationFold, inOrder } from './fold.js';
import { type ConversationRecord, FORMAT_VERSION, toDisk } from './schema.js';
import { SequenceCheck } from './sequence-check.js';
import type { HeldConversation } from './store.js';
import { peek } from './verify.js';
import type { ConversationRecovery } from './view.js';

/** The position of an intact record. */
interface Kept {
  readonly seq: number | null;
  readonly crc: unknown;
  readonly offset: number;
  readonly length: number;
  readonly isMetadata: boolean;
  readonly isLoose: boolean;
}

/**
 * Repairs a damaged file: it keeps every intact record byte for byte, in order and once. The old file is kept under
 * another name. A last record notes which numbers are missing, so they no longer count as damage. Throws
 * DOCUMENT_DAMAGED, without changing anything, if nothing can be kept.
 */
export function recoverConversation(
  tools: { clock: Clock },
  held: HeldConversation,
  readAll: () => ConversationFold,
): ConversationRecovery {
  const { kept, notes } = indexOf(held);
  const damage = notes.torn === undefined ? [...notes.list] : [...notes.list, notes.torn];
  if (kept.length === 0) throw nothingIntact(held.path);
  if (damage.length === 0)
    return { id: held.id, kept: kept.length, damage, setAside: null, isMetadataRebuilt: false };
  const ordered = metadataFirst(inOrder(kept));
  const isMetadataRebuilt = ordered[0]?.isMetadata !== true;
  const first = isMetadataRebuilt ? [rebuiltMetadata(held.id, readAll())] : [];
  const last = recoveredRecord(tools.clock, held, ordered, first.length);
  const pieces = [...first, ...ordered.flatMap((piece) => [piece, LINE_END]), last];
  const count = ordered.length + first.length + 1;
  const setAside = held.rewrite(pieces, (path) => isWhole(held, path, count));
  return { id: held.id, kept: ordered.length, damage, setAside, isMetadataRebuilt };
}

/** The error for a file without a single intact record. */
export function nothingIntact(path: string): DocumentDamagedError {
  return new DocumentDamagedError(path, 'none of its records is intact', {
    hint: 'Nothing can be recovered; `holdfast sessions delete <id>` moves it to the trash.',
  });
}

function indexOf(held: HeldConversation): { kept: Kept[]; notes: DamageNotes } {
  const notes = new DamageNotes();
  const kept: Kept[] = [];
  const keep = (
    place: { line: number; offset: number; length: number; seq: number | null },
    value: LogRecord,
    record: ConversationRecord | string | null | undefined,
  ) => {
    notes.addRecord(place, record);
    if (typeof record === 'string') return;
    const { seq, offset, length } = place;
    const isMetadata = record?.type === 'metadata';
    kept.push({ seq, crc: value.crc, offset, length, isMetadata, isLoose: isLoose(value, seq) });
  };
  for (const found of held.check(held.path)) {
    if (found.kind === 'damage') notes.addDamage(found);
    else if (found.kind === 'sealed') keep(found, { crc: checksumOf(found.bytes) }, peek(found, notes));
    else if (found.kind === 'record') keep(found, found.value, notes.parse(found, found));
    else if (found.record === undefined) notes.addTorn(found);
    else keep({ ...found, seq: found.record.seq }, found.record.value, notes.parse(found.record, found));
  }
  return { kept: notes.isBegunByUs ? kept.filter((piece) => !piece.isLoose) : kept, notes };
}

/** The text between the last quotes of a line that matches its checksum. */
function checksumOf(line: Buffer): string {
  return line.toString('latin1', line.length - 10, line.length - 2);
}

const LINE_END = Buffer.from('\n');

function metadataFirst(kept: readonly Kept[]): Kept[] {
  const first = kept.find(({ isMetadata }) => isMetadata);
  return first === undefined ? [...kept] : [first, ...kept.filter((other) => other !== first)];
}

/** A new first line, without a number: the original one is lost. */
function rebuiltMetadata(id: string, fold: ConversationFold): Buffer {
  const state = fold.state();
  const { agent, createdAt, workingDirectory } = metadataOf(id, state);
  const record = toDisk({
    type: 'metadata',
    sessionId: id,
    agent,
    createdAt,
    status: state.status,
    version: FORMAT_VERSION,
    workingDirectory,
  });
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

function recoveredRecord(
  clock: Clock,
  held: HeldConversation,
  ordered: readonly Kept[],
  rebuilt: number,
): Buffer {
  const sequence = new SequenceCheck();
  let seq = ordered.length + rebuilt;
  for (let count = 0; count < rebuilt; count++) sequence.add(null);
  for (const kept of ordered) {
    sequence.add(kept.seq);
    seq = Math.max(seq, (kept.seq ?? -1) + 1);
  }
  const record: ConversationRecord = {
    type: 'recovered',
    kept: ordered.length,
    sequence: sequence.value,
    timestamp: timestamp(clock),
  };
  return encodeRecord(toDisk(record), seq, checksumSeed(held.id));
}

/** The new file may lack only the missing records. */
function isWhole(held: HeldConversation, path: string, count: number): boolean {
  let records = 0;
  for (const found of held.check(path)) {
    if (found.kind === 'tail' || (found.kind === 'damage' && found.reason !== 'gap')) return false;
    if (found.kind !== 'damage') records += 1;
  }
  return records === count;
}
