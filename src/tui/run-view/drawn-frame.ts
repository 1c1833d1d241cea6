import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../wrap.js';

const ERASURE = /^(?:\x1b\[\d*[A-GJK])*/;
const SWITCH = /^(?:\x1b\[\?\d+[hl])*$/;
const ERASE_ROW_AND_GO_UP = '\x1b[2K\x1b[1A';

/**
 * What Ink drew last, read off what it writes: a frame, behind the erasure of the one before. Ink erases as many rows as it
 * wrote; a terminal that became narrower has broken the wide ones in two, and what is left of them would stay.
 */
export class DrawnFrame {
  #rows: string[] = [];

  /** Something that Ink wrote. */
  take(text: string): void {
    if (SWITCH.test(text)) return;
    const frame = text.replace(ERASURE, '');
    this.#rows = frame === '' ? [] : frame.replace(/\n$/, '').split('\n');
  }

  /** Erases the rows that there are more of now that the terminal has only this many columns. */
  eraseOverhang(columns: number): string {
    const rows = this.#rows.reduce(
      (sum, row) => sum + Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(row).trimEnd()) / columns)),
      0,
    );
    return ERASE_ROW_AND_GO_UP.repeat(Math.max(0, rows - this.#rows.length));
  }

  /** Erases the frame, and leaves the cursor where it began. */
  erase(): string {
    return `${ERASE_ROW_AND_GO_UP.repeat(this.#rows.length)}\x1b[2K\x1b[G`;
  }
}
