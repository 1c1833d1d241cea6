import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.js';
import { redact } from './redact.js';

const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ'.repeat(10).slice(0, count);

describe('redact', () => {
  it.each([
    ['anthropic-key', `sk-ant-api03-${letters(40)}`],
    ['openai-key', `sk-proj-${letters(48)}`],
    ['stripe-key', `sk_live_${letters(24)}`],
    ['github-token', `ghp_${letters(36)}`],
    ['github-token', `github_pat_${letters(60)}`],
    ['gitlab-token', `glpat-${letters(20)}`],
    ['slack-token', `xoxb-1234567890-${letters(24)}`],
    ['aws-key', 'AKIAIOSFODNN7EXAMPLE'],
    ['google-key', `AIza${letters(35)}`],
    ['npm-token', `npm_${letters(36)}`],
    ['huggingface-token', `hf_${letters(34)}`],
    ['jwt', `eyJ${letters(20)}.eyJ${letters(30)}.${letters(30)}`],
    ['private-key', `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n-----END RSA PRIVATE KEY-----`],
  ])('removes a %s and says what it was', (kind, secret) => {
    expect(redact(`before ${secret} after`)).toBe(`before [redacted:${kind}] after`);
  });

  it('keeps an address and takes only its password', () => {
    expect(redact('postgres://app:hunter2secret@db.example:5432/shop')).toBe(
      'postgres://app:[redacted:password]@db.example:5432/shop',
    );
  });

  it('takes the value of a variable that names a secret', () => {
    expect(redact('export DATABASE_PASSWORD=correct-horse-battery')).toBe(
      'export DATABASE_PASSWORD=[redacted:value]',
    );
    expect(redact(`Authorization: Bearer ${letters(30)}`)).toBe('Authorization: Bearer [redacted:token]');
  });

  it.each([
    'const task-sk-list = tokenCount + keyboard.secretary;',
    'https://example.com/path?token=abc and git@github.com:owner/name.git',
    'The password is asked for; TOKEN=$TOKEN and KEY="" stay.',
    'skeleton-key, sk-short, ghp_short, AKIA, eyJ.eyJ, bearer of news',
    'npm_config_registry and npm_lifecycle_event and hf_hub',
  ])('leaves ordinary text alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    ['postgres://app:p@ss:w0rd@db/shop', 'postgres://app:[redacted:password]@db/shop'],
    [
      'redis://:hunter2@cache:6379 and mongodb+srv://u:p@h',
      'redis://:[redacted:password]@cache:6379 and mongodb+srv://u:[redacted:password]@h',
    ],
    ['"amqp://guest:guest@queue"', '"amqp://guest:[redacted:password]@queue"'],
    [
      'PASSWORD=hunter2hunter2\nexport API_KEY="abcdefgh12"',
      'PASSWORD=[redacted:value]\nexport API_KEY=[redacted:value]',
    ],
    ['A_TOKEN=B_TOKEN=C_TOKEN=secret!! after', 'A_TOKEN=[redacted:value] after'],
    [`GITHUB_TOKEN=ghp_${letters(36)}`, 'GITHUB_TOKEN=[redacted:github-token]'],
    [`curl -H "Authorization: bearer ${letters(30)}"`, 'curl -H "Authorization: bearer [redacted:token]"'],
    [
      `{"key":"sk-ant-${letters(30)}","next":"AKIAIOSFODNN7EXAMPLE"}`,
      '{"key":"[redacted:anthropic-key]","next":"[redacted:aws-key]"}',
    ],
  ])('keeps what is around the secret: %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it.each([
    'http://localhost:3000/@scope/name and https://user@host/path and ssh://git@host:22/x',
    `postgres://\${USER}:\${PASSWORD}@host and mysql://<user>:<password>@host and x://u:***@h`,
    'MONKEY=bananas-and-apples, KEYBOARD=qwertzuiop, MAX_TOKENS=100000000, PRIMARY_KEY (id)',
    `sha256-${'a1b2c3d4'.repeat(8)} and ${'0123456789abcdef'.repeat(2)} and ./node_modules/some/very/long/path/to/a-file.test.ts`,
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE----- and -----BEGIN RSA PRIVATE KEY----- alone',
    'thisIsAVeryLongIdentifierThatSomebodyWrote_and_this_is_another_one_in_snake_case',
  ])('removes nothing that only looks like one: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('leaves the 1,000 commonest identifiers alone, in any context', () => {
    const names = readFileSync(new URL('../../test/fixtures/common-identifiers.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    expect(new Set(names).size).toBe(1_000);
    const changed = names.filter((name) => {
      const uses = [
        name,
        `${name}=${name}`,
        `${name}: '${name}_${name}-${name}'`,
        `process.env.${name.toUpperCase()}`,
        `${name}.${names.slice(0, 9).join('.')}(${name})`,
        `https://example.com/${name}?${name}=${name}`,
      ];
      return uses.some((use) => redact(use) !== use);
    });
    expect(changed).toEqual([]);
    expect(redact(names.join(' '))).toBe(names.join(' '));
  });

  it('finds a secret anywhere in a text', () => {
    const secret = `ghp_${letters(36)}`;
    for (let before = 0; before < 100; before++) {
      const text = `${' x'.repeat(before)}${' '.repeat(before % 3)}"${secret}" after`;
      expect(redact(text)).toBe(text.replace(secret, '[redacted:github-token]'));
    }
  });

  it('handles hostile text as fast as any other', () => {
    for (const piece of [
      '-eyJabcdefgh',
      '-----BEGIN RSA PRIVATE KEY-----\n',
      '://a:b',
      'A_KEY=',
      'sk-ant-',
      'SG.aaaaaaaaaaaaaaaaaaaa-',
    ])
      expect(redact(piece.repeat(20_000)).length).toBeGreaterThan(10);
  });

  it('finds nothing new in what it has redacted', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        expect(redact(redact(text))).toBe(redact(text));
      }),
    );
  });
});
