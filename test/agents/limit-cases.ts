import type { Fault } from '../support/fake-model/server.mjs';
import type { RealAgentName } from './real-agents.js';

/** What we make of it, as far as it is the same each time; null = a failure like any other. */
export interface Becomes {
  readonly kind: 'quota' | 'overload' | 'network' | 'hopeless';
  readonly scope?: string | null;
  readonly cause?: 'login' | 'model' | 'credit' | 'disabled';
  /** ISO 8601; `soon` = as many seconds after it was said as the stand-in told, to the minute. */
  readonly resetsAt?: string | null;
}

/** What the stand-in does to an agent, for as long as the turn lasts. */
export interface LimitCase {
  readonly name: string;
  readonly does: Fault | 'refuses the connection';
  /** Variables of the agent that differ; undefined takes one away. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** It would try for ever; the turn is cancelled after so many retries. */
  readonly cancelAfterRetries?: number;
  /** It takes minutes; only recorded. */
  readonly isSlow?: boolean;
  readonly becomes: Becomes | null;
}

const SUBSCRIPTION = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: 'sk-fake-oauth' };
const DAY_MS = 24 * 60 * 60_000;
/** Some days ahead, whenever this runs. */
const WEEKLY = `${new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10)}T02:35:00.000Z`;
export const SOON_SECONDS = 100;

const MODEL_OF: Readonly<Record<RealAgentName, Partial<Fault>>> = {
  claude: { status: 404, kind: 'not_found_error', message: 'model: claude-nope' },
  codex: {
    status: 404,
    code: 'model_not_found',
    message: 'The model `gpt-nope` does not exist or you do not have access to it.',
  },
  gemini: {
    status: 404,
    message:
      'models/gemini-nope is not found for API version v1beta, or is not supported for generateContent.',
  },
  opencode: { status: 404, kind: 'not_found_error', message: 'model: claude-nope' },
};

const CREDIT_ANTHROPIC = {
  status: 400,
  message:
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
};
const CREDIT_OF: Readonly<Record<RealAgentName, Partial<Fault>>> = {
  claude: CREDIT_ANTHROPIC,
  codex: {
    status: 429,
    kind: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  },
  gemini: {
    status: 403,
    kind: 'PERMISSION_DENIED',
    message: 'This API method requires billing to be enabled. Please enable billing on project #123.',
  },
  opencode: CREDIT_ANTHROPIC,
};

const DISABLED = { status: 403, message: 'Claude Code has been disabled by your admin.' };
const DISABLED_OF: Readonly<Record<RealAgentName, Partial<Fault>>> = {
  claude: DISABLED,
  codex: { status: 403, message: 'Codex has been disabled by your admin.' },
  gemini: {
    status: 403,
    kind: 'PERMISSION_DENIED',
    message:
      'Generative Language API has not been used in project 123 before or it is disabled. Enable it by visiting the console, then retry.',
  },
  opencode: DISABLED,
};

/** What it says in the end. */
const OPENCODE_SILENT: Becomes = { kind: 'overload' };

const RESET: Readonly<Record<RealAgentName, { readonly soon: Becomes; readonly weekly: Becomes }>> = {
  claude: {
    soon: { kind: 'quota', scope: '5h', resetsAt: 'soon' },
    weekly: { kind: 'quota', scope: 'weekly', resetsAt: WEEKLY },
  },
  codex: {
    soon: { kind: 'quota', scope: null, resetsAt: 'soon' },
    weekly: { kind: 'quota', scope: null, resetsAt: WEEKLY },
  },
  gemini: {
    soon: { kind: 'quota', scope: 'daily', resetsAt: null },
    weekly: { kind: 'quota', scope: 'daily', resetsAt: null },
  },
  // It waits as long as it was told, in silence, and is ended for that.
  opencode: { soon: OPENCODE_SILENT, weekly: OPENCODE_SILENT },
};

/** Everything that the service of an agent may say instead of an answer, and a service that is not there. */
export function limitCases(agent: RealAgentName): LimitCase[] {
  const subscription = agent === 'claude' ? { environment: SUBSCRIPTION } : {};
  const key = KEY_OF[agent];
  const patience = agent === 'codex' ? { cancelAfterRetries: 4 } : {};
  return [
    { name: '429', does: always({ type: 'rate_limit' }), becomes: { kind: 'overload' } },
    { name: 'overloaded', does: always({ type: 'overloaded' }), becomes: { kind: 'overload' } },
    { name: '500', does: always({ type: 'server_error' }), becomes: { kind: 'overload' } },
    {
      name: 'usage limit, soon',
      does: always({ type: 'usage_limit', resetsInSeconds: SOON_SECONDS }),
      becomes: RESET[agent].soon,
      ...subscription,
      isSlow: agent === 'opencode',
    },
    {
      name: 'usage limit, weekly',
      does: always({ type: 'usage_limit', claim: 'seven_day', resetsAt: Date.parse(WEEKLY) / 1_000 }),
      becomes: RESET[agent].weekly,
      ...subscription,
      isSlow: agent === 'opencode',
    },
    { name: '401', does: always({ type: 'auth' }), becomes: { kind: 'hopeless', cause: 'login' } },
    {
      name: 'unknown model',
      does: always({ type: 'http', ...MODEL_OF[agent] }),
      becomes: { kind: 'hopeless', cause: 'model' },
    },
    {
      name: 'no credit',
      does: always({ type: 'http', ...CREDIT_OF[agent] }),
      becomes: { kind: 'hopeless', cause: 'credit' },
    },
    {
      name: 'disabled',
      does: always({ type: 'http', ...DISABLED_OF[agent] }),
      becomes: { kind: 'hopeless', cause: 'disabled' },
    },
    {
      name: 'reset',
      does: always({ type: 'reset_before_headers' }),
      becomes: { kind: 'network' },
      ...patience,
    },
    { name: 'refused', does: 'refuses the connection', becomes: { kind: 'network' }, ...patience },
    { name: 'context too long', does: always({ type: 'context_overflow' }), becomes: null },
    ...(key === undefined
      ? []
      : [
          {
            name: 'not logged in',
            does: always({ type: 'auth' }),
            environment: { [key]: undefined },
            becomes: { kind: 'hopeless', cause: 'login' } as const,
          },
        ]),
    ...(agent === 'claude'
      ? [
          {
            name: 'usage limit of an API key',
            does: always({ type: 'usage_limit', resetsInSeconds: SOON_SECONDS }),
            becomes: { kind: 'overload' } as const,
          },
        ]
      : []),
  ];
}

/** Where its key is; opencode has it in its configuration. */
const KEY_OF: Readonly<Partial<Record<RealAgentName, string>>> = {
  claude: 'ANTHROPIC_API_KEY',
  codex: 'FAKE_API_KEY',
  gemini: 'GEMINI_API_KEY',
};

function always(fault: Omit<Fault, 'times'>): Fault {
  return { ...fault, times: 'always' };
}
