import type { AgentDefinition } from './definitions.js';
import { neededVariables } from './needed-variables.js';
import { type ServiceName, serviceNameOf } from './service-errors.js';

/** The variable that tells an agent where its settings and its login are, and the default place below the home directory. */
const SETTINGS: Readonly<Partial<Record<ServiceName, { variable: string; usual: string }>>> = {
  claude: { variable: 'CLAUDE_CONFIG_DIR', usual: '.claude' },
  codex: { variable: 'CODEX_HOME', usual: '.codex' },
  gemini: { variable: 'GEMINI_CLI_HOME', usual: '' },
};

export interface SettingsPlace {
  readonly variable: string;
  /** Relative to the home directory; empty = the home directory itself. */
  readonly usual: string;
}

/** Where an agent keeps its login; undefined if no variable can move it. */
export function settingsPlaceOf(agent: AgentDefinition): SettingsPlace | undefined {
  return SETTINGS[serviceNameOf(agent)];
}

/**
 * Whose allowance an agent uses, leaving aside its settings directory: that of the service it is logged in to, or one of
 * its own if its definition points it elsewhere or its service is unknown.
 */
export function allowanceNameOf(agent: AgentDefinition): string {
  const service = serviceNameOf(agent);
  const own = neededVariables({ ...agent, environment: {} }, agent.environment);
  const isElsewhere = own.some((name) => name !== SETTINGS[service]?.variable);
  return service === 'other' || isElsewhere ? agent.name : service;
}
