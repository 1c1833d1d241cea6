/**
 * Sums up the numbers of all records so far in one number. A recovered log has gaps where records were lost. It stores
 * this number, so exactly these gaps count as known, and any later change of the order does not.
 */
export class SequenceCheck {
  #value = 0;

  /** Null stands for a record without a number. */
  add(seq: number | null): void {
    // A prime of this size spreads neighbours over all 32 bits.
    this.#value = (Math.imul(this.#value, 0x01000193) ^ ((seq ?? -1) + 1)) >>> 0;
  }

  get value(): number {
    return this.#value;
  }
}
