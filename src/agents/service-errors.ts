import type { AgentEvent, TurnEndReason } from './events.js';
import { absoluteTimeIn, isZone, resetTimeIn } from './reset-time.js';

/** Whose service it is, as far as its wording and the remedies differ. */
export type ServiceName = 'claude' | 'codex' | 'gemini' | 'opencode' | 'other';

/** Whose service an agent uses; an adapter's errors are those of the agent behind it. */
export function serviceNameOf(agent: {
  readonly driver: string;
  readonly preset?: string | undefined;
}): ServiceName {
  const name = (agent.preset ?? agent.driver).replace(/-acp$/, '');
  return KNOWN.find((known) => known === name) ?? 'other';
}

const KNOWN: readonly ServiceName[] = ['claude', 'codex', 'gemini', 'opencode'];

/** A cause that retrying cannot cure. */
export type HopelessCause = 'login' | 'model' | 'credit' | 'disabled';

/** Why an agent's service did not answer. Anything else is an ordinary failure. `words` are the service's own. */
export type ServiceTrouble =
  /** The account's allowance is used up, until a given time if the service said one. */
  | {
      readonly kind: 'quota';
      readonly resetsAt: Date | null;
      /** Which allowance: `5h`, `weekly`, `daily`, … */
      readonly scope: string | null;
      readonly words: string;
    }
  /** Too many requests, overloaded, 5xx: it may answer again soon. */
  | {
      readonly kind: 'overload';
      readonly status: number | null;
      readonly retryAt: Date | null;
      readonly words: string;
    }
  /** It cannot be reached. */
  | { readonly kind: 'network'; readonly words: string }
  | {
      readonly kind: 'hopeless';
      readonly cause: HopelessCause;
      readonly words: string;
      /** What a person can do about it, as an imperative without a full stop. */
      readonly wayOut: string;
    };

/** What is known about an exchange that ended without an answer. */
export interface Said {
  readonly service: ServiceName;
  /** How the exchange ended; `not-started` if the agent did not even start. */
  readonly reason: TurnEndReason | 'not-started';
  readonly words: string;
  readonly status?: number | null | undefined;
  /** From a structured event of the agent. */
  readonly limit?: { readonly resetsAt: string | null; readonly scope: string | null } | undefined;
  /** When it was said; absent = only times that include their date are understood. */
  readonly now?: Date | undefined;
  /** The agent's time zone; absent = that of this process. */
  readonly zone?: string | undefined;
}

/** What kind of trouble an agent's service reported; undefined for an ordinary failure. Pure. */
export function serviceTroubleOf(said: Said): ServiceTrouble | undefined {
  const { reason, limit, now } = said;
  if (!MAY_BE_TROUBLE.includes(reason)) return undefined;
  const words = plainWords(said.words);
  const zone = said.zone !== undefined && isZone(said.zone) ? said.zone : undefined;
  const told = now === undefined ? absoluteTimeIn(words, zone) : resetTimeIn(words, now, zone);
  const resetsAt = timeOf(limit?.resetsAt) ?? told;
  const status = said.status ?? statusIn(words);
  const cause = hopelessCauseOf(said.service, words, status, reason);
  // What an administrator has switched off does not come back with the allowance.
  const isTold = limit !== undefined && limit.resetsAt !== null && cause !== 'disabled';
  if (isTold) return { kind: 'quota', resetsAt, scope: limit.scope ?? scopeIn(words), words };
  if (cause !== undefined) return { kind: 'hopeless', cause, words, wayOut: wayOut(said.service, cause) };
  if (QUOTA.some((pattern) => pattern.test(words)))
    return { kind: 'quota', resetsAt, scope: limit?.scope ?? scopeIn(words), words };
  if (NETWORK.test(words)) return { kind: 'network', words };
  if (isOverload(status) || OVERLOADED.test(words))
    return { kind: 'overload', status, retryAt: resetsAt, words };
  if (reason === 'rate-limited')
    return { kind: 'quota', resetsAt, scope: limit?.scope ?? scopeIn(words), words };
  return undefined;
}

/** Takes the message out of a response body that an agent passed on unchanged. */
function plainWords(words: string): string {
  const text = words.trim();
  const json = /\{.*\}/s.exec(text)?.[0];
  if (json === undefined) return text;
  try {
    const body = JSON.parse(json) as { error?: { message?: unknown }; message?: unknown };
    const message = body.error?.message ?? body.message;
    return typeof message === 'string' && message !== '' ? text.replace(json, message) : text;
  } catch {
    return text; // braces in a sentence
  }
}

/** The other reasons come from the agent itself; `died` alone says nothing about its service. */
const MAY_BE_TROUBLE: readonly Said['reason'][] = ['rate-limited', 'failed', 'died', 'not-started'];

