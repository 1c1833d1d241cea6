import type { McpServerSpec, StartOptions } from '../driver.js';
import type { PermissionMode } from '../permission.js';
import type { ReadConfig } from './schema.js';

type Json = Readonly<Record<string, unknown>>;

/** How long one call of an MCP tool may take: a person may think for a day. */
const TOOL_TIMEOUT_SEC = 86_400;

/**
 * How a thread is opened, new or known. This always names the strictest sandbox, whatever the mode: if a thread is opened
 * with a sandbox that allows writing, by us or by the user's settings, Codex trusts the project for good. Each turn says
 * what its mode allows instead (see `turnPolicy`), and that trusts nothing.
 */
export function threadParams({
  workingDirectory,
  model,
  systemPrompt,
  mcpServers,
  resume,
}: StartOptions): Json {
  return {
    ...(resume === undefined ? {} : { threadId: resume.id, excludeTurns: true }),
    cwd: workingDirectory,
    sandbox: 'read-only',
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === undefined ? {} : { developerInstructions: systemPrompt }),
    config: Object.fromEntries(mcpServers.flatMap(serverSettings)),
    // Reports the usage of each reply at once, and also what Codex refuses without asking anybody.
    ...(resume === undefined ? { experimentalRawEvents: true } : {}),
  };
}

/**
 * What a turn may do. `edits`: anything inside its sandbox; it asks about the rest. `ask`: it asks about every command
 * that is not known to be read-only, and about every change of a file. `bypass`: no sandbox; it asks about what Codex
 * itself considers dangerous, and we say yes, because Codex silently refuses what it may not ask about.
 */
export function turnPolicy(mode: PermissionMode, { config }: ReadConfig): Json {
  return { ...POLICIES[mode](config), approvalsReviewer: 'user' };
}

type Config = ReadConfig['config'];

const POLICIES: Readonly<Record<PermissionMode, (config: Config) => Json>> = {
  edits: ({ sandbox_workspace_write: own }) => ({
    approvalPolicy: 'on-request',
    sandboxPolicy: {
      type: 'workspaceWrite',
      writableRoots: own?.writable_roots ?? [],
      networkAccess: own?.network_access ?? false,
      excludeTmpdirEnvVar: own?.exclude_tmpdir_env_var ?? false,
      excludeSlashTmp: own?.exclude_slash_tmp ?? false,
    },
  }),
  // What a person has allowed must happen: in a sandbox it would fail.
  ask: () => ({ approvalPolicy: 'untrusted', sandboxPolicy: { type: 'dangerFullAccess' } }),
  bypass: () => ({ approvalPolicy: 'on-request', sandboxPolicy: { type: 'dangerFullAccess' } }),
};

/** Key by key, so that the user's own servers stay. */
function serverSettings({ name, command, args, environment }: McpServerSpec): [string, unknown][] {
  const key = `mcp_servers.${serverName(name)}`;
  return [
    [`${key}.command`, command],
    [`${key}.args`, [...args]],
    ...(Object.keys(environment).length === 0
      ? []
      : [[`${key}.env`, { ...environment }] as [string, unknown]]),
    [`${key}.tool_timeout_sec`, TOOL_TIMEOUT_SEC],
    // Whoever gave the agent the server wants it to be used.
    [`${key}.default_tools_approval_mode`, 'approve'],
  ];
}

/** Codex splits the key at every dot, and allows nothing else in a server name. */
export function serverName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_');
}
