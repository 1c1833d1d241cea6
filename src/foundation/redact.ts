/**
 * The one funnel between text that may hold secrets and disk. It knows the shapes of keys and tokens that say of
 * themselves what they are, so ordinary code and prose pass unchanged; what it finds becomes `[redacted:kind]`.
 */

/** Kinds of secrets and their shapes. All of them are a run of 20 or more letters, digits and few other characters. */
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
  'sendgrid-key': 'SG\\.[A-Za-z0-9_-]{16,100}\\.[A-Za-z0-9_-]{16,}',
  jwt: 'eyJ[A-Za-z0-9_-]{8,1000}\\.eyJ[A-Za-z0-9_-]{8,10000}\\.[A-Za-z0-9_-]{8,}',
} as const;

const KINDS = Object.keys(SHAPES);
const TOKENS = new RegExp(
  Object.values(SHAPES)
    .map((shape) => `((?<![A-Za-z0-9])(?:${shape}))`)
    .join('|'),
  'g',
);
const MIN_RUN = 20;
/** Which characters a run may have, by their code. */
const IN_RUN = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=~')
  IN_RUN[character.charCodeAt(0)] = 1;

const BEARER = /\b[Bb]earer $/;
const KEY_START = '-----BEGIN ';
const KEY_END = '-----END ';
const KEY_HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/y;
const KEY_FOOTER = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/y;
const MAX_KEY = 20_000;
/** The password between user and host, which may hold anything but what ends an address. A placeholder is none. */
const PASSWORD = /(:\/\/[^\s:/@"'<>]{0,200}:)(?![$<{*[])[^\s/"'<>]{1,500}(?=@)/y;
/** How the names of secrets end where `env` and shell scripts print them. */
const NAME_END = /(?:API|_)KEY=|(?:TOKEN|SECRET|PASSWORD|PASSWD)=/g;
const NAME = /(?<![A-Za-z0-9_])[A-Z0-9_]{1,80}$/;
const MAX_NAME = 80;
const VALUE = /(?!["']?\[redacted:)(["']?)[^\s"'$][^\s"']{7,}\1/y;

/** Text without the secrets it held. It costs less than writing the text down as JSON. */
export function redact(text: string): string {
  return redactAssignments(redactPasswords(redactRuns(redactPrivateKeys(text))));
}

function redactPrivateKeys(text: string): string {
  let redacted = '';
  let copiedTo = 0;
  let end = 0;
  for (let at = text.indexOf(KEY_START); at !== -1; at = text.indexOf(KEY_START, at + 1)) {
    if (end < at) end = text.indexOf(KEY_END, at);
    if (end === -1) break;
    KEY_HEADER.lastIndex = at;
    KEY_FOOTER.lastIndex = end;
    if (end - at > MAX_KEY || !KEY_HEADER.test(text) || !KEY_FOOTER.test(text)) continue;
    redacted += `${text.slice(copiedTo, at)}[redacted:private-key]`;
    copiedTo = KEY_FOOTER.lastIndex;
    at = copiedTo - 1;
  }
  return copiedTo === 0 ? text : redacted + text.slice(copiedTo);
}

/** Looks at every 20th character only: whatever is long enough to be a secret is met, most else is passed over. */
function redactRuns(text: string): string {
  let redacted = '';
  let copiedTo = 0;
  for (let at = MIN_RUN - 1; at < text.length; at += MIN_RUN) {
    if (!isInRun(text, at)) continue;
    let start = at;
    while (start > copiedTo && isInRun(text, start - 1)) start -= 1;
    let end = at + 1;
    while (end < text.length && isInRun(text, end)) end += 1;
    at = end;
    if (end - start < MIN_RUN) continue;
    const run = text.slice(start, end);
    const clean = redactRun(run, text.slice(Math.max(0, start - 8), start));
    if (clean === run) continue;
    redacted += text.slice(copiedTo, start) + clean;
    copiedTo = end;
  }
  return copiedTo === 0 ? text : redacted + text.slice(copiedTo);
}

function isInRun(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && IN_RUN[code] === 1;
}

function redactRun(run: string, before: string): string {
  const clean = run.replace(
    TOKENS,
    (...groups) => `[redacted:${KINDS[groups.slice(1).findIndex((group) => group !== undefined)]}]`,
  );
  return clean === run && BEARER.test(before) ? '[redacted:token]' : clean;
}

/** Keeps the address: it tells what the password was for. */
function redactPasswords(text: string): string {
  let redacted = '';
  let copiedTo = 0;
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 1)) {
    PASSWORD.lastIndex = at;
    const found = PASSWORD.exec(text);
    if (found === null) continue;
    redacted += `${text.slice(copiedTo, at)}${found[1]}[redacted:password]`;
    copiedTo = PASSWORD.lastIndex;
    at = copiedTo - 1;
  }
  return copiedTo === 0 ? text : redacted + text.slice(copiedTo);
}

function redactAssignments(text: string): string {
  let redacted = '';
  let copiedTo = 0;
  NAME_END.lastIndex = 0;
  while (NAME_END.test(text)) {
    const at = NAME_END.lastIndex;
    VALUE.lastIndex = at;
    if (!NAME.test(text.slice(Math.max(0, at - 1 - MAX_NAME), at - 1)) || !VALUE.test(text)) continue;
    redacted += `${text.slice(copiedTo, at)}[redacted:value]`;
    copiedTo = VALUE.lastIndex;
    NAME_END.lastIndex = copiedTo;
  }
  return copiedTo === 0 ? text : redacted + text.slice(copiedTo);
}
