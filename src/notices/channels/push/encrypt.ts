import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The keys a browser gave us for encryption, as base64url. */
export interface BrowserKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** Made anew for each message; a test of the standard's example provides its own. */
export interface Fresh {
  readonly privateKey?: Buffer;
  readonly salt?: Buffer;
}

const RECORD_BYTES = 4_096;
/** The delimiter of the last record. */
const LAST = 2;

/** A message that only the browser can read: RFC 8291, one record of aes128gcm (RFC 8188). */
export function encrypted(plain: string, { p256dh, auth }: BrowserKeys, fresh: Fresh = {}): Buffer {
  const theirs = Buffer.from(p256dh, 'base64url');
  const exchange = createECDH('prime256v1');
  if (fresh.privateKey === undefined) exchange.generateKeys();
  else exchange.setPrivateKey(fresh.privateKey);
  const ours = exchange.getPublicKey();
  const salt = fresh.salt ?? randomBytes(16);
  const both = Buffer.concat([Buffer.from('WebPush: info\0'), theirs, ours]);
  const secret = derived(exchange.computeSecret(theirs), Buffer.from(auth, 'base64url'), both, 32);
  const key = derived(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derived(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.update(Buffer.of(LAST)), cipher.final()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, size, Buffer.of(ours.length), ours, body, cipher.getAuthTag()]);
}

function derived(secret: Buffer, salt: Buffer, purpose: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, length));
}

/** Whether these keys can be used for encryption: a point on P-256, and 16 bytes. */
export function areBrowserKeys({ p256dh, auth }: BrowserKeys): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== 65 || point[0] !== 4 || Buffer.from(auth, 'base64url').length !== 16) return false;
  try {
    const exchange = createECDH('prime256v1');
    exchange.generateKeys();
    exchange.computeSecret(point);
    return true;
  } catch {
    return false; // not on the curve
  }
}
