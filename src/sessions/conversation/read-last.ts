import type { LogDamage, LogEntry, LogTail } from '../../storage/index.js';
import { ConversationState } from './fold.js';
import { type ConversationRecord, fromDisk } from './schema.js';
import type { FileConversationStore } from './store.js';
import type { ConversationDamage } from './view.js';

/** The end of a conversation: what its last records add up to. */
export interface LastTurns {
  readonly state: ConversationState;
  readonly damage: readonly ConversationDamage[];
  readonly torn: ConversationDamage | undefined;
}

/** Where to begin, and how far to look for a whole record. */
export interface ReadLastLimits {
  readonly end?: number | undefined;
  readonly limitBytes?: number | undefined;
}

/** Reads the last turns from the end of the file only; undefined if that takes the whole file. */
export function readLastTurns(
  store: FileConversationStore,
  id: string,
  count: number,
  limits: ReadLastLimits = {},
): LastTurns | undefined {
  const found: ConversationRecord[] = [];
  const damage: ConversationDamage[] = [];
  let torn: ConversationDamage | undefined;
  let turns = 0;
  let before = Number.POSITIVE_INFINITY;
  for (const entry of store.scanBackwards(id, limits)) {
    const seq = seqOf(entry);
    // Records out of order or without a number can be understood only from the whole file.
    if (seq === null || (seq !== undefined && seq >= before)) return undefined;
    before = seq ?? before;
    const record = recordOf(entry);
    if (record === 'torn') torn = damageAt(entry, 'torn', 'the end is not a whole record');
    else if (entry.kind === 'damage') damage.push(damageAt(entry, entry.reason, entry.detail));
    else if (typeof record === 'string') damage.push(damageAt(entry, 'record', record));
    if (record === null || typeof record === 'string') continue;
    if (record.type === 'turn' && record.turn === null) return undefined;
    if (record.type === 'status' && record.turns === null) return undefined;
    found.push(record);
    if (record.type === 'turn') turns += 1;
    if (turns >= count && (record.type === 'turn' || record.type === 'status')) break;
  }
  return { state: stateOf(found, firstOf(store, id), count), damage: damage.reverse(), torn };
}

/** The first line, whatever it is. */
function firstOf(store: FileConversationStore, id: string): ConversationRecord | undefined {
  for (const found of store.scanStart(id)) {
    const record = recordOf(found);
    return record === null || typeof record === 'string' ? undefined : record;
  }
  return undefined;
}

/** Undefined if it is not a record. */
function seqOf(found: Found): number | null | undefined {
  if (found.kind === 'damage') return undefined;
  return found.kind === 'record' ? found.seq : found.record?.seq;
}

type Found = Omit<LogEntry, 'line'> | Omit<LogDamage, 'line'> | Omit<LogTail, 'line'>;

/** A record; null if there is nothing to use; a string that says what is wrong with it. */
function recordOf(found: Found): ConversationRecord | string | null {
  if (found.kind === 'damage') return null;
  if (found.kind === 'record') return fromDisk(found.value);
  return found.record === undefined ? 'torn' : fromDisk(found.record.value);
}

function stateOf(
  newestFirst: readonly ConversationRecord[],
  first: ConversationRecord | undefined,
  count: number,
): ConversationState {
  const state = new ConversationState();
  if (first?.type === 'metadata') state.apply(first);
  for (const record of newestFirst.toReversed()) if (record.type !== 'metadata') state.apply(record);
  state.turns.splice(0, Math.max(0, state.turns.length - count));
  return state;
}

function damageAt(found: Found, reason: ConversationDamage['reason'], detail: string): ConversationDamage {
  return { reason, line: null, offset: found.offset, length: found.length, detail };
}
