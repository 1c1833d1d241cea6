import { join } from 'node:path';

export const CLIENT_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** The name under which every client knows our MCP server. */
export const SERVER_NAME = 'holdfast';

/** How long a client waits for one tool call: a person may take a day to answer. */
export const TOOL_TIMEOUT_MS = 86_400_000;

/** How long Codex waits for the server to start; its own default is 10 s, short for a cold disk. */
export const STARTUP_TIMEOUT_SEC = 60;

/** How to start `holdfast mcp`. */
export interface McpServerEntry {
  command: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** The directories that decide where a client keeps its settings. */
export interface ClientPlaces {
  home: string;
  /** `XDG_CONFIG_HOME`, or `~/.config`. */
  configHome: string;
  /** Given: the settings of this project instead of the user's. */
  project?: string;
  /** `CLAUDE_CONFIG_DIR`, when set. */
  claudeConfigDir?: string;
  /** `CODEX_HOME`, when set. */
  codexHome?: string;
}

/** What the client's own parser accepts; we refuse what the client could not read either. */
export type SettingsFormat =
  | { kind: 'json'; parentKey: string; comments: boolean; trailingCommas: boolean }
  | { kind: 'toml'; parentKey: string };

/** Our entry in a client's own spelling. `timeout` comes last where it exists. */
export type SettingsValue = Readonly<
  Record<string, string | number | boolean | readonly string[] | Readonly<Record<string, string>>>
>;

/** One agent client and what it needs in its settings. */
export interface AgentClient {
  name: ClientName;
  title: string;
  format: SettingsFormat;
  settingsPath(places: ClientPlaces): string;
  /** Other files the client reads beside `settingsPath`; edit one of these where it alone exists. */
  alsoReads(places: ClientPlaces): readonly string[];
  describe(entry: McpServerEntry): SettingsValue;
  /** One sentence for the person after the settings were changed. */
  note: string;
}

export const CLIENTS: Readonly<Record<ClientName, AgentClient>> = {
  claude: {
    name: 'claude',
    title: 'Claude Code',
    format: { kind: 'json', parentKey: 'mcpServers', comments: false, trailingCommas: false },
    settingsPath: ({ home, project, claudeConfigDir }) =>
      project === undefined ? join(claudeConfigDir ?? home, '.claude.json') : join(project, '.mcp.json'),
    alsoReads: () => [],
    // Over stdio Claude has no limit of its own; the timeout makes that explicit.
    describe: ({ command, args, env }) => ({
      type: 'stdio',
      command,
      args,
      ...environment('env', env),
      timeout: TOOL_TIMEOUT_MS,
    }),
    note: 'Start a new Claude Code session; it asks once before it uses the entry of a project.',
  },
  codex: {
    name: 'codex',
    title: 'Codex',
    format: { kind: 'toml', parentKey: 'mcp_servers' },
    settingsPath: ({ home, project, codexHome }) =>
      project === undefined
        ? join(codexHome ?? join(home, '.codex'), 'config.toml')
        : join(project, '.codex', 'config.toml'),
    alsoReads: () => [],
    describe: ({ command, args, env }) => ({
      command,
      args,
      startup_timeout_sec: STARTUP_TIMEOUT_SEC,
      tool_timeout_sec: TOOL_TIMEOUT_MS / 1000,
      ...environment('env', env),
    }),
    note: 'Start a new Codex session; the entry of a project counts only where Codex trusts the project.',
  },
  gemini: {
    name: 'gemini',
    title: 'Gemini CLI',
    format: { kind: 'json', parentKey: 'mcpServers', comments: true, trailingCommas: false },
    settingsPath: ({ home, project }) => join(project ?? home, '.gemini', 'settings.json'),
    alsoReads: () => [],
    describe: ({ command, args, env }) => ({
      command,
      args,
      ...environment('env', env),
      timeout: TOOL_TIMEOUT_MS,
    }),
    note: 'Restart Gemini CLI.',
  },
  opencode: {
    name: 'opencode',
    title: 'opencode',
    format: { kind: 'json', parentKey: 'mcp', comments: true, trailingCommas: true },
    settingsPath: (places) => join(opencodeDirectory(places), 'opencode.json'),
    alsoReads: (places) => [join(opencodeDirectory(places), 'opencode.jsonc')],
    describe: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...environment('environment', env),
      enabled: true,
      timeout: TOOL_TIMEOUT_MS,
    }),
    note: 'Restart opencode.',
  },
};

function opencodeDirectory({ configHome, project }: ClientPlaces): string {
  return project ?? join(configHome, 'opencode');
}

function environment(key: string, env: McpServerEntry['env']): SettingsValue {
  return env === undefined || Object.keys(env).length === 0 ? {} : { [key]: env };
}
