import type { McpServerSpec } from '../driver.js';
import type { AcpPreset } from './presets.js';
import type { ToolCallFields } from './schema.js';
import { claudeToolName } from './tool-calls.js';

/**
 * Whether a call uses an MCP server that we gave to the agent. The protocol does not say, so we go by the tool's name. A
 * title counts only if it cannot be a command that the model wrote.
 */
export function isOfGivenServer(
  fields: ToolCallFields,
  servers: readonly McpServerSpec[],
  { mcpToolPrefixes }: Pick<AcpPreset, 'mcpToolPrefixes'>,
): boolean {
  const isMcpCall = fields._meta?.is_mcp_tool_call === true; // codex-acp
  const title = fields.kind === 'execute' && !isMcpCall ? undefined : fields.title;
  const names = [fields.name, claudeToolName(fields), title].filter((name) => name !== undefined);
  return servers.some(({ name: server }) => {
    const prefixes = mcpToolPrefixes.map((prefix) => prefix.replace('*', server.replaceAll(/[^\w-]/g, '_')));
    return (
      names.some((name) => WORD.test(name) && prefixes.some((prefix) => name.startsWith(prefix))) ||
      title?.replace(FIRST_WORD, '') === ` (${server} MCP Server)` // Gemini
    );
  });
}

const WORD = /^[\w.-]+$/;
const FIRST_WORD = /^[\w.-]+/;
