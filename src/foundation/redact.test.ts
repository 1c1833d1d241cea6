import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
  ])('takes out a %s and says what it was', (kind, secret) => {
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

  it('finds nothing new in what it has redacted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(redact(redact(text))).toBe(redact(text));
      }),
    );
  });
});
