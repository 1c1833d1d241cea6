import { join } from 'node:path';

export const CLIENT_NAMES = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** The name by which every client knows our MCP server. */
export const SERVER_NAME = 'holdfast';

/** The tools of our server. `setup` allows these by their full names, never the whole server. */
export const TOOL_NAMES = ['ask_user_questions', 'get_answered_questions'] as const;

/** How long a client waits for one tool call: a person may take a day to answer. */
const TOOL_TIMEOUT_MS = 86_400_000;

/** How long Codex waits for the server to start; its own default is 10 s, short for a cold disk. */
const STARTUP_TIMEOUT_SEC = 60;

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
  /** If given, the settings of this project are used instead of the user's. */
  project?: string;
  /** `CLAUDE_CONFIG_DIR`, if set. */
  claudeConfigDir?: string;
  /** `CODEX_HOME`, if set. */
  codexHome?: string;
}

/** What the client's own parser accepts; we refuse what the client could not read either. */
export type SettingsFormat =
  | { kind: 'json'; parentKey: string; comments: boolean; trailingCommas: boolean }
  | { kind: 'toml'; parentKey: string };

/** Our entry in a client's own format. `timeout` comes last if the client has one. */
export type SettingsValue = Readonly<
  Record<
    string,
    | string
    | number
    | boolean
    | readonly string[]
    | Readonly<Record<string, string | Readonly<Record<string, string>>>>
  >
>;

/** What lets a client use our tools without asking, if its entry cannot say so. */
export type Allowance =
  /** Words in a list two keys deep. */
  | { kind: 'items'; path: string; keys: readonly [string, string]; items: readonly string[] }
  /** Settings by name, in an object of the file that holds the entry or of another file. */
  | { kind: 'members'; path: string; key: string; members: Readonly<Record<string, string>> }
  /** Lines in a file of rules. */
  | { kind: 'block'; path: string; block: string };

/** An agent client and what it needs in its settings. */
export interface AgentClient {
  name: ClientName;
  title: string;
  format: SettingsFormat;
  settingsPath(places: ClientPlaces): string;
  /** Other files that the client reads besides `settingsPath`; the one to edit if only that exists. */
  alsoReads(places: ClientPlaces): readonly string[];
  describe(entry: McpServerEntry): SettingsValue;
  /** Undefined if the entry itself allows the tools, or if nothing that the client reads there can. */
  allowance(places: ClientPlaces): Allowance | undefined;
  /** The client's names for our tools in its permissions. */
  toolNames: readonly string[];
  /** What the person has to do after the settings have changed. */
  note(places: Pick<ClientPlaces, 'project'>): string;
}

const CLAUDE_TOOLS = TOOL_NAMES.map((tool) => `mcp__${SERVER_NAME}__${tool}`);
const OPENCODE_TOOLS = TOOL_NAMES.map((tool) => `${SERVER_NAME}_${tool}`);
const GEMINI_RULES = TOOL_NAMES.map(
  (tool) =>
    `[[rule]]\nmcpName = "${SERVER_NAME}"\ntoolName = "${tool}"\ndecision = "allow"\npriority = 100\n`,
).join('\n');

export const CLIENTS: Readonly<Record<ClientName, AgentClient>> = {
  claude: {
    name: 'claude',
    title: 'Claude Code',
    format: { kind: 'json', parentKey: 'mcpServers', comments: false, trailingCommas: false },
    settingsPath: ({ home, project, claudeConfigDir }) =>
      project === undefined ? join(claudeConfigDir ?? home, '.claude.json') : join(project, '.mcp.json'),
    alsoReads: () => [],
    // Claude has no limit of its own over stdio; the timeout makes that explicit.
    describe: ({ command, args, env }) => ({
      type: 'stdio',
      command,
      args,
      ...environment('env', env),
      timeout: TOOL_TIMEOUT_MS,
    }),
    toolNames: CLAUDE_TOOLS,
    allowance: ({ home, project, claudeConfigDir }) => ({
      kind: 'items',
      path: join(
        project === undefined ? (claudeConfigDir ?? join(home, '.claude')) : join(project, '.claude'),
        'settings.json',
      ),
      keys: ['permissions', 'allow'],
      items: CLAUDE_TOOLS,
    }),
    note: ({ project }) =>
      project === undefined
        ? 'Start a new Claude Code session.'
        : 'Start a new Claude Code session; it asks once before it uses an entry from a project.',
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
      tools: Object.fromEntries(TOOL_NAMES.map((tool) => [tool, { approval_mode: 'approve' }])),
    }),
    toolNames: TOOL_NAMES,
    allowance: () => undefined,
    note: ({ project }) =>
      project === undefined
        ? 'Start a new Codex session.'
        : 'Start a new Codex session; an entry from a project counts only if Codex trusts the project.',
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
    toolNames: TOOL_NAMES,
    // So far no Gemini CLI reads rules from a project; `trust` in the entry would allow the whole server.
    allowance: ({ home, project }) =>
      project === undefined
        ? { kind: 'block', path: join(home, '.gemini', 'policies', 'holdfast.toml'), block: GEMINI_RULES }
        : undefined,
    note: ({ project }) =>
      project === undefined
        ? 'Restart Gemini CLI.'
        : 'Restart Gemini CLI. It has no permissions per project: it asks before it uses the tools, unless `holdfast setup gemini --write` allows them for you everywhere.',
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
    toolNames: OPENCODE_TOOLS,
    allowance: (places) => ({
      kind: 'members',
      path: join(opencodeDirectory(places), 'opencode.json'),
      key: 'permission',
      members: Object.fromEntries(OPENCODE_TOOLS.map((tool) => [tool, 'allow'])),
    }),
    note: () => 'Restart opencode.',
  },
};

function opencodeDirectory({ configHome, project }: ClientPlaces): string {
  return project ?? join(configHome, 'opencode');
}

function environment(key: string, env: McpServerEntry['env']): SettingsValue {
  return env === undefined || Object.keys(env).length === 0 ? {} : { [key]: env };
}
