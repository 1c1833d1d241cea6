import { lookup as resolveName } from 'node:dns';
import { type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { visibleExcerpt } from '../../../foundation/index.js';
import { NoticeNotSentError } from '../../errors.js';
import { isPublicAddress } from './endpoint.js';

/** One message to one push service. */
export interface PushPost {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the address may be on this machine: for tests only. */
  readonly isTest: boolean;
  /** How names are resolved; absent = the system's way. */
  readonly resolve?: typeof resolveName | undefined;
}

/** Status codes that mean "try again later". */
const PASSING: readonly number[] = [408, 425, 429];

/** The browser gave up its subscription. */
export class SubscriptionGoneError extends NoticeNotSentError {
  constructor() {
    super('reply', 'the browser of this device no longer accepts notices');
  }
}

/**
 * Posts to a push service. The name is resolved once, and only public addresses are connected to; a redirect is an error.
 * Reasons name only the host: the rest of an endpoint is a secret. Throws NOTICE_NOT_SENT.
 */
export async function postToService(post: PushPost): Promise<void> {
  const { hostname } = new URL(post.endpoint);
  const host = visibleExcerpt(hostname, 100);
  const timeout = AbortSignal.timeout(post.timeoutMs);
  const status = await statusOf(post, AbortSignal.any([post.signal, timeout])).catch((error: unknown) => {
    if (error instanceof NoticeNotSentError) throw error;
    const code =
      error instanceof Error && 'code' in error ? ` (${visibleExcerpt(String(error.code), 40)})` : '';
    const why = timeout.aborted
      ? `${host} did not reply within ${post.timeoutMs / 1_000} s`
      : post.signal.aborted
        ? `${host}: the process ended before the reply`
        : `${host} cannot be reached${code}`;
    throw new NoticeNotSentError('connection', why, { isPassing: true });
  });
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) throw new SubscriptionGoneError();
  if (status >= 300 && status < 400)
    throw new NoticeNotSentError(
      'reply',
      `${host} redirects to another address (${status}), which is not followed`,
    );
  throw new NoticeNotSentError('reply', `${host} replied ${status}`, {
    isPassing: status >= 500 || PASSING.includes(status),
  });
}

function statusOf(post: PushPost, signal: AbortSignal): Promise<number> {
  const { endpoint, headers, body, isTest, resolve: resolver = resolveName } = post;
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
      signal,
      agent: false as const,
      lookup: isTest ? (resolver as LookupFunction) : publicAlone(resolver),
    };
    const heard = (response: IncomingMessage) => {
      // Beyond the status, nobody needs the reply.
      response.destroy();
      resolve(response.statusCode ?? 0);
    };
    const sent: ClientRequest = isTest
      ? overHttp(endpoint, options, heard)
      : overHttps(endpoint, options, heard);
    sent.on('error', reject).end(body);
  });
}

/** Resolves a name to public addresses or not at all: whoever controls the name must not direct us into a private network. */
function publicAlone(resolver: typeof resolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolver(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const found = addresses as { address: string; family: number }[];
      if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address)))
        return callback(
          new NoticeNotSentError(
            'connection',
            `${visibleExcerpt(hostname, 100)} has a private address; nothing is sent there`,
          ),
          '',
        );
      const [first] = found;
      if (options.all === true) return callback(null, found);
      callback(null, first?.address ?? '', first?.family);
    });
  };
}
