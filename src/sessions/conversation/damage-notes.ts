import type { LogDamage, LogRecord, LogTail, VerifiedRecord } from '../../storage/index.js';
import { type ConversationRecord, fromDisk, hasPublishedKeysOnly } from './schema.js';
import { SequenceCheck } from './sequence-check.js';
import type { ConversationDamage } from './view.js';

interface Place {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/** Collects what is wrong with a file while it is read from its start. */
export class DamageNotes {
  readonly #list: ConversationDamage[] = [];
  readonly #sequence = new SequenceCheck();
  #torn: ConversationDamage | undefined;
  #isFirst = true;
  #isOurs = false;
  #isBegunByUs = false;
  readonly #loose: Place[] = [];

  get list(): readonly ConversationDamage[] {
    return this.#list;
  }

  /** An end that is not a whole record: still being written, or left by a crash. */
  get torn(): ConversationDamage | undefined {
    return this.#torn;
  }

  /** Whether the next thing is at the very start of the file. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  addDamage({ kind: _kind, ...damage }: LogDamage): void {
    this.#list.push(damage);
    if (damage.reason !== 'gap') this.#isFirst = false;
  }

  addTorn(tail: LogTail): void {
    this.#torn = { ...bytesOf(tail), reason: 'torn', detail: 'the end is not a whole record' };
    this.#isFirst = false;
  }

  /** Whether we began the file. If so, a record without a checksum must match the published format exactly. */
  get isBegunByUs(): boolean {
    return this.#isBegunByUs;
  }

  /**
   * Parses a record. Among our records, one without a checksum must look exactly as other programs write it: bytes that
   * moved can happen to form something that reads like a turn.
   */
  parse({ value, seq }: VerifiedRecord, place: Place): ConversationRecord | string | null {
    const record = fromDisk(value);
    if (!isLoose(value, seq)) return record;
    if (this.#isOurs) return LOST_CHECKSUM;
    if (typeof record === 'object') this.#loose.push(bytesOf(place));
    return record;
  }

  /** Notes a record: its type, what is wrong with it, null for an unknown type, or undefined if it was not parsed. */
  addRecord(
    place: Place & { readonly seq: number | null },
    record: ConversationRecord | string | null | undefined,
  ): void {
    const isRecord = typeof record === 'object' && record !== null;
    if (this.#isFirst && !(isRecord && record.type === 'metadata'))
      this.#list.push({ ...bytesOf(place), reason: 'metadata', detail: 'the first line is not metadata' });
    if (typeof record === 'string') this.#list.push({ ...bytesOf(place), reason: 'record', detail: record });
    // Records that were missing at recovery are known, and nothing more can be done about them.
    if (isRecord && record.type === 'recovered' && record.sequence === this.#sequence.value)
      this.#forgetGaps();
    this.#sequence.add(place.seq);
    if (place.seq !== null) this.#isOurs = true;
    if (isRecord && record.type === 'metadata' && place.seq !== null) this.#begunByUs();
    this.#isFirst = false;
  }

  /** Notes the number of a record that need not be parsed. It is not the first one. */
  addNumber(seq: number): void {
    this.#sequence.add(seq);
  }

  /** Our own first line was found, wherever it ended up: loose records accepted so far as another program's are not. */
  #begunByUs(): void {
    this.#isBegunByUs = true;
    for (const place of this.#loose.splice(0))
      this.#list.push({ ...place, reason: 'record', detail: LOST_CHECKSUM });
  }

  #forgetGaps(): void {
    const others = this.#list.filter(({ reason }) => reason !== 'gap');
    this.#list.splice(0, this.#list.length, ...others);
  }
}

const LOST_CHECKSUM = 'a record that lost its checksum';

/** Whether a record has no checksum and keys beyond the published ones. */
export function isLoose(value: LogRecord, seq: number | null): boolean {
  return seq === null && !('crc' in value) && !hasPublishedKeysOnly(value);
}

function bytesOf({ line, offset, length }: Place): Place {
  return { line, offset, length };
}
