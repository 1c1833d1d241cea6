import { encode } from 'uqr';

/** Which modules of a QR code are dark, by row and column; without the quiet zone. */
export type QrModules = readonly (readonly boolean[])[];

/** A text as a QR code. The lowest error correction gives the largest modules, which cameras read best off a screen. */
export function qrCode(text: string): QrModules {
  return encode(text, { ecc: 'L', boostEcc: false, border: 0 }).data;
}

const QUIET_ZONE = 4;

/** Two rows of modules per line; black on white if colours are allowed, so that the terminal's theme does not matter. */
export function qrLines(modules: QrModules, hasColor: boolean): string[] {
  const size = modules.length;
  const isDark = (row: number, column: number) => modules[row]?.[column] === true;
  const lines: string[] = [];
  for (let row = -QUIET_ZONE; row < size + QUIET_ZONE; row += 2) {
    let line = '';
    for (let column = -QUIET_ZONE; column < size + QUIET_ZONE; column += 1) {
      const index = (isDark(row, column) ? 1 : 0) + (isDark(row + 1, column) ? 2 : 0);
      line += (hasColor ? ' ▀▄█' : '█▄▀ ')[index] ?? '';
    }
    lines.push(hasColor ? `\x1b[38;5;16;48;5;231m${line}\x1b[0m` : line);
  }
  return lines;
}
