import type {
  Answering,
  Card,
  Me,
  Refusal,
  ReportPage,
  RunPage,
  RunRequest,
  SignedIn,
  Steered,
} from '../../contract/index.js';
import { hear, readWith, takeEarly } from './early.js';

type Draft = NonNullable<Card['draft']>;

/** The result of a request. `status` 0: no server answered. */
export type Reply<Value> =
  | { readonly isDone: true; readonly value: Value }
  | { readonly isDone: false; readonly status: number; readonly refusal: Refusal | null };

/** The page's requests, each with this browser's key. */
export class Api {
  readonly #key: () => string | null;

  constructor(key: () => string | null) {
    this.#key = key;
  }

  logIn(code: string, name: string): Promise<Reply<SignedIn>> {
    return this.#send('POST', '/api/login', { body: { code, name } });
  }

  logOut(): Promise<Reply<unknown>> {
    return this.#send('POST', '/api/logout', { body: {} });
  }

  me(): Promise<Reply<Me>> {
    return this.#send('GET', '/api/me');
  }

  card(id: string): Promise<Reply<Card>> {
    return this.#send('GET', `/api/questions/${encodeURIComponent(id)}`);
  }

  /** Is sent even while the page is being closed. */
  saveDraft(id: string, draft: Draft): Promise<Reply<unknown>> {
    const path = `/api/questions/${encodeURIComponent(id)}/draft`;
    return this.#send('PUT', path, { body: draft, keepalive: true });
  }

  answer(id: string, answering: Answering, signal: AbortSignal): Promise<Reply<Card>> {
    return this.#send('POST', `/api/questions/${encodeURIComponent(id)}/answer`, { body: answering, signal });
  }

  reject(id: string, reason: string | null, signal: AbortSignal): Promise<Reply<Card>> {
    return this.#send('POST', `/api/questions/${encodeURIComponent(id)}/reject`, {
      body: { reason },
      signal,
    });
  }

  run(id: string): Promise<Reply<RunPage>> {
    return this.#send('GET', `/api/runs/${encodeURIComponent(id)}`);
  }

  report(id: string): Promise<Reply<ReportPage>> {
    return this.#send('GET', `/api/runs/${encodeURIComponent(id)}/report`);
  }

  steer(id: string, request: RunRequest): Promise<Reply<Steered>> {
    return this.#send('POST', `/api/runs/${encodeURIComponent(id)}/request`, { body: request });
  }

  /** Any other address of the API, for the places that load late. */
  read<Value>(path: string, signal?: AbortSignal): Promise<Reply<Value>> {
    return this.#send('GET', `/api/${path}`, signal === undefined ? {} : { signal });
  }

  post<Value>(path: string, body: unknown): Promise<Reply<Value>> {
    return this.#send('POST', `/api/${path}`, { body });
  }

  /** Opens the stream; `run` is `<id>:<seq>`. */
  events(run: string | null, signal: AbortSignal): Promise<Response> {
    const query = run === null ? '' : `?run=${encodeURIComponent(run)}`;
    const { headers, cache } = readWith(this.#key());
    return fetch(`/api/events${query}`, {
      headers: { ...headers, accept: 'text/event-stream' },
      cache,
      signal,
    });
  }

  async #send<Value>(
    method: string,
    path: string,
    { body, signal, keepalive }: { body?: unknown; signal?: AbortSignal; keepalive?: boolean } = {},
  ): Promise<Reply<Value>> {
    try {
      const { headers, cache } = readWith(this.#key());
      const early = method === 'GET' ? takeEarly(path) : undefined;
      const ask = () =>
        fetch(path, {
          method,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          cache,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(signal === undefined ? {} : { signal }),
          ...(keepalive === true ? { keepalive } : {}),
        });
      const { isDone, status, value } = await (early ?? hear(ask()));
      if (isDone) return { isDone, value: value as Value };
      return { isDone, status, refusal: value as Refusal | null };
    } catch {
      return { isDone: false, status: 0, refusal: null };
    }
  }
}
