import type { AgentDefinition } from './definitions.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of each agent's own service, by how they begin; any other agent may talk to any service. */
const FAMILIES: Readonly<Record<string, RegExp>> = {
  claude: /^(?:ANTHROPIC|CLAUDE|AWS|GOOGLE|VERTEX|CLOUD_ML)_/,
  // Its providers may name the variables for their keys as they like.
  codex: /^(?!(?:ANTHROPIC|CLAUDE|GEMINI|GOOGLE|VERTEX|AWS)_)/,
  gemini: /^(?:GEMINI|GOOGLE|VERTEX)_/,
};

/** Variables that locate a service or identify its users. Settings of other kinds differ from terminal to terminal. */
const NEEDED =
  /_(?:API_?KEY|ACCESS_KEY_ID|SECRET_ACCESS_KEY|(?:AUTH|OAUTH|ACCESS|SESSION|BEARER|API)_TOKEN|TOKEN_BEDROCK|BASE_URL|API_BASE|ENDPOINT|APPLICATION_CREDENTIALS|CLOUD_PROJECT|PROJECT_ID|PROFILE|REGION|USE_BEDROCK|USE_VERTEX|CUSTOM_HEADERS|CONFIG_DIR)$/;

/** Needed by every agent: without them a service may be unreachable. */
const ALWAYS =
  /^(?:HTTPS?_PROXY|https?_proxy|ALL_PROXY|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|CODEX_HOME)$/;

/**
 * The names of the variables that an agent finds in the environment and may need to reach its service. What its own
 * configuration sets is there in any environment.
 */
export function neededVariables(agent: AgentDefinition, environment: Environment): string[] {
  const family = FAMILIES[agent.preset?.replace(/-acp$/, '') ?? agent.driver];
  const isNeeded = (name: string) =>
    ALWAYS.test(name) || (NEEDED.test(name) && (family === undefined || family.test(name)));
  return Object.keys(environment)
    .filter((name) => isNeeded(name) && isSet(environment, name) && !isSet(agent.environment, name))
    .sort();
}

/** The given names that are missing from an environment now. */
export function missingVariables(
  names: readonly string[],
  agent: AgentDefinition,
  environment: Environment,
): string[] {
  return names.filter((name) => !isSet(environment, name) && !isSet(agent.environment, name));
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '') !== '';
}
