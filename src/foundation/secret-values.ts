/**
 * Values that are secrets because of their names: `password: …`, `"client_secret": "…"`, `export TOKEN='…'`,
 * `Authorization: Basic …`. Code and prose use such names too, so the value must look like a secret as well.
 */

export interface SecretValue {
  readonly from: number;
  readonly to: number;
  readonly kind: 'value' | 'token';
}

const MAX_NAME = 80;
/** The last two letters of the names below; checking these first skips most signs. */
const NAME_ENDS = new Uint8Array(32 * 32);
for (const end of ['rd', 'wd', 'se', 'ss', 'et', 'en', 'ey', 'al', 'ls', 'th', 'on'])
  NAME_ENDS[endOf(end, 2)] = 1;

/** Two letters of either case as one number; other characters may give the same number. */
function endOf(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) & 31) << 5) | (text.charCodeAt(end - 1) & 31);
}

/** Whether the name before the sign at this place is worth a look. */
export function mayBeNamed(text: string, sign: number): boolean {
  const end = endOfName(text, sign);
  return NAME_ENDS[endOf(text, end)] === 1 && text.charCodeAt(end - 1) >= 0x41;
}

function endOfName(text: string, sign: number): number {
  let end = sign;
  while (isBlank(text.charCodeAt(end - 1))) end -= 1;
  while (isQuote(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

/** The value behind the sign at this place, if it is a secret. */
export function secretValueAt(text: string, sign: number): SecretValue | undefined {
  const end = endOfName(text, sign);
  const name = nameBefore(text, end);
  if (name.toLowerCase() === 'authorization') return credentialsAt(text, sign + 1);
  const isPlain = end === sign && text[sign] === '=' && /^[A-Z0-9_]+$/.test(name);
  if (isPlain && ENVIRONMENT.test(name))
    return environmentValueAt(text, sign + 1, PASSWORDS.test(name) ? 4 : 8);
  if (!SECRETS.test(name) || text[sign + 1] === '=' || text[sign - 1] === ':') return undefined;
  return writtenValueAt(text, sign + 1, name);
}

function nameBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < MAX_NAME && IN_NAME[text.charCodeAt(start - 1)] === 1) start -= 1;
  return text.slice(start, end);
}

/** The characters that a name may contain, by their code. */
const IN_NAME = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.')
  IN_NAME[character.charCodeAt(0)] = 1;
/** Variable names as `env` and shell scripts print them. */
const ENVIRONMENT = /(?:(?:API|_)KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD)$/;
const PASSWORDS = /(?:passw(?:or)?d|passphrase|_pass|_pwd)$/i;
const SECRETS =
  /(?:passw(?:or)?d|passphrase|_pass|_pwd|secret|token|(?:api|access|secret|private|account|encryption|signing)[_-]?key|credentials?|^_auth)$/i;

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Quotes, and the backslashes before them in JSON within JSON. */
function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27 || code === 0x5c;
}

const CREDENTIALS = /[ \t]*(?:\\*["'])?(?:Basic|Bearer|Token|Digest|ApiKey)[ \t]+([A-Za-z0-9+/=._~-]{8,})/iy;

function credentialsAt(text: string, at: number): SecretValue | undefined {
  CREDENTIALS.lastIndex = at;
  const value = CREDENTIALS.exec(text)?.[1];
  if (value === undefined || isPlaceholder(value)) return undefined;
  return { from: CREDENTIALS.lastIndex - value.length, to: CREDENTIALS.lastIndex, kind: 'token' };
}

/** Any value, quoted or not: nobody writes prose or code after a variable in capitals. */
const ENVIRONMENT_VALUE = /(?!["']?\[redacted:)(["']?)([^\s"'$][^\s"']*)\1/y;

function environmentValueAt(text: string, at: number, minLength: number): SecretValue | undefined {
  ENVIRONMENT_VALUE.lastIndex = at;
  const value = ENVIRONMENT_VALUE.exec(text)?.[2];
  if (value === undefined || value.length < minLength || (minLength < 8 && isPlaceholder(value)))
    return undefined;
  return { from: at, to: ENVIRONMENT_VALUE.lastIndex, kind: 'value' };
}

const WRITTEN_VALUE = /[ \t]*(?:(\\*["'`])([^\s"'`\\]{4,500})\1|([^\s"'`\\,;(){}<>[\]]{6,500}))(?![("'`[<])/y;

function writtenValueAt(text: string, at: number, name: string): SecretValue | undefined {
  WRITTEN_VALUE.lastIndex = at;
  const found = WRITTEN_VALUE.exec(text);
  if (found === null) return undefined;
  const [, quote = '', quoted, bare] = found;
  const value = quoted ?? bare ?? '';
  if (isPlaceholder(value) || !looksSecret(value, name)) return undefined;
  const to = WRITTEN_VALUE.lastIndex - quote.length;
  return { from: to - value.length, to, kind: 'value' };
}

const PLACEHOLDER =
  /^[$<{*[%#@]|^(?:https?|file):|^\.{0,2}\/[\w.-]+\/|^~\/|^(?:process|os|import|env|config|this|self)\.|\.\.\.|…|x{4}|X{3}|\*{3}|your[_-]?|change[_-]?me|example\.|placeholder|redacted|\$\{|\{\{|<.*>/i;

function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/**
 * Words, names and types consist of letters; a secret contains something else too. Digits alone are a number, unless
 * this is a password.
 */
function looksSecret(value: string, name: string): boolean {
  if (/^\d+$/.test(value)) return PASSWORDS.test(name) && value.length >= 6;
  if (/^[A-Za-z_$][\w$]*(?:[.?:|&][A-Za-z_$][\w$]*)+\??$/.test(value)) return false;
  // A word for a secret rather than a secret, such as token2 or my-secret-1.
  if (/pass|secret|token|key|auth/i.test(value) && /^[a-z]+(?:[_.-][a-z]+)*[_.-]?\d{0,2}$/i.test(value))
    return false;
  // npm's user and password in base64, which may be letters only.
  if (name === '_auth') return true;
  return /[A-Za-z]/.test(value) && /[0-9!@#$%^&*+=~]/.test(value);
}
