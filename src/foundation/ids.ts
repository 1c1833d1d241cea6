import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** Identity as a port, so tests can predict it. */
export interface Ids {
  /** A UUID version 4. */
  uuid(): string;
  /** 128 random bits in hexadecimal, for unique names and tokens. */
  token(): string;
}

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  token: () => randomBytes(16).toString('hex'),
};

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Whether a value is a UUID version 4 in its usual spelling; false for anything but a string. */
export function isUuidV4(value: unknown): boolean {
  return typeof value === 'string' && UUID_V4.test(value);
}

/** The same UUID (in version 4 form) for the same parts, so a retried request finds what it made before. */
export function uuidFrom(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
