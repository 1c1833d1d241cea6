import type { AgentDefinition } from './definitions.js';
import { neededVariables } from './needed-variables.js';
import { type ServiceName, serviceNameOf } from './service-errors.js';

/** By which variable an agent is told where its settings and its login are, and where that is without it, at home. */
const SETTINGS: Readonly<Partial<Record<ServiceName, { variable: string; usual: string }>>> = {
  claude: { variable: 'CLAUDE_CONFIG_DIR', usual: '.claude' },
  codex: { variable: 'CODEX_HOME', usual: '.codex' },
  gemini: { variable: 'GEMINI_CLI_HOME', usual: '' },
};

export interface SettingsPlace {
  readonly variable: string;
  /** Below the home directory; empty = that itself. */
  readonly usual: string;
}

/** Where an agent keeps its login; undefined where nobody can move that by a variable. */
export function settingsPlaceOf(agent: AgentDefinition): SettingsPlace | undefined {
  return SETTINGS[serviceNameOf(agent)];
}

/**
 * Whose allowance an agent uses, apart from its settings directory: that of a service it has a login for, or its own, where
 * its definition sends it elsewhere or nobody knows its service.
 */
export function allowanceNameOf(agent: AgentDefinition): string {
  const service = serviceNameOf(agent);
  const own = neededVariables({ ...agent, environment: {} }, agent.environment);
  const isElsewhere = own.some((name) => name !== SETTINGS[service]?.variable);
  return service === 'other' || isElsewhere ? agent.name : service;
}
