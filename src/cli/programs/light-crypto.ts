import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/*
 * Replaces `node:crypto` in the commands that start often and in the scripted agent, by an alias of the build: loading the real
 * one took a tenth of the start of Node, for a few random names and a digest of a short text. The random bytes come from the
 * kernel, as they do there. Anything longer or doubtful is left to `node:crypto`; see docs/decisions/0161.
 */

const heavy = () => process.getBuiltinModule('node:crypto');

/** Enough for one start; more is read when it is used up. */
const POOL_BYTES = 256;
let pool: Buffer = Buffer.alloc(0);

/** Bytes from the kernel's random source, each used only once. */
export function randomBytes(size: number): Buffer {
  if (size > POOL_BYTES) return heavy().randomBytes(size);
  if (pool.length < size) pool = readKernel(POOL_BYTES) ?? heavy().randomBytes(POOL_BYTES);
  const bytes = Buffer.from(pool.subarray(0, size));
  pool = pool.subarray(size);
  return bytes;
}

/** A UUID version 4. */
export function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Undefined if that is not the expected device, or gives too few bytes. */
function readKernel(size: number): Buffer | undefined {
  try {
    const descriptor = openSync('/dev/urandom', constants.O_RDONLY);
    try {
      if (!fstatSync(descriptor).isCharacterDevice()) return undefined;
      const bytes = Buffer.alloc(size);
      return readSync(descriptor, bytes, 0, size, null) === size ? bytes : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined; // `node:crypto` asks the kernel another way
  }
}

/** Longer texts are left to `node:crypto`: code that has just been loaded is slow. */
const SHORT_BYTES = 2_048;

/** The digest of its input, with the interface of a `Hash` of `node:crypto`. */
class ShortHash {
  readonly #algorithm: string;
  readonly #parts: Buffer[] = [];

  constructor(algorithm: string) {
    this.#algorithm = algorithm;
  }

  update(data: string | Uint8Array): this {
    this.#parts.push(typeof data === 'string' ? Buffer.from(data, 'utf8') : Buffer.from(data));
    return this;
  }

  digest(): Buffer;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding): Buffer | string {
    const [only = Buffer.alloc(0), ...more] = this.#parts;
    const bytes = more.length === 0 ? only : Buffer.concat(this.#parts);
    const isLight = this.#algorithm === 'sha256' && bytes.length <= SHORT_BYTES;
    const digest = isLight ? sha256(bytes) : heavy().createHash(this.#algorithm).update(bytes).digest();
    return encoding === undefined ? digest : digest.toString(encoding);
  }
}

export function createHash(algorithm: string): ShortHash {
  return new ShortHash(algorithm);
}

/** FIPS 180-4, for short messages. */
function sha256(message: Buffer): Buffer {
  const { roundConstants, initialState } = sha256Tables();
  const state = Int32Array.from(initialState);
  const padded = Buffer.alloc(Math.ceil((message.length + 9) / 64) * 64);
  message.copy(padded);
  padded.writeUInt8(0x80, message.length);
  padded.writeUInt32BE(message.length * 8, padded.length - 4);
  const schedule = new Int32Array(64);
  for (let start = 0; start < padded.length; start += 64) {
    for (let at = 0; at < 16; at++) schedule[at] = padded.readInt32BE(start + at * 4);
    compress(state, schedule, roundConstants);
  }
  const digest = Buffer.alloc(32);
  for (const [at, word] of state.entries()) digest.writeInt32BE(word, at * 4);
  return digest;
}

function compress(state: Int32Array, schedule: Int32Array, constantsOfRounds: Int32Array): void {
  const word = (at: number) => schedule[at] as number;
  for (let at = 16; at < 64; at++) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[at] = (word(at - 16) + small + word(at - 7) + large) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let at = 0; at < 64; at++) {
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + mixed + ((e & f) ^ (~e & g)) + (constantsOfRounds[at] as number) + word(at)) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries())
    state[at] = ((state[at] as number) + value) | 0;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

let tables: { readonly roundConstants: Int32Array; readonly initialState: Int32Array } | undefined;

/** The first 32 fractional bits of roots of the first primes: 64 cube roots and 8 square roots. */
function sha256Tables(): NonNullable<typeof tables> {
  if (tables !== undefined) return tables;
  const primes: number[] = [];
  for (let next = 2; primes.length < 64; next++)
    if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  const bits = (root: number) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  tables = {
    roundConstants: Int32Array.from(primes, (prime) => bits(Math.cbrt(prime))),
    initialState: Int32Array.from(primes.slice(0, 8), (prime) => bits(Math.sqrt(prime))),
  };
  return tables;
}
