import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { PATIENT } from './deadlines.js';
import type { Json } from './holdfast-binary.js';

/** A subscribed browser: what it tells the page, and the keys that only it can read with. */
export interface PushBrowser {
  readonly subscription: {
    readonly endpoint: string;
    readonly keys: { readonly p256dh: string; readonly auth: string };
  };
  /** Every message that arrived for it, decrypted, oldest first. */
  readonly messages: readonly PushedMessage[];
  /** What the service would deliver to a browser that was away: a newer message of a topic replaces the older one. */
  readonly waiting: ReadonlyMap<string, PushedMessage>;
  until(count: number): Promise<readonly PushedMessage[]>;
}

export interface PushedMessage {
  readonly headers: IncomingHttpHeaders;
  readonly claims: Json;
  readonly payload: Json;
}

export type PushReply = { readonly status: number; readonly headers?: Record<string, string> } | 'hang';

/** A push service on loopback: it checks the sender (RFC 8292), decrypts (RFC 8291), and stores by topic (RFC 8030). */
export interface PushService extends AsyncDisposable {
  readonly url: string;
  browser(): PushBrowser;
  /** Requests so far, whatever their result. */
  readonly count: () => number;
}

export async function pushService(reply: () => PushReply = () => ({ status: 201 })): Promise<PushService> {
  const receivers = new Map<string, (headers: IncomingHttpHeaders, body: Buffer) => void>();
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const said = reply();
      if (said === 'hang') return;
      try {
        if (said.status === 201) receivers.get(request.url ?? '')?.(request.headers, Buffer.concat(chunks));
        response.writeHead(said.status, said.headers).end();
      } catch (error) {
        response.writeHead(400).end(String(error));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    count: () => count,
    browser() {
      const own = createECDH('prime256v1');
      const point = own.generateKeys();
      const auth = randomBytes(16);
      const path = `/push/${randomBytes(8).toString('hex')}`;
      const messages: PushedMessage[] = [];
      const waiting = new Map<string, PushedMessage>();
      receivers.set(path, (headers, body) => {
        const message = {
          headers,
          claims: claimsOf(headers.authorization ?? '', url),
          payload: JSON.parse(decrypted(body, own.getPrivateKey(), auth)),
        };
        messages.push(message);
        waiting.set(String(headers.topic), message);
      });
      const keys = { p256dh: point.toString('base64url'), auth: auth.toString('base64url') };
      return {
        subscription: { endpoint: `${url}${path}`, keys },
        messages,
        waiting,
        async until(wanted) {
          await vi.waitFor(() => {
            if (messages.length < wanted) throw new Error(`${messages.length} of ${wanted} messages`);
          }, PATIENT);
          return messages;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What the sender says about itself, if signed with the key it names. */
function claimsOf(header: string, audience: string): Json {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  if (!isSigned || claims.aud !== audience) throw new Error('not signed for this service');
  return claims;
}

/** RFC 8291 from the other end. */
function decrypted(body: Buffer, privateKey: Buffer, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const theirs = body.subarray(21, 21 + idLength);
  const sealed = body.subarray(21 + idLength);
  const own = createECDH('prime256v1');
  own.setPrivateKey(privateKey);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), theirs]);
  const secret = Buffer.from(hkdfSync('sha256', own.computeSecret(theirs), auth, info, 32));
  const part = (words: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${words}\0`), length));
  const cipher = createDecipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12));
  cipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  if (plain.at(-1) !== 2) throw new Error('not the last record');
  return plain.subarray(0, -1).toString('utf8');
}
