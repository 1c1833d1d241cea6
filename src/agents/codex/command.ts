import type { McpServerSpec, StartOptions } from '../driver.js';
import type { PermissionMode } from '../permission.js';

/** How long one call of an MCP tool may take: a person may think for a day. */
const TOOL_TIMEOUT_SEC = 86_400;
/** Linux takes 128 kB in one argument; what is longer goes through the input. */
const MAX_PROMPT_ARGUMENT_BYTES = 100_000;

/**
 * `exec resume` does not know `--sandbox`, so the sandbox is set as configuration, which both take. Nobody can be
 * asked over `exec`, so `ask` is as careful as `edits`.
 */
const EDITS = ['-c', 'sandbox_mode="workspace-write"', '-c', 'approval_policy="never"'];
const PERMISSION_ARGUMENTS: Readonly<Record<PermissionMode, readonly string[]>> = {
  edits: EDITS,
  ask: EDITS,
  bypass: ['--dangerously-bypass-approvals-and-sandbox'],
};

export interface CodexCommand {
  readonly args: readonly string[];
  /** What to write to the input before it is closed; undefined = it is closed from the start. */
  readonly input: string | undefined;
}

/** The arguments for one prompt, in a new thread or a known one. */
export function codexCommand(options: StartOptions, threadId: string | null, prompt: string): CodexCommand {
  const isInput = mustBeInput(prompt);
  const args = [
    ...options.args,
    ...(threadId === null ? ['exec'] : ['exec', 'resume']),
    ...['--json', '--skip-git-repo-check'],
    ...(options.model === undefined ? [] : ['-m', options.model]),
    ...PERMISSION_ARGUMENTS[options.permissions.mode],
    ...configArguments(options),
    ...(threadId === null ? [] : [threadId]),
    // Behind `--` nothing is an option; `-` alone still means the input.
    ...['--', isInput ? '-' : prompt],
  ];
  return { args, input: isInput ? prompt : undefined };
}

/** No argument can hold a NUL. */
function mustBeInput(prompt: string): boolean {
  return prompt === '-' || prompt.includes('\0') || Buffer.byteLength(prompt) > MAX_PROMPT_ARGUMENT_BYTES;
}

function configArguments({ systemPrompt, mcpServers }: StartOptions): string[] {
  const settings = [
    ...(systemPrompt === undefined ? [] : [`developer_instructions=${tomlString(systemPrompt)}`]),
    ...mcpServers.flatMap(serverSettings),
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

function serverSettings({ name, command, args, environment }: McpServerSpec): string[] {
  // Codex splits the key at every dot and allows nothing else in the name of a server.
  const key = `mcp_servers.${name.replaceAll(/[^\w-]/g, '_')}`;
  const variables = Object.entries(environment).map(
    ([variable, value]) => `${tomlString(variable)}=${tomlString(value)}`,
  );
  return [
    `${key}.command=${tomlString(command)}`,
    `${key}.args=[${args.map(tomlString).join(',')}]`,
    ...(variables.length === 0 ? [] : [`${key}.env={${variables.join(',')}}`]),
    `${key}.tool_timeout_sec=${TOOL_TIMEOUT_SEC}`,
    // Without it `exec` cancels every call of a tool that does not call itself read-only.
    `${key}.default_tools_approval_mode="approve"`,
  ];
}

/** A basic string of TOML: as in JSON, but DEL must be escaped and half a surrogate pair cannot be. */
export function tomlString(text: string): string {
  return JSON.stringify(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll('\u007f', '\\u007f');
}
