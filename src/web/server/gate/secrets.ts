import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that can stand in a URL, a header and a cookie as it is. */
export function newSecret(bits: 192 | 256): string {
  return randomBytes(bits / 8).toString('base64url');
}

/** What is kept of a secret. It is random and long: nobody finds it by trying, so a plain hash does. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether this is the secret of that hash, in a time that tells nothing about it. */
export function isSecretOf(secret: string, hash: string): boolean {
  const [given, kept] = [Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash, 'hex')];
  return given.length === kept.length && timingSafeEqual(given, kept);
}
