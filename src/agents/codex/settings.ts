import type { McpServerSpec, StartOptions } from '../driver.js';
import type { PermissionMode } from '../permission.js';
import type { ReadConfig } from './schema.js';

type Json = Readonly<Record<string, unknown>>;

/** How long one call of an MCP tool may take: a person may think for a day. */
const TOOL_TIMEOUT_SEC = 86_400;

/**
 * How a thread is opened, new or known. The sandbox named here is the strictest one whatever the mode: a thread that is
 * opened with one in which it may write, by this or by the user's settings, makes Codex trust the project for good.
 * What the mode allows is said with each turn instead (see `turnPolicy`), and that trusts nothing.
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
    // What a reply used is told at once, and so is what Codex refuses without asking anybody.
    ...(resume === undefined ? { experimentalRawEvents: true } : {}),
  };
}

/**
 * What a turn may do. `edits`: in its sandbox what it likes, and for what goes beyond it is asked. `ask`: it asks for
 * every command that is not known to only read, and for every change of a file. `bypass`: no sandbox; it is asked for
 * what Codex itself thinks dangerous, and we say yes, because what nobody may ask about is refused without a word.
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
  // What a person has allowed is to be done: in a sandbox it would fail.
  ask: () => ({ approvalPolicy: 'untrusted', sandboxPolicy: { type: 'dangerFullAccess' } }),
  bypass: () => ({ approvalPolicy: 'on-request', sandboxPolicy: { type: 'dangerFullAccess' } }),
};

/** Key by key, so that servers of the user's own stay. */
function serverSettings({ name, command, args, environment }: McpServerSpec): [string, unknown][] {
  const key = `mcp_servers.${serverName(name)}`;
  return [
    [`${key}.command`, command],
    [`${key}.args`, [...args]],
    ...(Object.keys(environment).length === 0
      ? []
      : [[`${key}.env`, { ...environment }] as [string, unknown]]),
    [`${key}.tool_timeout_sec`, TOOL_TIMEOUT_SEC],
    // Whoever gave it the server wants it to be used.
    [`${key}.default_tools_approval_mode`, 'approve'],
  ];
}

/** Codex splits the key at every dot and allows nothing else in the name of a server. */
export function serverName(name: string): string {
  return name.replaceAll(/[^\w-]/g, '_');
}
