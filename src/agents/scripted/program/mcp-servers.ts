import { readFileSync } from 'node:fs';

/** A stdio MCP server to start. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type McpServers = Readonly<Record<string, McpServer>>;

/** `--mcp-config`: JSON, or the path of a file that contains it. */
export function readClaudeServers(configs: readonly string[]): McpServers {
  const servers: Record<string, McpServer> = {};
  for (const config of configs) {
    const text = config.trimStart().startsWith('{') ? config : readFileSync(config, 'utf8');
    const { mcpServers = {} } = JSON.parse(text) as { mcpServers?: Record<string, Partial<McpServer>> };
    for (const [name, server] of Object.entries(mcpServers)) servers[name] = complete(server);
  }
  return servers;
}

/** `mcp_servers.NAME.key` with its value: the form of a thread's settings. */
export function readCodexServers(settings: Readonly<Record<string, unknown>>): McpServers {
  const servers: Record<string, Partial<McpServer>> = {};
  for (const [setting, value] of Object.entries(settings)) {
    const [, name, key] = /^mcp_servers\.([\w-]+)\.(\w+)$/.exec(setting) ?? [];
    if (name !== undefined && key !== undefined) servers[name] = { ...servers[name], [key]: value };
  }
  return Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, complete(server)]));
}

function complete({ command = '', args = [], env = {} }: Partial<McpServer>): McpServer {
  return { command, args, env };
}
