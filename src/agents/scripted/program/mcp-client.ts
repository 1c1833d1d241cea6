import type { ChildProcess } from 'node:child_process';
import { children } from './children.js';
import { readLines } from './input.js';
import type { McpServer } from './mcp-servers.js';

const PROTOCOL_VERSION = '2025-11-25';
const METHOD_NOT_FOUND = -32601;

/** What a tool returned, as far as an agent reads it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A client for one MCP server on stdio that can call its tools and nothing more. It is small because this program loads
 * it at every start; our tests run the official client against the same servers.
 */
export class McpClient {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number | string, Call>();
  #lastId = 0;
  #end: Error | null = null;

  private constructor(child: ChildProcess) {
    this.#child = child;
    // The end of its output shows that a server is gone.
    child.stdin?.on('error', () => undefined);
    child.once('error', (error) => this.#close(error));
    if (child.stdout !== null)
      readLines(
        child.stdout,
        (line) => this.#hear(line),
        () => this.#close(new Error('the MCP server closed the connection')),
      );
  }

  /** Starts a server and shakes hands with it. It inherits our whole environment, including who supervises us. */
  static async connect(server: McpServer): Promise<McpClient> {
    const child = children().spawn(server.command, [...server.args], {
      env: { ...process.env, ...server.env },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const client = new McpClient(child);
    await client.#request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      capabilities: {},
      clientInfo: { name: 'holdfast-scripted', version: '1.0.0' },
    });
    client.#send({ method: 'notifications/initialized' });
    return client;
  }

  /** Waits as long as it takes: there is a person at the other end. */
  async callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
    return (await this.#request('tools/call', { name, arguments: input }, signal)) as ToolResult;
  }

  #request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#end !== null) {
        reject(this.#end);
        return;
      }
      const onAbort = () => {
        this.#calls.delete(id);
        this.#send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'cancelled' } });
        reject(new Error('cancelled'));
      };
      const settled = () => signal?.removeEventListener('abort', onAbort);
      this.#calls.set(id, {
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      this.#send({ id, method, params });
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  #hear(line: string): void {
    const { id, method, result, error } = messageIn(line);
    if (id === undefined) return;
    if (method !== undefined) {
      this.#reply(id, method);
      return;
    }
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error.message ?? 'the MCP server refused'));
  }

  /** Answers a server's ping; we offer it nothing else. */
  #reply(id: number | string, method: string): void {
    if (method === 'ping') this.#send({ id, result: {} });
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `there is no ${method} here` } });
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #close(reason: Error): void {
    this.#end ??= reason;
    for (const { reject } of this.#calls.values()) reject(this.#end);
    this.#calls.clear();
  }
}

/** Anything that is not a message is skipped, as other clients do. */
function messageIn(line: string): Message {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
