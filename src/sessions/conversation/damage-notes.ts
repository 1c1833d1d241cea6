import type { LogDamage, LogTail } from '../../storage/index.js';
import type { ConversationRecord } from './schema.js';
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
    this.#torn = { ...placeOf(tail), reason: 'torn', detail: 'the end is not a whole record' };
    this.#isFirst = false;
  }

  /** Takes note of a record: its type, what is wrong with it, null for an unknown type, undefined where nobody looked. */
  addRecord(
    place: Place & { readonly seq: number | null },
    record: ConversationRecord | string | null | undefined,
  ): void {
    const isRecord = typeof record === 'object' && record !== null;
    if (this.#isFirst && !(isRecord && record.type === 'metadata'))
      this.#list.push({ ...placeOf(place), reason: 'metadata', detail: 'the first line is no metadata' });
    if (typeof record === 'string') this.#list.push({ ...placeOf(place), reason: 'record', detail: record });
    // What was missing when the file was recovered is known, and nothing that can still be mended.
    if (isRecord && record.type === 'recovered' && record.sequence === this.#sequence.value)
      this.#forgetGaps();
    this.#sequence.add(place.seq);
    this.#isFirst = false;
  }

  #forgetGaps(): void {
    const others = this.#list.filter(({ reason }) => reason !== 'gap');
    this.#list.splice(0, this.#list.length, ...others);
  }
}

function placeOf({ line, offset, length }: Place): Place {
  return { line, offset, length };
}
