import type { LogDamage, LogEntry, LogTail, VerifiedRecord } from '../../storage/index.js';
import { DamageNotes, isLoose } from './damage-notes.js';
import type { ConversationStatus } from './lifecycle.js';
import type { ConversationRecord, MetadataRecord, TurnRecord, UsageRecord } from './schema.js';
import type { AgentHandle, ConversationLaunch, Turn } from './view.js';

/** A record with its number, which says where it belongs in the file. */
interface Placed {
  readonly seq: number | null;
  readonly crc: unknown;
  readonly record: ConversationRecord;
  /** Whether it is trusted only in a file that another program began. */
  readonly isLoose: boolean;
}

/**
 * Builds a conversation from the records of its file, in order. Records in the wrong order are put right and duplicates
 * count once; both are reported as damage.
 */
export class ConversationFold {
  readonly notes = new DamageNotes();
  readonly #placed: Placed[] = [];
  #lastSeq = -1;
  #highestSeq = -1;
  #isDisordered = false;

  /** Takes the next item found in the file. */
  add(found: LogEntry | LogDamage | LogTail): void {
    if (found.kind === 'record') this.#addRecord(found, found);
    else if (found.kind === 'damage') this.notes.addDamage(found);
    else if (found.record === undefined) this.notes.addTorn(found);
    else this.#addRecord(found, found.record);
  }

  /** Whether nothing could be read at all. */
  get isEmpty(): boolean {
    return this.#placed.length === 0;
  }

  get highestSeq(): number {
    return this.#highestSeq;
  }

  /** The combined state of all records. */
  state(): ConversationState {
    const state = new ConversationState();
    const placed = this.#isDisordered ? inOrder(this.#placed) : this.#placed;
    for (const { record, isLoose } of placed) if (!isLoose || !this.notes.isBegunByUs) state.apply(record);
    return state;
  }

  #addRecord(place: { line: number; offset: number; length: number }, verified: VerifiedRecord): void {
    const { value, seq } = verified;
    const record = this.notes.parse(verified, place);
    this.notes.addRecord({ ...place, seq }, record);
    if (seq !== null) {
      if (seq <= this.#lastSeq) this.#isDisordered = true;
      this.#lastSeq = seq;
      this.#highestSeq = Math.max(this.#highestSeq, seq);
    }
    if (record !== null && typeof record === 'object')
      this.#placed.push({ seq, crc: value.crc, record, isLoose: isLoose(value, seq) });
  }
}

/** The state that the records so far add up to. Grows with each record written. */
export class ConversationState {
  metadata: MetadataRecord | undefined;
  status: ConversationStatus | null = null;
  statusReason: string | null = null;
  turnCount = 0;
  clearedAfter = 0;
  agentHandle: AgentHandle | null = null;
  launch: ConversationLaunch | null = null;
  /** The directory it belongs to, if something after the metadata says so. */
  place: string | null = null;
  firstActivity: string | null = null;
  lastActivity: string | null = null;
  readonly turns: Turn[] = [];
  readonly usage: UsageRecord[] = [];

  apply(record: ConversationRecord): void {
    const time = record.type === 'metadata' ? record.createdAt : record.timestamp;
    this.firstActivity ??= time;
    this.lastActivity = time ?? this.lastActivity;
    switch (record.type) {
      case 'metadata':
        this.metadata ??= record;
        this.status = record.status;
        break;
      case 'turn':
        this.#addTurn(record);
        break;
      case 'status':
        this.status = record.status;
        this.statusReason = record.reason;
        this.place = record.workingDirectory ?? this.place;
        this.turnCount = Math.max(this.turnCount, record.turns ?? 0);
        break;
      case 'turn_failed':
        this.#markFailed(record.turn, record.reason);
        break;
      case 'agent':
        this.agentHandle = { driver: record.driver, resumeId: record.resumeId, processId: record.processId };
        break;
      case 'launch': {
        const { agent, model, permissions, workingDirectory } = record;
        this.launch = { agent, model, permissions, workingDirectory };
        this.place = workingDirectory;
        break;
      }
      case 'clear':
        this.clearedAfter = record.afterTurn;
        break;
      case 'usage':
        this.usage.push(record);
        break;
      case 'recovered':
        break;
    }
  }

  #addTurn(record: TurnRecord): void {
    const { type: _type, turn, timestamp, workingDirectory, ...said } = record;
    this.place = workingDirectory ?? this.place;
    const number = turn ?? this.turnCount + 1;
    this.turnCount = Math.max(this.turnCount, number);
    this.turns.push({ number, failure: null, ...said, timestamp: timestamp ?? this.lastActivity ?? EPOCH });
    // Our turns are written only to an active conversation, so the end of the file reveals the status.
    if (turn !== null && this.status !== 'active') {
      this.status = 'active';
      this.statusReason = null;
    }
  }

  #markFailed(number: number, reason: string): void {
    const index = this.turns.findLastIndex((turn) => turn.number === number);
    const turn = this.turns[index];
    if (turn !== undefined) this.turns[index] = { ...turn, failure: reason };
  }
}

/** Stands in for a time that was not recorded. */
export const EPOCH = new Date(0).toISOString();

/** Sorts by number. Records without one stay after the record they follow; duplicates are dropped. */
export function inOrder<Entry extends { readonly seq: number | null; readonly crc: unknown }>(
  entries: readonly Entry[],
): Entry[] {
  const seen = new Set<string>();
  let before = -1;
  return entries
    .map((entry, index) => {
      before = entry.seq ?? before;
      return { entry, index, at: before };
    })
    .sort((a, b) => a.at - b.at || a.index - b.index)
    .map(({ entry }) => entry)
    .filter(({ seq, crc }) => {
      if (seq === null) return true;
      const key = `${seq} ${String(crc)}`;
      const isNew = !seen.has(key);
      seen.add(key);
      return isNew;
    });
}
