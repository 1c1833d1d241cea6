/**
 * The one funnel between text that may hold secrets and disk. It knows the shapes of keys and tokens that say of
 * themselves what they are, so ordinary code and prose pass unchanged; what it finds becomes `[redacted:kind]`.
 */

/** Kinds of secrets and their shapes. Each has a fixed beginning, so looking for them costs one pass. */
const SHAPES = {
  'anthropic-key': 'sk-ant-[A-Za-z0-9_-]{20,}',
  'openai-key': 'sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}',
  'stripe-key': '[rs]k_(?:live|test)_[A-Za-z0-9]{16,}',
  'webhook-secret': 'whsec_[A-Za-z0-9+/=]{24,}',
  'github-token': 'gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,}',
  'gitlab-token': 'gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{20,}',
  'slack-token': 'xox[abeoprs]-[A-Za-z0-9-]{16,}',
  'aws-key': '(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])',
  'google-key': 'AIza[0-9A-Za-z_-]{35}|ya29\\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}',
  'npm-token': 'npm_[A-Za-z0-9]{36}',
  'pypi-token': 'pypi-AgE[A-Za-z0-9_-]{40,}',
  'huggingface-token': 'hf_[A-Za-z0-9]{30,}',
  'digitalocean-token': 'do[opr]_v1_[a-f0-9]{64}',
  'sendgrid-key': 'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
  jwt: 'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}',
  'private-key':
    '-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\\s\\S]{0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----',
} as const;

const KINDS = Object.keys(SHAPES);

/** A cheap look for any beginning: text without one (by far most) is done after this. */
const TRIGGER =
  /sk-|[rs]k_(?:live|test)_|whsec_|gh[pousr]_|github_pat_|gl(?:pat|ptt|rt|dt)-|xox[abeoprs]-|AKIA|ASIA|AIza|ya29\.|GOCSPX-|npm_|pypi-AgE|hf_|do[opr]_v1_|SG\.|eyJ|-----BEGIN|:\/\/[^\s/@]{1,200}:[^\s/@]|(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=|[Bb]earer /;

const TOKENS = new RegExp(
  Object.values(SHAPES)
    .map((shape) => `((?<![A-Za-z0-9])(?:${shape}))`)
    .join('|'),
  'g',
);
/** The password between user and host; the rest of the address tells what it was for. */
const CONNECTION = /(\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/@"'<>]{0,200}:)([^\s:/@"'<>]{1,500})(@)/gi;
/** As `env` and shell scripts print them. */
const ASSIGNMENT =
  /(\b[A-Z][A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=)(["']?)([^\s"'$][^\s"']{7,})\2/g;
const BEARER = /(\b[Bb]earer )([A-Za-z0-9._~+/=-]{20,})/g;

/** Text without the secrets it held. */
export function redact(text: string): string {
  if (!TRIGGER.test(text)) return text;
  return text
    .replace(
      TOKENS,
      (...groups) => `[redacted:${KINDS[groups.slice(1).findIndex((group) => group !== undefined)]}]`,
    )
    .replace(CONNECTION, '$1[redacted:password]$3')
    .replace(ASSIGNMENT, '$1[redacted:value]')
    .replace(BEARER, '$1[redacted:token]');
}
