import type { AgentDriver } from './driver.js';
import { AgentUnknownError } from './errors.js';
import type { LineOptions } from './line/index.js';

export type DriverName = 'claude' | 'codex' | 'acp' | 'line';
/** ACP agents that we have presets for. */
export const PRESET_NAMES = ['gemini', 'opencode', 'claude-acp', 'codex-acp'] as const;
export type AcpPresetName = (typeof PRESET_NAMES)[number];

/** An agent by name: a driver, a command, and perhaps a system prompt. */
export interface AgentDefinition {
  readonly name: string;
  readonly driver: DriverName;
  readonly command: string;
  readonly args: readonly string[];
  /** For `acp`: which agent's behaviour to expect. */
  readonly preset?: AcpPresetName | undefined;
  /** For `line`: how to talk to it. */
  readonly line?: LineOptions | undefined;
  readonly model?: string | undefined;
  readonly systemPrompt?: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** `built in`, or where it is defined. */
  readonly source: string;
}

/** The agents that need no configuration, in the order in which one is chosen if none is named. */
export const BUILT_IN_AGENTS: readonly AgentDefinition[] = [
  builtIn('claude', 'claude', 'claude'),
  builtIn('codex', 'codex', 'codex'),
  builtIn('gemini', 'acp', 'gemini', 'gemini'),
  builtIn('opencode', 'acp', 'opencode', 'opencode'),
  builtIn('claude-acp', 'acp', 'claude-agent-acp', 'claude-acp'),
  builtIn('codex-acp', 'acp', 'codex-acp', 'codex-acp'),
];

/** The agents to try in turn if the user names none. */
export const DEFAULT_ORDER: readonly string[] = ['claude', 'codex', 'gemini', 'opencode'];

/** The agent of this name; the user's own come first. Throws AGENT_UNKNOWN with the known names. */
export function agentNamed(agents: readonly AgentDefinition[], name: string): AgentDefinition {
  const found = agents.find((agent) => agent.name === name);
  if (found === undefined)
    throw new AgentUnknownError(
      name,
      agents.map((agent) => agent.name),
    );
  return found;
}

/** The driver of an agent. Each is loaded separately, so that unused protocols cost nothing. */
export async function loadDriver(
  definition: Pick<AgentDefinition, 'driver' | 'preset' | 'line'>,
): Promise<AgentDriver> {
  switch (definition.driver) {
    case 'claude':
      return (await import('./claude/index.js')).claudeDriver;
    case 'codex':
      return {
        readReplies: (await import('./codex-rollouts.js')).readCodexReplies,
        ...(await import('./codex/index.js')).codexDriver,
      };
    case 'line':
      return (await import('./line/index.js')).lineDriver(definition.line);
    case 'acp': {
      const { ACP_PRESETS, acpDriver } = await import('./acp/index.js');
      return acpDriver(ACP_PRESETS[definition.preset ?? 'acp']);
    }
  }
}

function builtIn(name: string, driver: DriverName, command: string, preset?: AcpPresetName): AgentDefinition {
  return { name, driver, command, args: [], preset, environment: {}, source: 'built in' };
}
