import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../wrap.js';

const ERASURE = /^(?:\x1b\[\d*[A-GJK])*/;
const SWITCH = /^(?:\x1b\[\?\d+[hl])*$/;
const ERASE_ROW_AND_GO_UP = '\x1b[2K\x1b[1A';

/**
 * The frame Ink drew last, taken from its output: a frame follows the erasure of the previous one. Ink erases as many rows
 * as it wrote; a terminal that became narrower has split wide rows in two, and leftovers of them would stay.
 */
export class DrawnFrame {
  #rows: string[] = [];

  /** Takes output of Ink. */
  take(text: string): void {
    if (SWITCH.test(text)) return;
    const frame = text.replace(ERASURE, '');
    this.#rows = frame === '' ? [] : frame.replace(/\n$/, '').split('\n');
  }

  /** Erases the extra rows that appeared because the terminal now has only this many columns. */
  eraseOverhang(columns: number): string {
    const rows = this.#rows.reduce(
      (sum, row) => sum + Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(row).trimEnd()) / columns)),
      0,
    );
    return ERASE_ROW_AND_GO_UP.repeat(Math.max(0, rows - this.#rows.length));
  }

  /** Erases the frame, and leaves the cursor where the frame began. */
  erase(): string {
    return `${ERASE_ROW_AND_GO_UP.repeat(this.#rows.length)}\x1b[2K\x1b[G`;
  }
}
