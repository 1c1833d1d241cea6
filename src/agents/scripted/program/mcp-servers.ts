import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

/** A stdio MCP server to start. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export type McpServers = Readonly<Record<string, McpServer>>;

/** `--mcp-config`: JSON, or the path of a file that holds it. */
export function readClaudeServers(configs: readonly string[]): McpServers {
  const servers: Record<string, McpServer> = {};
  for (const config of configs) {
    const text = config.trimStart().startsWith('{') ? config : readFileSync(config, 'utf8');
    const { mcpServers = {} } = JSON.parse(text) as { mcpServers?: Record<string, Partial<McpServer>> };
    for (const [name, server] of Object.entries(mcpServers)) servers[name] = complete(server);
  }
  return servers;
}

/** `-c mcp_servers.NAME.key=value`, each a TOML statement. */
export function readCodexServers(settings: readonly string[]): McpServers {
  const text = settings.filter((setting) => setting.startsWith('mcp_servers.')).join('\n');
  const { mcp_servers: found = {} } = parse(text) as { mcp_servers?: Record<string, Partial<McpServer>> };
  return Object.fromEntries(Object.entries(found).map(([name, server]) => [name, complete(server)]));
}

function complete({ command = '', args = [], env = {} }: Partial<McpServer>): McpServer {
  return { command, args, env };
}
