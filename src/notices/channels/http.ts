import { visibleExcerpt } from '../../foundation/index.js';
import { NoticeNotSentError } from '../errors.js';

export interface HttpRequest {
  readonly method: 'POST' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const MAX_REPLY_BYTES = 64 * 1024;
/** Status codes that mean "try again later". */
const PASSING: readonly number[] = [408, 425, 429];

/**
 * One request, within its time, to exactly this address: a redirect is an error, because it would take signed or authorised
 * content elsewhere. Reasons name only the host, because the rest of an address may be a secret. Throws NOTICE_NOT_SENT.
 */
export async function request(wanted: HttpRequest): Promise<string> {
  const { method, url, headers, body, signal, timeoutMs } = wanted;
  const host = hostOf(url);
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method,
      headers: { 'user-agent': 'holdfast', ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    text = await readSome(response);
  } catch (error) {
    throw new NoticeNotSentError('connection', connectionFault(host, timeout, timeoutMs, error), {
      isPassing: true,
    });
  }
  if (response.ok) return text;
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new NoticeNotSentError(
      'reply',
      `${host} redirects to another address (${status}), which is not followed`,
    );
  const isPassing = status >= 500 || PASSING.includes(status);
  throw new NoticeNotSentError('reply', `${host} replied ${status}`, { isPassing });
}

function connectionFault(host: string, timeout: AbortSignal, timeoutMs: number, error: unknown): string {
  if (timeout.aborted) return `${host} did not reply within ${timeoutMs / 1_000} s`;
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  if (error instanceof Error && error.name === 'AbortError')
    return `${host}: the process ended before the reply`;
  return `${host} cannot be reached${code === undefined ? '' : ` (${visibleExcerpt(code, 40)})`}`;
}

function hostOf(url: string): string {
  try {
    return visibleExcerpt(new URL(url).host, 100);
  } catch {
    throw new NoticeNotSentError('connection', 'the address is not a URL');
  }
}

async function readSome(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A value in a JSON reply; undefined if there is none. */
export function valueIn(reply: string, key: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(reply) as Record<string, unknown> | null)?.[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  } catch {
    return undefined;
  }
}
