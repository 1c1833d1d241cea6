import type { LogDamage, LogRecord, LogTail, VerifiedRecord } from '../../storage/index.js';
import { type ConversationRecord, fromDisk, hasPublishedKeysOnly } from './schema.js';
import { SequenceCheck } from './sequence-check.js';
import type { ConversationDamage } from './view.js';

interface Place {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

/** Gathers what is wrong with a file while it is read from its start. */
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

  /** An end that is not a whole record: on its way, or what a crash left. */
  get torn(): ConversationDamage | undefined {
    return this.#torn;
  }

  /** Whether what comes next stands at the very start. */
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

  /** Whether the file was begun by us: then nothing in it that carries no checksum may be looser than published. */
  get isBegunByUs(): boolean {
    return this.#isBegunByUs;
  }

  /**
   * What a record says. Among records of ours one without a checksum must be exactly as others write them: bytes that
   * changed places can make something that reads like a turn.
   */
  parse({ value, seq }: VerifiedRecord, place: Place): ConversationRecord | string | null {
    const record = fromDisk(value);
    if (!isLoose(value, seq)) return record;
    if (this.#isOurs) return LOST_CHECKSUM;
    if (typeof record === 'object') this.#loose.push(bytesOf(place));
    return record;
  }

  /** Takes note of a record: its type, what is wrong with it, null for an unknown type, undefined where nobody looked. */
  addRecord(
    place: Place & { readonly seq: number | null },
    record: ConversationRecord | string | null | undefined,
  ): void {
    const isRecord = typeof record === 'object' && record !== null;
    if (this.#isFirst && !(isRecord && record.type === 'metadata'))
      this.#list.push({ ...bytesOf(place), reason: 'metadata', detail: 'the first line is no metadata' });
    if (typeof record === 'string') this.#list.push({ ...bytesOf(place), reason: 'record', detail: record });
    // What was missing when the file was recovered is known, and nothing that can still be mended.
    if (isRecord && record.type === 'recovered' && record.sequence === this.#sequence.value)
      this.#forgetGaps();
    this.#sequence.add(place.seq);
    if (place.seq !== null) this.#isOurs = true;
    if (isRecord && record.type === 'metadata' && place.seq !== null) this.#begunByUs();
    this.#isFirst = false;
  }

  /** Takes note of the number of a record that nobody needs to look at. It is not the first one. */
  addNumber(seq: number): void {
    this.#sequence.add(seq);
  }

  /** Our own first line, wherever it came to stand: what was taken for somebody else's before is not. */
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

/** Whether a record carries no checksum and has other keys than the published ones. */
export function isLoose(value: LogRecord, seq: number | null): boolean {
  return seq === null && !('crc' in value) && !hasPublishedKeysOnly(value);
}

function bytesOf({ line, offset, length }: Place): Place {
  return { line, offset, length };
}
