import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { HOLDFAST, type Json, type Machine } from './holdfast-binary.js';

/** The two protocols of clients: with a handshake (2025), and without one (2026-07-28). */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const NEGOTIATION: Readonly<Record<Era | 'auto', NonNullable<ClientOptions['versionNegotiation']>>> = {
  legacy: { mode: 'legacy' },
  modern: { mode: { pin: '2026-07-28' } },
  auto: { mode: 'auto' },
};

/** The result of a tool call. */
export interface ToolReply {
  readonly isError: boolean;
  readonly text: string;
  /** The structured content: the first session, and all of them. */
  readonly session: Json;
  readonly sessions: Json[];
}

/** An agent: the official client connected to a real `holdfast mcp`. */
export interface Agent extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  /** Resolves when the server is gone. */
  readonly closed: Promise<void>;
  stderr(): string;
  ask(parameters: Record<string, unknown>, options?: CallOptions): Promise<ToolReply>;
  fetch(parameters?: Record<string, unknown>, options?: CallOptions): Promise<ToolReply>;
  call(name: string, parameters: Record<string, unknown>, options?: CallOptions): Promise<ToolReply>;
  kill(signal: NodeJS.Signals): void;
}

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>;

export interface AgentOptions {
  readonly era?: Era | 'auto';
  readonly name?: string;
  readonly version?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export async function connectAgent(machine: Machine, options: AgentOptions = {}): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [HOLDFAST, 'mcp'],
    env: { ...machine.env, ...options.env },
    cwd: options.cwd ?? machine.project,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const client = new Client(
    { name: options.name ?? 'claude-code', version: options.version ?? '2.0.0' },
    { versionNegotiation: NEGOTIATION[options.era ?? 'legacy'] },
  );
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => resolve();
  });
  await client.connect(transport);
  const pid = transport.pid;
  if (pid === null) throw new Error('the server did not start');
  const call: Agent['call'] = async (name, parameters, callOptions) => {
    const result = await client.callTool({ name, arguments: parameters }, callOptions);
    return toReply(result);
  };
  return {
    client,
    pid,
    closed,
    stderr: () => stderr,
    call,
    ask: (parameters, callOptions) => call('ask_user_questions', parameters, callOptions),
    fetch: (parameters = {}, callOptions) => call('get_answered_questions', parameters, callOptions),
    kill: (signal) => void process.kill(pid, signal),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function toReply(result: Awaited<ReturnType<Client['callTool']>>): ToolReply {
  const content = result.content as { type: string; text?: string }[];
  const sessions = (result.structuredContent as { sessions?: Json[] } | undefined)?.sessions ?? [];
  return {
    isError: result.isError === true,
    text: content.map((item) => item.text ?? '').join('\n'),
    session: sessions[0],
    sessions,
  };
}
