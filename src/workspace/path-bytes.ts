import { isUtf8 } from 'node:buffer';

/**
 * A name on disk is bytes. Bytes that are not UTF-8 are written as `\xff`, one by one, so no two names look alike by
 * chance.
 */
export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    name += length === 0 ? `\\x${hex(bytes[at] ?? 0)}` : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return name;
}

/** The length of the UTF-8 sequence at this offset; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}

/** Quotes a name the way git writes and reads it in plain ASCII: `"a\nb\377"`. */
export function quotePath(bytes: Buffer): string {
  let quoted = '';
  for (const byte of bytes) {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    quoted += isPlain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `"${quoted}"`;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
