import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';
import { PATIENT } from './deadlines.js';
import type { Json } from './holdfast-binary.js';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Json;
}

/** A server's reply to a request; `hang` never replies. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | 'hang';

/** A server on loopback that remembers what it was sent: a stand-in for ntfy, Gotify, Slack or a custom one. */
export interface NoticeServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves once this many matching requests have arrived. */
  until(count: number, fits?: (request: Received) => boolean): Promise<readonly Received[]>;
}

export async function noticeServer(
  reply: (request: Received, count: number) => Reply = () => ({ status: 200, body: {} }),
): Promise<NoticeServer> {
  const received: Received[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse, text: string) => {
    const entry: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : null,
    };
    received.push(entry);
    const said = reply(entry, received.length);
    if (said === 'hang') return;
    response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
    response.end(JSON.stringify(said.body ?? {}));
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async until(count, fits = () => true) {
      await vi.waitFor(() => {
        const found = received.filter(fits).length;
        if (found < count) throw new Error(`${found} of ${count} requests: ${JSON.stringify(received)}`);
      }, PATIENT);
      return received.filter(fits);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
