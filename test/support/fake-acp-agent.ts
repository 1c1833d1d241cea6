import { chmod, readFile, writeFile } from 'node:fs/promises';
import { ACP_PRESETS, type AcpDriverOptions, type AcpPreset, acpDriver } from '../../src/agents/acp/index.js';
import type { AgentConnection, DriverTools, StartOptions } from '../../src/agents/driver.js';
import type { AgentEvent } from '../../src/agents/events.js';
import { whileTimePasses } from './fake-clock.js';
import { programTools } from './program-world.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

type Json = Record<string, unknown>;

/** What a fake agent's handlers can do. */
export interface FakeAgent {
  /** Writes a message. */
  send(message: Json): void;
  /** Writes raw bytes. */
  raw(text: string): void;
  update(update: Json, sessionId?: string): void;
  say(text: string, more?: Json): void;
  /** Asks the client and waits for its answer. */
  ask(method: string, params: Json): Promise<{ result?: Json; error?: Json }>;
  /** Resolves when the client cancels. */
  cancelled(): Promise<void>;
  sleep(ms: number): Promise<void>;
  /** Leaves behind a process in its own session that holds the pipes open; returns its pid. */
  leaveChild(): number;
  /** Closes its output but stays alive. */
  closeOutput(): void;
  /** The return value for a request that is never answered. */
  readonly NO_ANSWER: string;
}

/** Answers a request; if it throws an object with code, message and data, that becomes the error. */
// biome-ignore lint/suspicious/noExplicitAny: handlers run in another process and read what they please
export type FakeHandler = (params: any, agent: FakeAgent) => unknown;

/** Handlers by method. Their source is copied into a program, so they must not use anything from the surrounding test. */
export type FakeHandlers = Readonly<Record<string, FakeHandler>>;

/** An ACP agent that speaks the wire protocol by hand. */
export class FakeAcpWorld implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #connections: AgentConnection[] = [];
  readonly program: string;
  readonly tools: DriverTools;

  constructor(dir: TempDir, tools: Partial<DriverTools>) {
    this.#dir = dir;
    this.program = dir.at('agent.mjs');
    const storage = storageTools();
    this.tools = { ...programTools(dir.at('programs')), ids: storage.ids, ...tools };
  }

  get directory(): string {
    return this.#dir.path;
  }

  async start(
    options: Partial<StartOptions> = {},
    preset: Partial<AcpPreset> = {},
    own: AcpDriverOptions = {},
  ): Promise<AgentConnection> {
    const connection = await acpDriver({ ...ACP_PRESETS.acp, ...preset }, own).start(this.tools, {
      command: this.program,
      args: [],
      workingDirectory: this.#dir.path,
      environment: { PATH: process.env.PATH },
      permissions: { mode: 'edits' },
      mcpServers: [],
      ...options,
    });
    this.#connections.push(connection);
    return connection;
  }

  /** What the client has sent so far. */
  async received(): Promise<Json[]> {
    const text = await readFile(this.#dir.at('received.jsonl'), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Json);
  }

  /** The parameters of all requests and notifications of one method. */
  async receivedOf(method: string): Promise<Json[]> {
    const all = await this.received();
    return all.filter((message) => message.method === method).map((message) => message.params as Json);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections)
      await whileTimePasses(this.tools.clock, 1, connection.terminate());
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** A world with one fake agent in it. */
export async function fakeAcpWorld(
  handlers: FakeHandlers = {},
  tools: Partial<DriverTools> = {},
): Promise<FakeAcpWorld> {
  const dir = await tempDir({ isInMemory: true });
  const world = new FakeAcpWorld(dir, tools);
  const table = Object.entries(handlers).map(
    ([method, handle]) => `${JSON.stringify(method)}: ${sourceOf(handle)}`,
  );
  const source = PROGRAM.replace('/* HANDLERS */', () => table.join(',\n'));
  await writeFile(
    world.program,
    source.replace('/* LOG */', () => JSON.stringify(dir.at('received.jsonl'))),
  );
  await chmod(world.program, 0o755);
  return world;
}

/** All events of an exchange. */
export async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The text of an exchange. */
export function texts(events: readonly AgentEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('');
}

/** A method written as `name() {}` is not an expression on its own. */
function sourceOf(handle: FakeHandler): string {
  const source = handle.toString();
  return /^(async\s+)?(function|\(|\w+\s*=>)/.test(source)
    ? source
    : `({ ${source} })[${JSON.stringify(handle.name)}]`;
}

const PROGRAM = `#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
const NO_ANSWER = 'NO_ANSWER';
const waiting = new Map();
let nextId = 1000;
let onCancel;
const cancelled = new Promise((resolve) => { onCancel = resolve; });
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const update = (update, sessionId = 's1') => send({ method: 'session/update', params: { sessionId, update } });
const agent = {
  NO_ANSWER, raw, send, update,
  say: (text, more) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more }),
  ask: (method, params) => new Promise((resolve) => { nextId += 1; waiting.set(nextId, resolve); send({ id: nextId, method, params }); }),
  cancelled: () => cancelled,
  leaveChild: () => spawn('sleep', ['60'], { detached: true, stdio: 'inherit' }).pid,
  closeOutput: () => { closeSync(1); setInterval(() => {}, 1000); },
  sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }),
};
const handlers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities: {} }, agentInfo: { name: 'fake', version: '1.2.3' } }),
  'session/new': () => ({ sessionId: 's1' }),
  'session/load': () => ({}),
  'session/resume': () => ({}),
  'session/close': () => ({}),
  'session/prompt': () => ({ stopReason: 'end_turn' }),
  /* HANDLERS */
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  appendFileSync(/* LOG */, line + '\\n');
  const message = JSON.parse(line);
  if (message.method === undefined) return waiting.get(message.id)?.(message);
  if (message.method === 'session/cancel') onCancel();
  const handle = handlers[message.method];
  if (message.id === undefined) return handle?.(message.params, agent);
  try {
    if (handle === undefined) throw { code: -32601, message: 'Method not found' };
    const result = await handle(message.params, agent);
    if (result !== NO_ANSWER) send({ id: message.id, result: result ?? null });
  } catch ({ code, message: text, data }) {
    send({ id: message.id, error: { code: code ?? -32603, message: text, data } });
  }
}).on('close', () => handlers.closed?.(undefined, agent));
`;
