/** Which modules of a QR code are dark, by row and column; without the quiet zone. */
export type QrModules = readonly (readonly boolean[])[];

/** Of versions 1 to 5 at level L: bytes of data and of correction. Each is one block, which is why it ends there. */
const SIZES: readonly (readonly [data: number, correction: number])[] = [
  [19, 7],
  [34, 10],
  [55, 15],
  [80, 20],
  [108, 26],
];
/** Four bits that say "bytes", eight that say how many: they and the end of the last byte take two. */
const OVERHEAD = 2;
const LEVEL_L = 0b01;
const PADDING = [0xec, 0x11] as const;

/**
 * A text as a QR code (ISO/IEC 18004): bytes, level L, the smallest version up to 5, which holds 106 bytes; undefined for what
 * is longer.
 */
export function qrCode(text: string): QrModules | undefined {
  const bytes = new TextEncoder().encode(text);
  const version = SIZES.findIndex(([data]) => bytes.length + OVERHEAD <= data) + 1;
  const [data, correction] = SIZES[version - 1] ?? [];
  if (data === undefined || correction === undefined) return undefined;
  const words = dataWords(bytes, data);
  const bits = [...words, ...correctionOf(words, correction)].flatMap((word) => bitsOf(word, 8));
  const drawn = MASKS.map((_, mask) => draw(version, bits, mask));
  const [best] = drawn.sort((a, b) => penaltyOf(a) - penaltyOf(b));
  return best;
}

function dataWords(bytes: Uint8Array, capacity: number): number[] {
  const bits = [...bitsOf(0b0100, 4), ...bitsOf(bytes.length, 8), ...[...bytes].flatMap((b) => bitsOf(b, 8))];
  while (bits.length % 8 !== 0) bits.push(0);
  const words = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((word, bit) => word * 2 + bit, 0),
  );
  for (let index = 0; words.length < capacity; index += 1) words.push(PADDING[index % 2] ?? 0);
  return words;
}

function bitsOf(value: number, length: number): number[] {
  return Array.from({ length }, (_, index) => (value >> (length - 1 - index)) & 1);
}

/** Reed-Solomon over GF(256), with the polynomial of QR codes. Exported for its test, which has the words of the standard. */
export function correctionOf(words: readonly number[], length: number): number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < length; power += 1, root = product(root, 2))
    generator = [...generator, 0].map((factor, index) => factor ^ product(generator[index - 1] ?? 0, root));
  const rest = [...words, ...Array.from({ length }, () => 0)];
  for (let at = 0; at < words.length; at += 1) {
    const lead = rest[at] ?? 0;
    for (const [index, factor] of generator.entries())
      rest[at + index] = (rest[at + index] ?? 0) ^ product(factor, lead);
  }
  return rest.slice(words.length);
}

function product(a: number, b: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    result = (result << 1) ^ (result & 0x80 ? 0x11d : 0);
    if ((b >> bit) & 1) result ^= a;
  }
  return result & 0xff;
}

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

function draw(version: number, bits: readonly number[], mask: number): boolean[][] {
  const size = version * 4 + 17;
  const grid: (boolean | undefined)[][] = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (row: number, column: number, isDark: boolean) => {
    const line = grid[row];
    if (line !== undefined && column >= 0 && column < size) line[column] = isDark;
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  if (version > 1) rings(set, [size - 7, size - 7], [true, false, true]);
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    rings(set, [row, column], FINDER);
  drawFormat(set, size, mask);
  fill(grid, bits, mask);
  return grid.map((line) => line.map((isDark) => isDark === true));
}

/** From the middle outwards. */
const FINDER: readonly boolean[] = [true, true, false, true, false];

function rings(
  set: (row: number, column: number, isDark: boolean) => void,
  [row, column]: readonly [number, number],
  colours: readonly boolean[],
): void {
  const reach = colours.length - 1;
  for (let dy = -reach; dy <= reach; dy += 1)
    for (let dx = -reach; dx <= reach; dx += 1)
      set(row + dy, column + dx, colours[Math.max(Math.abs(dy), Math.abs(dx))] ?? false);
}

function drawFormat(
  set: (row: number, column: number, isDark: boolean) => void,
  size: number,
  mask: number,
): void {
  const format = formatBits(mask);
  const bit = (index: number) => ((format >> index) & 1) === 1;
  for (let index = 0; index < 6; index += 1) set(index, 8, bit(index));
  set(7, 8, bit(6));
  set(8, 8, bit(7));
  set(8, 7, bit(8));
  for (let index = 9; index < 15; index += 1) set(8, 14 - index, bit(index));
  for (let index = 0; index < 8; index += 1) set(8, size - 1 - index, bit(index));
  for (let index = 8; index < 15; index += 1) set(size - 15 + index, 8, bit(index));
  set(size - 8, 8, true);
}

/** Level and mask, with their own correction. Exported for its test, which has the words of the standard. */
export function formatBits(mask: number): number {
  const data = (LEVEL_L << 3) | mask;
  let rest = data;
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  return ((data << 10) | rest) ^ 0x5412;
}

/** In columns of two, upwards and downwards in turn, from the right; the upright timing line has no part in it. */
function fill(grid: (boolean | undefined)[][], bits: readonly number[], mask: number): void {
  const size = grid.length;
  const isMasked = MASKS[mask] ?? (() => false);
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const isUp = ((right + 1) & 2) === 0;
      const row = isUp ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        const line = grid[row];
        if (line === undefined || line[column] !== undefined) continue;
        line[column] = (bits[next] === 1) !== isMasked(row, column);
        next += 1;
      }
    }
  }
}

/** How hard it is to read: long runs, blocks, what looks like a corner, and too much of one colour. */
function penaltyOf(grid: QrModules): number {
  const columns = grid.map((_, index) => grid.map((line) => line[index] === true));
  const lines = [...grid, ...columns].reduce((sum, line) => sum + linePenalty(line), 0);
  let blocks = 0;
  let dark = 0;
  for (const [row, line] of grid.entries())
    for (const [column, isDark] of line.entries()) {
      if (isDark) dark += 1;
      const others = [line[column + 1], grid[row + 1]?.[column], grid[row + 1]?.[column + 1]];
      if (others.every((other) => other === isDark)) blocks += 3;
    }
  const share = (dark * 20) / grid.length ** 2;
  return lines + blocks + Math.floor(Math.abs(share - 10)) * 10;
}

const CORNERS = ['10111010000', '00001011101'] as const;

function linePenalty(line: readonly boolean[]): number {
  const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
  const runs = (text.match(/0{5,}|1{5,}/g) ?? []).reduce((sum, run) => sum + run.length - 2, 0);
  let corners = 0;
  for (let at = 0; at + 11 <= text.length; at += 1)
    if (CORNERS.some((corner) => text.startsWith(corner, at))) corners += 40;
  return runs + corners;
}

const QUIET_ZONE = 4;

/** Two rows of modules in each line; black on white where colours are allowed, so that the theme of a terminal does not matter. */
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
