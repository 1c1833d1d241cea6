import type { Client } from '@modelcontextprotocol/client';
import type { McpServers } from './mcp-servers.js';
import type { Tool, ToolOutcome } from './voice.js';

/** A person takes longer than any usual limit. */
const CALL_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** Asks questions through the MCP servers that the agent was given; each is started once and kept. */
export class Questioner {
  servers: McpServers;
  readonly #clients = new Map<string, Promise<Client>>();

  constructor(servers: McpServers) {
    this.servers = servers;
  }

  /** The server to ask when the script names none. */
  get defaultServer(): string {
    return 'holdfast' in this.servers ? 'holdfast' : (Object.keys(this.servers)[0] ?? 'holdfast');
  }

  async ask(tool: Extract<Tool, { type: 'mcp' }>, signal: AbortSignal): Promise<ToolOutcome> {
    const client = await this.#connect(tool.server);
    const result = await client.callTool(
      { name: tool.tool, arguments: tool.input },
      { signal, timeout: CALL_TIMEOUT_MS },
    );
    const content = result.content as { type: string; text?: string }[];
    const isError = result.isError === true;
    return { isError, output: content.map(({ text = '' }) => text).join('\n'), exitCode: isError ? 1 : 0 };
  }

  #connect(name: string): Promise<Client> {
    const known = this.#clients.get(name) ?? this.#start(name);
    this.#clients.set(name, known);
    return known;
  }

  async #start(name: string): Promise<Client> {
    const server = this.servers[name];
    if (server === undefined) throw new Error(`there is no MCP server ${name}`);
    // Loaded when a question is asked: most plays have none, and start faster without.
    const [{ Client: McpClient }, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    const client = new McpClient(
      { name: 'holdfast-scripted', version: '1.0.0' },
      { versionNegotiation: { mode: 'legacy' } },
    );
    await client.connect(
      new StdioClientTransport({
        command: server.command,
        args: [...server.args],
        env: { ...inherited(), ...server.env },
        stderr: 'ignore',
      }),
    );
    return client;
  }
}

/** Servers get our whole environment, and with it the marker of who supervises us. */
function inherited(): Record<string, string> {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
