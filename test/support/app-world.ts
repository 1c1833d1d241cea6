import { mkdirSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { createServices, type Services } from '../../src/app/index.js';
import { serveMcp } from '../../src/mcp/serve.js';
import type { Json } from './holdfast-binary.js';
import { RecordingLog } from './recording-log.js';
import { type CliOptions, type CliOutcome, runHere, SELF } from './run-here.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** The product in this process with its own home, for tests that need no separate process. */
export interface AppWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly environment: Readonly<Record<string, string>>;
  readonly project: string;
  readonly log: RecordingLog;
  services(overrides?: Partial<Parameters<typeof createServices>[0]>): Services;
  configure(settings: unknown): void;
  /** Runs a command line as the program would. */
  run(args: readonly string[], options?: CliOptions): Promise<CliOutcome>;
  json(args: readonly string[], options?: CliOptions): Promise<{ code: number; data: Json }>;
}

export async function appWorld(): Promise<AppWorld> {
  const dir = await tempDir();
  const project = dir.at('project');
  for (const name of ['home', 'tmp', 'project']) mkdirSync(dir.at(name), { mode: 0o700 });
  const environment = { HOME: dir.at('home'), TMPDIR: dir.at('tmp'), HOLDFAST_HOME: dir.at('holdfast') };
  const log = new RecordingLog();
  const runCli: AppWorld['run'] = (args, options = {}) =>
    runHere(args, {
      ...options,
      environment: { ...environment, ...options.environment },
      workingDirectory: options.workingDirectory ?? project,
    });
  return {
    dir,
    environment,
    project,
    log,
    services: (overrides = {}) =>
      createServices({
        environment,
        workingDirectory: project,
        command: 'holdfast test',
        self: SELF,
        log,
        ...overrides,
      }),
    configure(settings) {
      mkdirSync(dir.at('holdfast', 'config'), { recursive: true, mode: 0o700 });
      const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
      writeFileSync(dir.at('holdfast', 'config', 'config.json'), text);
    },
    run: runCli,
    async json(args, options) {
      const { code, stdout, stderr } = await runCli([...args, '--json'], options);
      try {
        return { code, data: JSON.parse(stdout) };
      } catch {
        throw new Error(`no JSON from ${args.join(' ')}: ${stdout}${stderr}`);
      }
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** A server in this process, addressed message by message. */
export interface SpokenServer extends AsyncDisposable {
  /** Sends a message and, if it has an id, returns the response. */
  call(method: string, params?: object): Promise<Json>;
  /** Sends a request without waiting; returns its id and the future response. */
  request(method: string, params?: object): { id: number; response: Promise<Json> };
  notify(method: string, params?: object): void;
  /** Writes raw bytes, whether or not they form a message. */
  write(bytes: Buffer | string): void;
  /** Every message the server sent. */
  readonly messages: Json[];
  readonly stdout: PassThrough;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export async function speakTo(services: Services, clientName = 'claude-code'): Promise<SpokenServer> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stop = new AbortController();
  const messages: Json[] = [];
  const waiting = new Map<number, (message: Json) => void>();
  let rest = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line);
      messages.push(message);
      waiting.get(message.id)?.(message);
    }
  });
  const ended = serveMcp(services, { stdin, stdout, version: '0.0.0-test', signal: stop.signal });
  let lastId = 0;
  const write = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request: SpokenServer['request'] = (method, params = {}) => {
    lastId += 1;
    const id = lastId;
    const response = new Promise<Json>((resolve) => waiting.set(id, resolve));
    write({ id, method, params });
    return { id, response };
  };
  const server: SpokenServer = {
    call: (method, params) => request(method, params).response,
    request,
    notify: (method, params = {}) => void write({ method, params }),
    write: (bytes) => void stdin.write(bytes),
    messages,
    stdout,
    stop,
    ended,
    async close() {
      stdin.end();
      await ended;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  await server.call('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: clientName, version: '1' },
  });
  server.notify('notifications/initialized');
  return server;
}
