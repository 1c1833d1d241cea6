import type { LogEntry, SealedLine } from '../../storage/index.js';
import { DamageNotes } from './damage-notes.js';
import { type ConversationRecord, fromDisk } from './schema.js';
import type { FileConversationStore } from './store.js';
import type { VerifyReport } from './view.js';

/** Checks every record of a file; memory use does not depend on its size. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
export function verifyConversation(store: FileConversationStore, id: string): VerifyReport {
  const notes = new DamageNotes();
  let records = 0;
  // Consecutive turns make up most of a file, and there is nothing to check in them but their checksums.
  const passOver = (buffer: Buffer, from: number, seq: number) => {
    if (notes.isFirst || buffer[from + TYPE_PLACE] !== TURN_INITIAL) return false;
    records += 1;
    notes.addNumber(seq);
    return true;
  };
  for (const found of store.check(id, passOver)) {
    if (found.kind === 'damage') {
      notes.addDamage(found);
    } else if (found.kind !== 'tail') {
      records += 1;
      notes.addRecord(found, peek(found, notes));
    } else if (found.record !== undefined) {
      records += 1;
      notes.addRecord({ ...found, seq: found.record.seq }, notes.parse(found.record, found));
    } else {
      notes.addTorn(found);
    }
  }
  // An unfinished end with a living owner is still being written, not torn.
  const isTorn = notes.torn !== undefined && store.ownerOf(id).hold !== 'held';
  const damage = notes.torn !== undefined && isTorn ? [...notes.list, notes.torn] : [...notes.list];
  if (records === 0 && damage.length === 0)
    damage.push({ reason: 'metadata', line: 1, offset: 0, length: 0, detail: 'the file is empty' });
  return { id, path: store.path(id), isOk: damage.length === 0, records, bytes: store.size(id), damage };
}

/** The position of the type's initial in `{"type":"turn"`. No other type of ours that matters here starts with it. */
const TYPE_PLACE = 9;
const TURN_INITIAL = 0x74;
const RECOVERED = Buffer.from('{"type":"recovered"');
const METADATA = Buffer.from('{"type":"metadata"');

/** Parses a record if its contents matter, otherwise undefined: a line that matches its checksum is as we wrote it. */
export function peek(
  found: SealedLine | LogEntry,
  notes: DamageNotes,
): ConversationRecord | string | null | undefined {
  if (found.kind === 'record') return notes.parse(found, found);
  const start = found.bytes.subarray(0, RECOVERED.length);
  const matters =
    notes.isFirst || start.equals(RECOVERED) || start.subarray(0, METADATA.length).equals(METADATA);
  return matters ? fromDisk(JSON.parse(found.bytes.toString('utf8'))) : undefined;
}
