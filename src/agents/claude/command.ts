import type { McpServerSpec, StartOptions } from '../driver.js';
import type { PermissionMode } from '../permission.js';
import { GUARDED } from '../places.js';

/** How long one call of an MCP tool may take: a person may think for a day. */
const TOOL_TIMEOUT_MS = 86_400_000;

const PERMISSION_ARGUMENTS: Readonly<Record<PermissionMode, readonly string[]>> = {
  edits: ['--permission-mode', 'acceptEdits'],
  ask: ['--permission-mode', 'default'],
  // As root the agent refuses this unless IS_SANDBOX=1 is in the environment; setting that is up to the user.
  bypass: ['--dangerously-skip-permissions'],
};

/** The arguments of a live process. A resumed conversation keeps its id. */
export function claudeArguments(options: StartOptions, sessionId: string): string[] {
  return [
    ...options.args,
    '-p',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
    ...['--verbose', '--include-partial-messages'],
    ...(options.resume === undefined ? ['--session-id', sessionId] : ['--resume', sessionId]),
    ...['--permission-prompt-tool', 'stdio'],
    ...PERMISSION_ARGUMENTS[options.permissions.mode],
    ...guardingArguments(options),
    ...(options.model === undefined ? [] : ['--model', options.model]),
    ...(options.systemPrompt === undefined ? [] : ['--append-system-prompt', options.systemPrompt]),
    ...mcpArguments(options.mcpServers),
  ];
}

/**
 * With `acceptEdits` it edits its directory without asking. These settings make it ask about guarded files, and we
 * decide. It takes only one `--settings`: if the user passes one, only what Claude itself guards is guarded.
 */
function guardingArguments({ args, permissions }: StartOptions): string[] {
  const hasOwn = args.some((word) => word === '--settings' || word.startsWith('--settings='));
  if (permissions.mode !== 'edits' || hasOwn) return [];
  const ask = [...GUARDED].flatMap((name) => [`Edit(**/${name})`, `Edit(**/${name}/**)`]);
  return ['--settings', JSON.stringify({ permissions: { ask } })];
}

/** `--mcp-config` takes every argument up to the next option, so an option must follow it. */
function mcpArguments(servers: readonly McpServerSpec[]): string[] {
  if (servers.length === 0) return [];
  const entries = servers.map(({ name, command, args, environment }) => [
    name,
    { type: 'stdio', command, args, env: environment, timeout: TOOL_TIMEOUT_MS },
  ]);
  return ['--mcp-config', JSON.stringify({ mcpServers: Object.fromEntries(entries) }), '--strict-mcp-config'];
}

/** Whether a tool belongs to a server that we gave to the agent. */
export function isOfGivenServer(toolName: string, servers: readonly McpServerSpec[]): boolean {
  return servers.some(({ name }) => toolName.startsWith(`mcp__${name.replaceAll(/[^\w-]/g, '_')}__`));
}
