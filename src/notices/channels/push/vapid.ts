import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { record, text, time, timestamp, whole, withDefault } from '../../../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  ensureDirectory,
  formatDocument,
  readDocument,
} from '../../../storage/index.js';
import type { SubscriptionPlace } from './subscriptions.js';
import { vapidPath } from './vapid-path.js';

/** `<state>/web/vapid.json`: the key that identifies us to push services. Subscriptions are tied to it, so it never changes. */
const VapidRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  /** The coordinates and the private value of a P-256 key, as base64url. */
  x: text,
  y: text,
  d: text,
  createdAt: time,
});

export interface VapidKeys {
  /** The point itself, as base64url, which a browser needs to subscribe. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** The keys of this user, made when first needed. Throws DOCUMENT_DAMAGED, ATOMIC_WRITE_FAILED. */
export function vapidKeys({ tools, directory }: SubscriptionPlace): VapidKeys {
  const path = vapidPath(directory);
  const known = readDocument(tools.fileSystem, path, VapidRecord);
  if (known !== undefined) return keysOf(known);
  ensureDirectory(tools.fileSystem, directory);
  const {
    x = '',
    y = '',
    d = '',
  } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  const made = { version: DOCUMENT_VERSION, x, y, d, createdAt: timestamp(tools.clock) };
  // Two processes may get here first; only one of them writes the file.
  createFile(tools, path, formatDocument(path, made, VapidRecord));
  return keysOf(readDocument(tools.fileSystem, path, VapidRecord) ?? made);
}

function keysOf({ x, y, d }: { readonly x: string; readonly y: string; readonly d: string }): VapidKeys {
  const key: JsonWebKey = { kty: 'EC', crv: 'P-256', x, y, d };
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key, format: 'jwk' }) };
}

const VALID_S = 12 * 60 * 60;

/** The header that identifies us to one push service for half a day (RFC 8292). */
export function vapidHeader(
  { publicKey, privateKey }: VapidKeys,
  { audience, contact, now }: { readonly audience: string; readonly contact: string; readonly now: Date },
): string {
  const claims = { aud: audience, exp: Math.floor(now.getTime() / 1_000) + VALID_S, sub: contact };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}
