import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { createServices, type Services } from '../../src/app/index.js';
import type { DeviceCapability } from '../../src/web/contract/index.js';
import { issueCode, webPlace } from '../../src/web/server/index.js';
import { serveWeb } from '../../src/web/server/serve.js';
import { type Json, type Machine, machine, type Running } from './holdfast-binary.js';

/** A response as it arrived. */
export interface WebReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Json;
}

export interface WebRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  /** Over a Unix socket instead of the port. */
  readonly socketPath?: string | undefined;
}

/** What a signed-in browser has. */
export interface WebBrowser {
  readonly cookie: string;
  readonly key: string;
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  get(path: string): Promise<WebReply>;
  post(path: string, body: unknown): Promise<WebReply>;
  put(path: string, body: unknown): Promise<WebReply>;
  /** Opens the stream, which is read until it is closed. */
  events(query?: string): Promise<WebEvents>;
}

/** A stream being read. */
export class WebEvents {
  readonly status: number;
  text = '';
  isEnded = false;
  readonly #response: IncomingMessage;

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.#response = response;
    response.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
    const end = () => {
      this.isEnded = true;
    };
    response.on('end', end).on('error', end).on('close', end);
  }

  /** The events so far, in order. */
  get told(): { name: string; data: Json }[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .map((block) => {
        const [, name = '', data = '""'] = /^event: (\w+)\ndata: ([\s\S]*)$/.exec(block) ?? [];
        return { name, data: JSON.parse(data) };
      });
  }

  of(name: string): Json[] {
    return this.told.filter((event) => event.name === name).map(({ data }) => data);
  }

  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }
}

/** A web server on its own machine. */
export interface WebWorld extends AsyncDisposable {
  readonly machine: Machine;
  readonly services: Services;
  readonly origin: string;
  readonly port: number;
  readonly running: Running | undefined;
  /** A code, as `holdfast web link` would put into a link. */
  code(can?: DeviceCapability): string;
  send(path: string, options?: WebRequest): Promise<WebReply>;
  signIn(can?: DeviceCapability, name?: string): Promise<WebBrowser>;
  /** Another server on the same files. */
  startAgain(args?: readonly string[]): Promise<Running>;
}

/** Tests of single checks may run the server in this process, to see them fail without a build. */
const IS_HERE = process.env.HOLDFAST_TEST_WEB_HERE === '1';
const UNLIMITED = { signInFailures: 5, writes: 60, streams: 8 };

export async function webWorld(
  options: { readonly args?: readonly string[]; readonly config?: unknown; readonly machine?: Machine } = {},
): Promise<WebWorld> {
  const box = options.machine ?? (await machine());
  if (options.config !== undefined) box.configure(options.config);
  const services = createServices({
    environment: box.env,
    workingDirectory: box.project,
    command: 'holdfast test',
    self: { command: process.execPath, args: [] },
  });
  const args = options.args ?? [];
  const here = IS_HERE && args.length === 0 && options.config === undefined;
  const server = here ? await serveWeb(services, { behind: [], limits: UNLIMITED }) : undefined;
  const running = here ? undefined : box.start(['web', '--json', ...args]);
  const origins: readonly string[] =
    server?.origins ?? JSON.parse((await (running as Running).printed('stdout', /^\{.*\}$/m))[0]).origins;
  const [origin = ''] = origins;
  const port = Number(new URL(origin).port);
  const send = (path: string, request_: WebRequest = {}) => sendTo(origin, port, path, request_);
  const code = (can: DeviceCapability = 'steer') => issueCode(webPlace(services), can).code;
  return {
    machine: box,
    services,
    origin,
    port,
    running,
    code,
    send,
    signIn: (can, name) => signIn(origin, port, code(can), name),
    async startAgain(more = []) {
      const again = box.start(['web', '--json', ...more]);
      await again.printed('stdout', /^\{.*\}$/m);
      return again;
    },
    async [Symbol.asyncDispose]() {
      await server?.close();
      if (options.machine === undefined) await box[Symbol.asyncDispose]();
    },
  };
}

export async function signIn(
  origin: string,
  port: number,
  code: string,
  name = 'test browser',
): Promise<WebBrowser> {
  const reply = await sendTo(origin, port, '/api/login', {
    method: 'POST',
    headers: { origin },
    body: { code, name },
  });
  if (reply.status !== 200) throw new Error(`not signed in: ${reply.status} ${reply.text}`);
  const [cookie = ''] = (reply.headers['set-cookie']?.[0] ?? '').split(';');
  const { key, device: id } = reply.json;
  const headers = { cookie, 'x-holdfast-key': key, origin };
  return {
    cookie,
    key,
    id,
    headers,
    get: (path) => sendTo(origin, port, path, { headers: { cookie, 'x-holdfast-key': key } }),
    post: (path, body) => sendTo(origin, port, path, { method: 'POST', headers, body }),
    put: (path, body) => sendTo(origin, port, path, { method: 'PUT', headers, body }),
    events: (query = '') => openEvents(origin, port, `/api/events${query}`, headers),
  };
}

/** We resolve names ourselves: every request goes to this machine, whatever host it names. */
export function sendTo(
  origin: string,
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, socketPath }: WebRequest,
): Promise<WebReply> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(optionsOf(origin, port, path, { method, socketPath }), (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        received += chunk;
      });
      response.on('error', reject).on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: received,
          get json() {
            return JSON.parse(received);
          },
        }),
      );
    });
    sent.on('error', reject);
    if (text !== undefined) sent.setHeader('content-type', 'application/json');
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined) sent.removeHeader(name);
      else sent.setHeader(name, value);
    }
    sent.end(text);
  });
}

function openEvents(
  origin: string,
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<WebEvents> {
  return new Promise((resolve, reject) => {
    const { origin: _origin, ...own } = headers;
    const sent = request({ ...optionsOf(origin, port, path, {}), agent: false }, (response) =>
      resolve(new WebEvents(response)),
    );
    for (const [name, value] of Object.entries(own)) sent.setHeader(name, value);
    sent.on('error', reject).end();
  });
}

function optionsOf(
  origin: string,
  port: number,
  path: string,
  { method = 'GET', socketPath }: Pick<WebRequest, 'method' | 'socketPath'>,
): RequestOptions {
  const where = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
  return { ...where, method, path, headers: { host: new URL(origin).host }, setHost: false };
}