/** Wordings for a used-up allowance, from the agents and the services behind them. */
const QUOTA: readonly RegExp[] = [
  /\busage limit\b/i,
  /\b(?:hit|reached|exceeded) (?:your|the)\b[^.]{0,60}\blimit\b/i,
  /\b(?:exhausted|exceeded|used up)\b[^.]{0,40}\b(?:quota|capacity|allowance)\b/i,
  /\bquota\b[^.]{0,30}\b(?:exhausted|exceeded|reached|used up|will reset)\b/i,
  /\b(?:5-hour|weekly|daily|monthly|session) limit\b/i,
  /\bout of (?:extra )?usage\b/i,
];

const NETWORK =
  /\b(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|ENETUNREACH|EHOSTUNREACH|ENETDOWN|UND_ERR_\w+)\b|\bunable to connect\b|\bconnection (?:refused|reset|dropped|lost|failed|closed|error|timed out)\b|\bcannot connect to\b|\bfetch failed\b|\bsocket (?:hang ?up|connection was closed)\b|\bstream disconnected\b|\berror sending request\b|\bwaiting for network\b|\bnetwork (?:error|is unreachable|connection)\b|\bdns error\b|\bfailed to lookup address\b/i;

const OVERLOADED =
  /\boverloaded\b|\btoo many requests\b|\brate.?limit\b|\bservice unavailable\b|\binternal server error\b|\bbad gateway\b|\bgateway time-?out\b|\bhigh demand\b/i;

/** Wordings of the services themselves, whichever agent uses them. */
const HOPELESS: readonly (readonly [HopelessCause, RegExp])[] = [
  [
    'disabled',
    /\bdisabled\b[^.]{0,60}\b(?:admin\w*|organi[sz]ation)\b|\borgani[sz]ation\b[^.]{0,40}\bdisabled\b/i,
  ],
  ['disabled', /\b(?:api|account)\b[^.]{0,60}\b(?:is|has been|was) (?:disabled|suspended|deactivated)\b/i],
  [
    'credit',
    /\bcredit balance is too low\b|\binsufficient_quota\b|\binsufficient (?:credit|balance|funds)\b/i,
  ],
  [
    'credit',
    /\bbilling to be enabled\b|\bpayment required\b|\bout of credits?\b|\bbilling (?:hard )?limit\b/i,
  ],
  [
    'model',
    /\bissue with the selected model\b|\bno way to choose the model\b|\bmodel_not_found\b|\bmodel\b[^.]{0,80}\b(?:does not exist|not found|not supported|is not available)\b|\b(?:unknown|invalid|no such) model\b|\bmodels?\/\S+ is not found\b|\bnot_found_error\b[^.]{0,40}\bmodel\b|^(?:[\w ]+: )*model: \S+$/i,
  ],
  [
    'login',
    /\bnot logged in\b|\bplease (?:run|use) \S*\/?login\b|\bfailed to authenticate\b|\bauthentication (?:required|failed|error)\b|\binvalid (?:api|x-api|authentication) ?-?(?:key|credentials|token)\b|\bapi key (?:not valid|is missing|expired|must be set)\b|\b(?:oauth|access|refresh) token\b[^.]{0,40}\b(?:expired|revoked|invalid)\b|\blogin (?:has )?expired\b|\bmissing environment variable\b|\bunauthorized\b/i,
  ],
];

/** Wordings that mean something else at one service than at the others. */
const HOPELESS_OF: Readonly<Partial<Record<ServiceName, readonly (readonly [HopelessCause, RegExp])[]>>> = {
  // From OpenAI this means an account without money; Google says the same about a day's allowance.
  codex: [['credit', /\bexceeded your current quota\b|\bcheck your plan and billing\b/i]],
};

function hopelessCauseOf(
  service: ServiceName,
  words: string,
  status: number | null,
  reason: Said['reason'],
): HopelessCause | undefined {
  const patterns = [...(HOPELESS_OF[service] ?? []), ...HOPELESS];
  const found = patterns.find(([, pattern]) => pattern.test(words))?.[0];
  // What a program printed before it died may be about anything.
  if (reason === 'died')
    return found === 'login' && /\blogged in\b|\/?login\b/i.test(words) ? found : undefined;
  if (found !== undefined) return found;
  if (status === 401) return 'login';
  return status === 402 ? 'credit' : undefined;
}

const LOGIN: Readonly<Record<ServiceName, string>> = {
  claude: 'Log in with `claude /login`, or check ANTHROPIC_API_KEY',
  codex: 'Log in with `codex login`, or check the API key that its configuration names',
  gemini: 'Start `gemini` once and log in, or check GEMINI_API_KEY',
  opencode: 'Log in with `opencode auth login`, or check the API key in its configuration',
  other: 'Start the agent by hand and log in',
};

