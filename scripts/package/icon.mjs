// The icon of the page as PNG, drawn here so that no picture is kept beside the sources: two posts and a bar that holds them, white on
// the colour of the page. Edges are drawn by their distance, so that they are smooth at every size.
import { crc32, deflateSync } from 'node:zlib';

const TOP = [14, 116, 122];
const BOTTOM = [8, 74, 80];
const WHITE = [255, 255, 255];

/** `isWhole`: to the edges, for systems that cut it into their own shape; the letter is smaller then. */
export function icon(size, { isWhole }) {
  const rows = [];
  for (let y = 0; y < size; y += 1) {
    const row = Buffer.alloc(1 + size * 4);
    for (let x = 0; x < size; x += 1) {
      const [u, v] = [(x + 0.5) / size, (y + 0.5) / size];
      const ground = isWhole ? 1 : covered(roundedSquare(u, v), size);
      const letter = covered(letterAt(u, v, isWhole ? 0.78 : 1), size);
      const colour = TOP.map((from, part) => mix(mix(from, BOTTOM[part], v), WHITE[part], letter));
      row.set([...colour.map(Math.round), Math.round(ground * 255)], 1 + x * 4);
    }
    rows.push(row);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** How far outside of the rounded square a point is. */
function roundedSquare(u, v) {
  const [half, radius] = [0.5, 0.25];
  const [dx, dy] = [u, v].map((at) => Math.abs(at - 0.5) - (half - radius));
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius;
}

/** How far outside of the letter a point is. */
function letterAt(u, v, scale) {
  const [x, y] = [0.5 + (u - 0.5) / scale, 0.5 + (v - 0.5) / scale];
  const stroke = 0.05;
  const away = [
    segment(x, y, [0.34, 0.26], [0.34, 0.74]),
    segment(x, y, [0.66, 0.26], [0.66, 0.74]),
    segment(x, y, [0.34, 0.5], [0.66, 0.5]),
  ];
  return (Math.min(...away) - stroke) * scale;
}

function segment(x, y, [ax, ay], [bx, by]) {
  const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
  const at = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - at * (bx - ax), y - ay - at * (by - ay));
}

function covered(distance, size) {
  return Math.min(1, Math.max(0, 0.5 - distance * size));
}

function mix(from, to, share) {
  return from + (to - from) * share;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
