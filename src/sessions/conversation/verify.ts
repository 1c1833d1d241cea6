import type { LogEntry, SealedLine } from '../../storage/index.js';
import { DamageNotes } from './damage-notes.js';
import { type ConversationRecord, fromDisk } from './schema.js';
import type { FileConversationStore } from './store.js';
import type { VerifyReport } from './view.js';

/** Checks every record of a file; memory does not depend on its size. Throws SESSION_NOT_FOUND, STORAGE_FAILED. */
export function verifyConversation(store: FileConversationStore, id: string): VerifyReport {
  const notes = new DamageNotes();
  let records = 0;
  let bytes = 0;
  for (const found of store.check(id)) {
    bytes = found.offset + found.length + (found.kind === 'tail' ? 0 : 1);
    if (found.kind === 'damage') {
      notes.addDamage(found);
    } else if (found.kind === 'tail' && found.record === undefined) {
      notes.addTorn(found);
    } else if (found.kind === 'tail') {
      records += 1;
      notes.addRecord({ ...found, seq: found.record?.seq ?? null }, fromDisk(found.record?.value ?? {}));
    } else {
      records += 1;
      notes.addRecord(found, peek(found, notes.isFirst));
    }
  }
  // An end that a living owner is writing is on its way, not torn.
  const isTorn = notes.torn !== undefined && store.ownerOf(id).hold !== 'held';
  const damage = notes.torn !== undefined && isTorn ? [...notes.list, notes.torn] : [...notes.list];
  if (records === 0 && damage.length === 0)
    damage.push({ reason: 'metadata', line: 1, offset: 0, length: 0, detail: 'the file is empty' });
  return { id, path: store.path(id), isOk: damage.length === 0, records, bytes, damage };
}

const RECOVERED = Buffer.from('{"type":"recovered"');

/** What a record says, where that matters: a line that fits its checksum is as we wrote it. */
export function peek(
  found: SealedLine | LogEntry,
  isFirst: boolean,
): ConversationRecord | string | null | undefined {
  if (found.kind === 'record') return fromDisk(found.value);
  if (!isFirst && !found.bytes.subarray(0, RECOVERED.length).equals(RECOVERED)) return undefined;
  return fromDisk(JSON.parse(found.bytes.toString('utf8')));
}