function wayOut(service: ServiceName, cause: HopelessCause): string {
  switch (cause) {
    case 'login':
      return LOGIN[service];
    case 'model':
      return 'Use `--model` to name a model that the account may use';
    case 'credit':
      return "Add credit to the account of the agent's service, or use another agent with `--agent`";
    case 'disabled':
      return 'Ask whoever administers the account, or use another agent with `--agent`';
  }
}

function isOverload(status: number | null): boolean {
  return status === 408 || status === 429 || (status !== null && status >= 500 && status <= 599);
}

/** `API Error: 529`, `(429)`, `status: 503`, `HTTP 500`. */
function statusIn(words: string): number | null {
  const status = /\b(?:API Error|status(?: code)?|HTTP|rejected|error)[:\s]*\(?([45]\d\d)\b/i.exec(
    words,
  )?.[1];
  return status === undefined ? null : Number(status);
}

function scopeIn(words: string): string | null {
  const scope = /\b(5-hour|five.hour|weekly|seven.day|daily|per.?day|monthly|hourly|session)\b/i.exec(
    words,
  )?.[1];
  return scope === undefined ? null : scopeNamed(scope);
}

/** The name by which people know an allowance. */
export function scopeNamed(name: string): string {
  const known = SCOPES.find(([pattern]) => pattern.test(name));
  return known === undefined ? name.toLowerCase().replaceAll('_', ' ') : known[1];
}

const SCOPES: readonly (readonly [RegExp, string])[] = [
  [/^(?:5|five)[-_ ]?h(?:our)?s?$/i, '5h'],
  [/^seven[-_ ]day$/i, 'weekly'],
  [/^seven[-_ ]day[-_ ]opus$/i, 'weekly (Opus)'],
  [/^seven[-_ ]day[-_ ]sonnet$/i, 'weekly (Sonnet)'],
  [/^per.?day$/i, 'daily'],
];

function timeOf(iso: string | null | undefined): Date | null {
  const date = new Date(iso ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** How much of an allowance is used, and when it comes back. */
export interface WindowUse {
  readonly usedPercent: number;
  readonly resetsAt: Date;
  readonly scope: string | null;
}

/** The fullest of several allowances counts: it is used up first. */
function fuller(known: WindowUse | undefined, told: WindowUse | undefined): WindowUse | undefined {
  if (known === undefined || told === undefined) return told ?? known;
  const isSame = known.scope === told.scope;
  return isSame || told.usedPercent >= known.usedPercent ? told : known;
}

function allowanceIn(event: Extract<AgentEvent, { type: 'rate-limit' }>): WindowUse | undefined {
  const { usedPercent, scope = null } = event;
  const resetsAt = timeOf(event.resetsAt);
  return usedPercent === undefined || resetsAt === null ? undefined : { usedPercent, resetsAt, scope };
}

/** What the events of one exchange say about the agent's service. Trouble that the agent got over is forgotten. */
export class ServiceNotes {
  #limit: { resetsAt: string | null; scope: string | null } | undefined;
  #status: number | null = null;
  #words = '';
  #use: WindowUse | undefined;
  #end: { readonly reason: TurnEndReason; readonly message: string | null } | undefined;

  add(event: AgentEvent): void {
    switch (event.type) {
      case 'text':
      case 'thinking':
      case 'tool-call':
      case 'tool-result':
        this.#forget();
        return;
      case 'rate-limit':
        this.#use = fuller(this.#use, allowanceIn(event));
        if (event.status !== 'rejected') return;
        this.#limit = { resetsAt: event.resetsAt, scope: event.scope ?? null };
        this.#words = event.message;
        return;
      case 'error':
      case 'retry':
        this.#status = event.status ?? this.#status;
        this.#words = event.message;
        return;
      case 'turn-end':
        this.#end = event;
        return;
      default:
    }
  }

  /** How much of its fullest allowance is used, by the agent's latest report. */
  get use(): WindowUse | undefined {
    return this.#use;
  }

  /** The trouble that ended the exchange, if any. Give `end` if the exchange ended without a `turn-end` from the agent. */
  trouble(
    about: Pick<Said, 'service' | 'now' | 'zone'>,
    end?: { readonly reason: Said['reason']; readonly message: string | null },
  ): ServiceTrouble | undefined {
    const { reason, message } = end ?? this.#end ?? { reason: 'completed', message: null };
    return serviceTroubleOf({
      ...about,
      reason,
      words: message ?? this.#words,
      status: this.#status,
      limit: this.#limit,
    });
  }

  #forget(): void {
    this.#limit = undefined;
    this.#status = null;
    this.#words = '';
  }
}
