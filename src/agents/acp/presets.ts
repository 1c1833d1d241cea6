import type { ReadReplies } from '../driver.js';
import type { PermissionMode } from '../permission.js';
import { readGeminiReplies } from './transcripts/gemini.js';
import { readOpencodeReplies } from './transcripts/opencode.js';

/** What is known about one ACP agent beyond the protocol. */
export interface AcpPreset {
  /** The agent's name, for messages. */
  readonly name: string;
  /** The program as it is usually found on PATH; null = the user says. */
  readonly command: string | null;
  /** What makes it speak ACP, behind the user's own arguments. */
  readonly args: readonly string[];
  /** The option that names the model on the command line; else the model is chosen over the protocol. */
  readonly modelArgument: string | null;
  /** What it needs to behave; the user's own settings win. */
  readonly environment: Readonly<Record<string, string>>;
  /** More of it for a permission mode, where the agent has no session modes. */
  readonly modeEnvironment: Readonly<Partial<Record<PermissionMode, Readonly<Record<string, string>>>>>;
  /** Session modes by permission mode; the first that the agent offers is taken. */
  readonly modes: Readonly<Record<PermissionMode, readonly string[]>>;
  /** Ways to authenticate that need no person, each possible when the variable is set. Tried only when asked for. */
  readonly authentication: readonly { readonly methodId: string; readonly variable: string }[];
  /** How the names of MCP tools begin; `*` is the server. */
  readonly mcpToolPrefixes: readonly string[];
  /** A turn in which nothing happens for so long is ended; null = it may think for ever. */
  readonly silenceMs: number | null;
  /**
   * Lines of its stderr that tell why it is silent: `at` is when, `words` what its service said. Null = it has none.
   */
  readonly loggedTrouble: RegExp | null;
  /**
   * So many messages of the model, one after the other without a tool call, mean that it goes round in circles; null =
   * nothing is known about how its messages are separated.
   */
  readonly maxMessagesInARow: number | null;
  /** `session/load` is answered before the history has been replayed. */
  readonly replaysAfterLoad: boolean;
  /** After a broken stream the text of the turn comes again from its beginning, without a mark. */
  readonly repeatsTextAfterBreak: boolean;
  /** It says `max_tokens` when the context is full, not when an answer is too long. */
  readonly maxTokensMeansOverflow: boolean;
  /** Message chunks that are not the model's. */
  readonly statusText: RegExp | null;
  /** Where it keeps what each reply used, which it does not tell over the protocol; null = what it tells is all of it. */
  readonly readReplies: ReadReplies | null;
  readonly reports: { readonly usage: boolean; readonly contextWindow: boolean; readonly cost: boolean };
}

export type AcpPresetName = 'acp' | 'gemini' | 'opencode' | 'claude-acp' | 'codex-acp';

/** Any agent: nothing is known, so nothing is assumed but the protocol and the usual names of modes. */
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

/** What changes something or leaves the project; it reads and searches without asking. */
const OPENCODE_ASKS = { edit: 'ask', bash: 'ask', webfetch: 'ask', external_directory: 'ask', task: 'ask' };

/** The agents we know; everything here was measured unless it says otherwise. */
export const ACP_PRESETS: Readonly<Record<AcpPresetName, AcpPreset>> = {
  acp,
  gemini: {
    ...acp,
    name: 'gemini',
    command: 'gemini',
    args: ['--acp'],
    modelArgument: '-m',
    // Without the first it starts itself again and the parent swallows signals; without the second it exits with 55.
    environment: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    // It would edit its own settings and the repository without a word: it asks, and what is an edit of the project is allowed.
    modes: { edits: ['default'], ask: ['default'], bypass: ['yolo'] },
    authentication: [{ methodId: 'gemini-api-key', variable: 'GEMINI_API_KEY' }],
    mcpToolPrefixes: ['mcp_*_'],
    replaysAfterLoad: true,
    repeatsTextAfterBreak: true,
    // By its code: max_tokens comes only from its own check that the context will overflow.
    maxTokensMeansOverflow: true,
    // By its code: every change of the mode is also told as a message of the model.
    statusText: /^\[MODE_UPDATE\] \w+$/,
    readReplies: readGeminiReplies,
    reports: { usage: true, contextWindow: false, cost: false },
  },
  opencode: {
    ...acp,
    name: 'opencode',
    command: 'opencode',
    // Over the protocol it says nothing of a service that turns it away, however long it waits; its log does.
    args: ['acp', '--print-logs', '--log-level', 'ERROR'],
    modes: { edits: [], ask: [], bypass: [] },
    // It allows everything unless told otherwise, and has no modes to say so.
    modeEnvironment: {
      edits: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission: OPENCODE_ASKS }) },
      ask: { OPENCODE_CONFIG_CONTENT: '{"permission":"ask"}' },
    },
    mcpToolPrefixes: ['*_'],
    // It retries silently for up to 80 s, and a model may be silent for 100 s.
    silenceMs: 150_000,
    loggedTrouble: /^timestamp=(?<at>\S+) level=ERROR .*?error\.error="(?:\w+: )?(?<words>[^"]+)"/gm,
    // A context overflow it meets with a summary, as a message, and tries again, for ever. Otherwise a message without a
    // tool call is the last one.
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
    // In its own default, `agent`, a second model decides about permissions. The last of each are Zed's adapter's.
    modes: {
      edits: ['workspace-write', 'auto'],
      ask: ['read-only'],
      bypass: ['agent-full-access', 'full-access'],
    },
    authentication: [
      { methodId: 'codex-api-key', variable: 'CODEX_API_KEY' },
      { methodId: 'openai-api-key', variable: 'OPENAI_API_KEY' },
    ],
    // By its code, as are the names of the ways to authenticate.
    mcpToolPrefixes: ['mcp.*.'],
    reports: { usage: true, contextWindow: true, cost: false },
  },
};
