import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that needs no encoding in a URL, a header or a cookie. */
export function newSecret(bits: 192 | 256): string {
  return randomBytes(bits / 8).toString('base64url');
}

/** What is stored of a secret. It is random and too long to guess, so a plain hash is enough. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Whether this is the secret of that hash, compared in constant time. */
export function isSecretOf(secret: string, hash: string): boolean {
  const [given, kept] = [Buffer.from(hashOf(secret), 'hex'), Buffer.from(hash, 'hex')];
  return given.length === kept.length && timingSafeEqual(given, kept);
}
