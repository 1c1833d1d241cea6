import { mayBeNamed, secretValueAt } from './secret-values.js';

/**
 * The one funnel between text that may hold secrets and the disk. It recognises keys and tokens whose shape gives them
 * away, and values whose names say that they are secret, so ordinary code and prose pass unchanged. What it finds
 * becomes `[redacted:kind]`. It sees the text as a person does: colours within a key do not hide it.
 */

/** Kinds of secrets and their shapes. Each is a run of 20 or more letters, digits and a few other characters. */
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
/** The characters that a run may contain, by their code. */
const IN_RUN = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=~')
  IN_RUN[character.charCodeAt(0)] = 1;

const BEARER = /\b[Bb]earer $/;
const KEY_START = '-----BEGIN ';
const KEY_END = '-----END ';
const KEY_HEADER = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----/y;
const KEY_FOOTER = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/y;
const MAX_KEY = 20_000;
/** The password between user and host, which may hold anything except what ends an address. A placeholder does not count. */
const PASSWORD = /(:\/\/[^\s:/@"'<>]{0,200}:)(?![$<{*[])[^\s/"'<>]{1,500}(?=@)/y;

/** A stretch of text that is a secret. */
interface Secret {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** Text without its secrets. This costs less than writing the text as JSON. */
export function redact(text: string): string {
  if (ESCAPES.some((start) => text.includes(start))) return redactStyled(text);
  const secrets = secretsIn(text);
  if (secrets.length === 0) return text;
  let redacted = '';
  let copiedTo = 0;
  for (const { from, to, kind } of secrets) {
    redacted += `${text.slice(copiedTo, from)}[redacted:${kind}]`;
    copiedTo = to;
  }
  return redacted + text.slice(copiedTo);
}

/** The spellings of an escape: raw, in JSON and source code, made visible. */
const ESCAPES = ['\u001b', '\u009b', '\\u001b', '\\u001B', '\\x1b', '\\x1B', '\\033', '^['];
const SEQUENCE =
  /(?:(?:\u001b|\\+(?:u001[bB]|x1[bB]|033)|\^\[)\[|\u009b)[0-?]{0,40}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)/g;

/** Finds secrets in the text without its escape sequences and blacks them out in place; the sequences stay. */
function redactStyled(text: string): string {
  // Words, each with the escape sequence that ends it.
  const pieces: [words: string, sequence: string][] = [];
  let end = 0;
  for (const { 0: sequence, index } of text.matchAll(SEQUENCE)) {
    pieces.push([text.slice(end, index), sequence]);
    end = index + sequence.length;
  }
  pieces.push([text.slice(end), '']);
  const secrets = secretsIn(pieces.map(([words]) => words).join(''));
  if (secrets.length === 0) return text;
  let redacted = '';
  let next = 0;
  let start = 0;
  for (const [words, sequence] of pieces) {
    let place = start;
    const until = start + words.length;
    for (let secret = secrets[next]; secret !== undefined && secret.from < until; secret = secrets[next]) {
      if (secret.from >= start)
        redacted += `${words.slice(place - start, secret.from - start)}[redacted:${secret.kind}]`;
      place = Math.min(secret.to, until);
      if (secret.to > until) break;
      next += 1;
    }
    redacted += words.slice(place - start) + sequence;
    start = until;
  }
  return redacted;
}

/** In text order, none inside another. */
function secretsIn(text: string): Secret[] {
  const found: Secret[] = [];
  const add = (from: number, to: number, kind: string) => void found.push({ from, to, kind });
  findPrivateKeys(text, add);
  findRuns(text, add);
  findPasswords(text, add);
  findValues(text, add);
  return found.length < 2 ? found : merged(found);
}

type Add = (from: number, to: number, kind: string) => void;

/** Of two that overlap, the wider one stays; of two alike, the first, because it names the secret more exactly. */
function merged(found: readonly Secret[]): Secret[] {
  const rows = found.map((secret, rank) => ({ ...secret, rank }));
  rows.sort((a, b) => a.from - b.from || b.to - a.to || a.rank - b.rank);
  const kept: Secret[] = [];
  for (const secret of rows) {
    const last = kept.at(-1);
    if (last === undefined || secret.from >= last.to) kept.push(secret);
    else if (secret.to > last.to) kept[kept.length - 1] = { ...last, to: secret.to };
  }
  return kept;
}

function findPrivateKeys(text: string, add: Add): void {
  let end = -1;
  for (let at = text.indexOf(KEY_START); at !== -1; at = text.indexOf(KEY_START, at + 1)) {
    if (end < at) end = text.indexOf(KEY_END, at);
    if (end === -1) return;
    KEY_HEADER.lastIndex = at;
    KEY_FOOTER.lastIndex = end;
    if (end - at > MAX_KEY || !KEY_HEADER.test(text) || !KEY_FOOTER.test(text)) continue;
    add(at, KEY_FOOTER.lastIndex, 'private-key');
    at = KEY_FOOTER.lastIndex - 1;
  }
}

/** The start of a private key that has not ended yet, so what follows may belong to it; -1 if there is none. */
export function openPrivateKey(text: string): number {
  const at = text.lastIndexOf(KEY_START);
  if (at === -1 || text.length - at > MAX_KEY) return -1;
  KEY_HEADER.lastIndex = at;
  return KEY_HEADER.test(text) && text.indexOf(KEY_END, at) === -1 ? at : -1;
}

/** Looks only at every 20th character: that hits every run long enough to be a secret and skips most of the rest. */
function findRuns(text: string, add: Add): void {
  for (let at = MIN_RUN - 1, from = 0; at < text.length; at += MIN_RUN) {
    if (!isInRun(text, at)) continue;
    let start = at;
    while (start > from && isInRun(text, start - 1)) start -= 1;
    let end = at + 1;
    while (end < text.length && isInRun(text, end)) end += 1;
    at = end;
    if (end - start < MIN_RUN) continue;
    if (findTokens(text.slice(start, end), start, add)) from = end;
    else if (BEARER.test(text.slice(Math.max(0, start - 8), start))) add(start, end, 'token');
  }
}

function isInRun(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && IN_RUN[code] === 1;
}

function findTokens(run: string, at: number, add: Add): boolean {
  let isFound = false;
  TOKENS.lastIndex = 0;
  for (let found = TOKENS.exec(run); found !== null; found = TOKENS.exec(run)) {
    const kind = KINDS[found.slice(1).findIndex((group) => group !== undefined)] ?? 'token';
    add(at + found.index, at + TOKENS.lastIndex, kind);
    isFound = true;
  }
  return isFound;
}

/** Keeps the address, which shows what the password was for. */
function findPasswords(text: string, add: Add): void {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 1)) {
    PASSWORD.lastIndex = at;
    const found = PASSWORD.exec(text);
    if (found === null) continue;
    add(at + (found[1]?.length ?? 0), PASSWORD.lastIndex, 'password');
    at = PASSWORD.lastIndex - 1;
  }
}

/** The value after `=` or `:`, if the name before it marks it as a secret. */
function findValues(text: string, add: Add): void {
  for (const sign of ['=', ':'] as const) {
    for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
      if (!mayBeNamed(text, at)) continue;
      const value = secretValueAt(text, at);
      if (value === undefined) continue;
      add(value.from, value.to, value.kind);
      at = value.to - 1;
    }
  }
}
