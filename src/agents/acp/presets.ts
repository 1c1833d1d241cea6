import type { ReadReplies } from '../driver.js';
import type { PermissionMode } from '../permission.js';
import { readGeminiReplies } from './transcripts/gemini.js';
import { readOpencodeReplies } from './transcripts/opencode.js';

/** What is known about one ACP agent beyond the protocol. */
export interface AcpPreset {
  /** The agent's name, for messages. */
  readonly name: string;
  /** The program as it is usually found on PATH; null = the user must name it. */
  readonly command: string | null;
  /** The arguments that make it speak ACP; they follow the user's own. */
  readonly args: readonly string[];
  /** The command-line option for the model; if null, the model is chosen over the protocol. */
  readonly modelArgument: string | null;
  /** Variables it needs to behave; the user's own settings win. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further variables for a permission mode, if the agent has no session modes. */
  readonly modeEnvironment: Readonly<Partial<Record<PermissionMode, Readonly<Record<string, string>>>>>;
  /** Session modes for each permission mode; the first one that the agent offers is used. */
  readonly modes: Readonly<Record<PermissionMode, readonly string[]>>;
  /** Ways to authenticate without a person, each possible if its variable is set. Tried only when the agent asks for one. */
  readonly authentication: readonly { readonly methodId: string; readonly variable: string }[];
  /** The prefixes of MCP tool names; `*` stands for the server. */
  readonly mcpToolPrefixes: readonly string[];
  /** A turn without any progress for this long is ended; null = never. */
  readonly silenceMs: number | null;
  /** Matches lines of its stderr that explain a silence: `at` is the time, `words` what its service said. Null = it logs none. */
  readonly loggedTrouble: RegExp | null;
  /**
   * After this many messages of the model in a row without a tool call, it is going round in circles; null = we do not
   * know how it separates its messages.
   */
  readonly maxMessagesInARow: number | null;
  /** It answers `session/load` before the history has been replayed. */
  readonly replaysAfterLoad: boolean;
  /** After a broken stream it repeats the text of the turn from the beginning, without marking it. */
  readonly repeatsTextAfterBreak: boolean;
  /** It says `max_tokens` when the context is full, not when an answer is too long. */
  readonly maxTokensMeansOverflow: boolean;
  /** Message chunks that do not come from the model. */
  readonly statusText: RegExp | null;
  /** Reads the usage of each reply, which it does not report over the protocol; null = it reports all of it there. */
  readonly readReplies: ReadReplies | null;
  readonly reports: { readonly usage: boolean; readonly contextWindow: boolean; readonly cost: boolean };
}

export type AcpPresetName = 'acp' | 'gemini' | 'opencode' | 'claude-acp' | 'codex-acp';

/** Any agent: we know nothing about it, so we assume only the protocol and the usual names of modes. */
const acp: AcpPreset = {
  name: 'acp',
  command: null,
  args: [],
  modelArgument: null,
  environment: {},
  modeEnvironment: {},
  modes: {
    edits: ['acceptEdits', 'autoEdit', 'workspace-write'],
    ask: ['default', 'ask', 'read-only'],
    bypass: ['bypassPermissions', 'yolo', 'agent-full-access', 'full-access'],
  },
  authentication: [],
  mcpToolPrefixes: ['mcp__*__'],
  silenceMs: null,
  loggedTrouble: null,
  maxMessagesInARow: null,
  replaysAfterLoad: false,
  repeatsTextAfterBreak: false,
  maxTokensMeansOverflow: false,
  statusText: null,
  readReplies: null,
  reports: { usage: true, contextWindow: true, cost: true },
};

/** Anything that changes something or leaves the project; reading and searching need no permission. */
const OPENCODE_ASKS = { edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask', task: 'ask' };

/** The agents we know; everything here was measured unless a comment says otherwise. */
export const ACP_PRESETS: Readonly<Record<AcpPresetName, AcpPreset>> = {
  acp,
  gemini: {
    ...acp,
    name: 'gemini',
    command: 'gemini',
    args: ['--acp'],
    modelArgument: '-m',
    // Without the first it restarts itself and the parent swallows signals; without the second it exits with 55.
    environment: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    // On its own it would edit its settings and the repository unasked. In this mode it asks, and we allow edits of the project.
    modes: { edits: ['default'], ask: ['default'], bypass: ['yolo'] },
    authentication: [{ methodId: 'gemini-api-key', variable: 'GEMINI_API_KEY' }],
    mcpToolPrefixes: ['mcp_*_'],
    replaysAfterLoad: true,
    repeatsTextAfterBreak: true,
    // From its source: `max_tokens` comes only from its own check that the context is about to overflow.
    maxTokensMeansOverflow: true,
    // From its source: it also reports every change of mode as a message of the model.
    statusText: /^\[MODE_UPDATE\] \w+$/,
    readReplies: readGeminiReplies,
    reports: { usage: true, contextWindow: false, cost: false },
  },
  opencode: {
    ...acp,
    name: 'opencode',
    command: 'opencode',
    // When its service turns it away it says so only in its log, never over the protocol, however long it waits.
    args: ['acp', '--print-logs', '--log-level', 'ERROR'],
    modes: { edits: [], ask: [], bypass: [] },
    // It allows everything unless told otherwise, and has no modes for telling it.
    modeEnvironment: {
      edits: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: OPENCODE_ASKS }) },
      ask: { OPENCODE_CONFIG_CONTENT: '{"permission":"ask"}' },
    },
    mcpToolPrefixes: ['*_'],
    // It retries silently for up to 80 s, and a model may be silent for 100 s.
    silenceMs: 150_000,
    loggedTrouble: /^timestamp=(?<at>\S+) level=ERROR .*?error\.error="(?:\w+: )?(?<words>[^"]+)"/gm,
    // It answers a context overflow with a summary, as a message, and tries again, forever. In any other case a message
    // without a tool call is the last one.
    maxMessagesInARow: 10,
    repeatsTextAfterBreak: true,
    readReplies: readOpencodeReplies,
  },
  'claude-acp': {
    ...acp,
    name: 'claude-acp',
    command: 'claude-agent-acp',
    modes: { edits: ['acceptEdits'], ask: ['default'], bypass: ['bypassPermissions', 'default'] },
  },
  'codex-acp': {
    ...acp,
    name: 'codex-acp',
    command: 'codex-acp',
    // In its own default mode, `agent`, a second model decides about permissions. The last name in each list is that of
    // Zed's adapter.
    modes: {
      edits: ['workspace-write', 'auto'],
      ask: ['read-only'],
      bypass: ['agent-full-access', 'full-access'],
    },
    authentication: [
      { methodId: 'codex-api-key', variable: 'CODEX_API_KEY' },
      { methodId: 'openai-api-key', variable: 'OPENAI_API_KEY' },
    ],
    // From its source, like the names of the ways to authenticate.
    mcpToolPrefixes: ['mcp.*.'],
    reports: { usage: true, contextWindow: true, cost: false },
  },
};
