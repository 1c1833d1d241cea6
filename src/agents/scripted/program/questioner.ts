import { McpClient } from './mcp-client.js';
import type { McpServers } from './mcp-servers.js';
import type { Tool, ToolOutcome } from './voice.js';

/** Asks questions through the MCP servers that the agent was given; each is started once and kept. */
export class Questioner {
  servers: McpServers;
  readonly #clients = new Map<string, Promise<McpClient>>();

  constructor(servers: McpServers) {
    this.servers = servers;
  }

  /** The server to ask when the script names none. */
  get defaultServer(): string {
    return 'holdfast' in this.servers ? 'holdfast' : (Object.keys(this.servers)[0] ?? 'holdfast');
  }

  async ask(tool: Extract<Tool, { type: 'mcp' }>, signal: AbortSignal): Promise<ToolOutcome> {
    const client = await this.#connect(tool.server);
    const { content = [], isError = false } = await client.callTool(tool.tool, tool.input, signal);
    return { isError, output: content.map(({ text = '' }) => text).join('\n'), exitCode: isError ? 1 : 0 };
  }

  #connect(name: string): Promise<McpClient> {
    const known = this.#clients.get(name) ?? this.#start(name);
    this.#clients.set(name, known);
    return known;
  }

  async #start(name: string): Promise<McpClient> {
    const server = this.servers[name];
    if (server === undefined) throw new Error(`there is no MCP server ${name}`);
    return McpClient.connect(server);
  }
}
