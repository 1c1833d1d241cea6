import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { agentPaths } from '../../scripts/agents-cache.mjs';
import { ACP_PRESETS, acpDriver } from '../../src/agents/acp/index.js';
import { claudeDriver } from '../../src/agents/claude/index.js';
import { codexDriver } from '../../src/agents/codex/index.js';
import type { AgentDriver, StartOptions } from '../../src/agents/driver.js';
import { POSTGRES } from '../support/postgres-place.js';

export type RealAgentName = 'claude' | 'codex' | 'gemini' | 'opencode';

/** A program of somebody else, and how it is made to talk to the stand-in alone. */
export interface RealAgent {
  readonly name: RealAgentName;
  readonly driver: AgentDriver;
  readonly model: string | undefined;
  /** Where it keeps its conversations, below its home. */
  readonly transcripts: string;
  /** Its own settings, by path below its home. */
  files(baseUrl: string): Readonly<Record<string, string>>;
  environment(baseUrl: string): Readonly<Record<string, string>>;
}

const claude: RealAgent = {
  name: 'claude',
  driver: claudeDriver,
  model: undefined,
  transcripts: '.claude/projects',
  files: () => ({}),
  environment: (baseUrl) => ({
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'sk-fake',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    CLAUDE_CODE_MAX_RETRIES: '2',
    // Without it root may not skip permissions.
    IS_SANDBOX: '1',
  }),
};

const codex: RealAgent = {
  name: 'codex',
  driver: codexDriver,
  model: undefined,
  transcripts: '.codex/sessions',
  files: (baseUrl) => ({
    // Without plugins it does not try to reach the internet for five seconds at the end of every run. In each place that its
    // sandbox may write to it makes an empty .git for a moment: the temporary directory belongs to others, too.
    '.codex/config.toml': `
      model = "gpt-5.5"
      model_provider = "fake"
      check_for_update_on_startup = false
      [model_providers.fake]
      name = "Fake"
      base_url = "${baseUrl}/v1"
      env_key = "FAKE_API_KEY"
      wire_api = "responses"
      request_max_retries = 2
      stream_max_retries = 2
      [analytics]
      enabled = false
      [features]
      plugins = false
      [sandbox_workspace_write]
      exclude_slash_tmp = true
    `,
  }),
  environment: () => ({ FAKE_API_KEY: 'sk-fake' }),
};

const gemini: RealAgent = {
  name: 'gemini',
  driver: acpDriver(ACP_PRESETS.gemini),
  // Without a name a second model is asked first which one to use.
  model: 'gemini-2.5-flash',
  transcripts: '.gemini/tmp',
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      model: { name: 'gemini-2.5-flash' },
      general: {
        enableAutoUpdate: false,
        enableAutoUpdateNotification: false,
        maxAttempts: 2,
        sessionRetention: { enabled: false },
      },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
    }),
  }),
  environment: (baseUrl) => ({
    GEMINI_API_KEY: 'fake-key',
    GOOGLE_GEMINI_BASE_URL: baseUrl,
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
};

const opencode: RealAgent = {
  name: 'opencode',
  driver: acpDriver(ACP_PRESETS.opencode),
  model: undefined,
  // In a database; no test looks for words in it.
  transcripts: '.local/share/opencode',
  files: (baseUrl) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      model: 'fake/fake-model',
      small_model: 'fake/fake-model',
      provider: {
        fake: {
          npm: '@ai-sdk/anthropic',
          name: 'Fake',
          options: { baseURL: `${baseUrl}/v1`, apiKey: 'sk-fake' },
          models: {
            'fake-model': {
              name: 'Fake',
              tool_call: true,
              limit: { context: 200_000, output: 32_000 },
              cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
            },
          },
        },
      },
    }),
  }),
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
};

export const REAL_AGENTS: Readonly<Record<RealAgentName, RealAgent>> = { claude, codex, gemini, opencode };

/** What tests of this tier need of the machine: programs of the cache, and a server of PostgreSQL. */
export type Needed = keyof ReturnType<typeof agentPaths> | 'postgres';

/** Why a program cannot be tried here; undefined = it can. One of the cache never runs where it could reach anybody. */
export function whyNotInstalled(name: Needed): string | undefined {
  if (name === 'postgres') return whyNoPostgres();
  if (agentPaths()[name] === undefined) return `${name} is not installed`;
  const isLoopbackAll = Object.values(networkInterfaces()).every((addresses) =>
    addresses?.every(({ internal }) => internal),
  );
  return isLoopbackAll ? undefined : 'there is more network than loopback: start it with npm run test:agents';
}

function whyNoPostgres(): string | undefined {
  if (POSTGRES === undefined) return 'postgres is not installed';
  const isRoot = process.geteuid?.() === 0;
  const [, , users = 0] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
  return isRoot && users === 1
    ? 'postgres does not run as root, and here is nobody else: start it as the real root'
    : undefined;
}

/** Makes a home for an agent that knows the stand-in and nothing else, and says how to start it there. */
export function prepare(
  agent: RealAgent,
  place: { readonly home: string; readonly baseUrl: string },
): Pick<StartOptions, 'command' | 'args' | 'environment' | 'model'> {
  mkdirSync(place.home, { recursive: true, mode: 0o700 });
  for (const [path, content] of Object.entries(agent.files(place.baseUrl))) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), content);
  }
  const command = agentPaths()[agent.name]?.command;
  if (command === undefined) throw new Error(`${agent.name} is not installed`);
  return {
    command,
    args: [],
    model: agent.model,
    environment: {
      PATH: process.env.PATH,
      HOME: place.home,
      TMPDIR: place.home,
      LANG: 'C.UTF-8',
      ...agent.environment(place.baseUrl),
    },
  };
}

/** The same as the settings of an agent in config.json, for commands that start it themselves. */
export function settingsFor(agent: RealAgent, place: { readonly home: string; readonly baseUrl: string }) {
  const { command, args, environment, model } = prepare(agent, place);
  const given = Object.entries(environment).filter((entry) => entry[1] !== undefined);
  return {
    driver: agent.driver.name,
    ...(agent.name === 'gemini' || agent.name === 'opencode' ? { preset: agent.name } : {}),
    command,
    args,
    environment: Object.fromEntries(given) as Record<string, string>,
    ...(model === undefined ? {} : { model }),
    // Its ways are known by its name.
    ...(agent.driver.name === 'acp' ? { preset: agent.name } : {}),
  };
}
