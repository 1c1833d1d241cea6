import { describe, expect, it } from 'vitest';
import { redact } from './redact.js';

const BASE64 = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

describe('a value whose name says that it is a secret', () => {
  it.each([
    [`aws_secret_access_key = ${BASE64}`, 'aws_secret_access_key = [redacted:value]'],
    [`aws_secret_access_key=${BASE64}`, 'aws_secret_access_key=[redacted:value]'],
    ['password: hunter2secret', 'password: [redacted:value]'],
    ['  password: sw0rd!fish  # of the test user', '  password: [redacted:value]  # of the test user'],
    ['db.password=s3cr3t-pw', 'db.password=[redacted:value]'],
    ['{"password": "hunter2", "user": "ada"}', '{"password": "[redacted:value]", "user": "ada"}'],
    ['{"client_secret":"8Qx7_aZ91"}', '{"client_secret":"[redacted:value]"}'],
    ['{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[redacted:value]\\"}'],
    ["apiKey: 'zX81-pp20-9'", "apiKey: '[redacted:value]'"],
    ["export TOKEN='a1b2c3d4e5'", 'export TOKEN=[redacted:value]'],
    ['PGPASSWORD=tiger psql', 'PGPASSWORD=[redacted:value] psql'],
    ['MYSQL_PWD=tiger', 'MYSQL_PWD=[redacted:value]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted:token]'],
    ['"authorization": "Bearer abcd1234efgh"', '"authorization": "Bearer [redacted:token]"'],
    ["curl -H 'Authorization: token 0123456789ab'", "curl -H 'Authorization: token [redacted:token]'"],
    ['//npm.example/:_authToken=5f3a-91bc-77', '//npm.example/:_authToken=[redacted:value]'],
    ['_auth=dXNlcjpwYXNzMTIz', '_auth=[redacted:value]'],
    ['https://ada:pa55@host/x', 'https://ada:[redacted:password]@host/x'],
    ['password = 12345678', 'password = [redacted:value]'],
  ])('is removed: %s', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
    expect(redact(redacted)).toBe(redacted);
  });

  it.each([
    'password: none of your business',
    'Password: ask the administrator, e.g. on floor 2',
    'interface Login { password: string; token?: string }',
    'password = getPassword()',
    'const token = await client.fetchToken2(id);',
    'const secret = process.env.SECRET_2;',
    "password: 'Enter your password (8 characters)'",
    '"password": "Password"',
    'token: string | null, secret: z.string().min(8)',
    'if (password === other1) return',
    'max_tokens: 4096, token: 12345678, nextToken = 200000',
    `password: \${{ secrets.DB_PASSWORD2 }} and token: <your-token-1> and secret: ***`,
    'password: changeme1, api_key: your-api-key-1, apiKey: xxxx1234',
    'private_key: /etc/ssl/private/key1.pem and token: https://example.com/t1',
    'Authorization: Bearer $TOKEN and Authorization: Bearer <token>',
    'token = tokens[0]; password = user1.password; secret: my-secret-2',
    'PWD=/home/ada and OLDPWD=/tmp/x1 and PASSWORD=$OTHER',
    'token ::= letter1 | digit2',
  ])('is not found in code and prose: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('a secret within colours', () => {
  const KEY = `sk-ant-api03-${'Zz1Yy2'.repeat(6)}`;

  it.each([
    [
      'by grep',
      `A=\x1b[01;31m\x1b[Ksk-ant\x1b[m\x1b[K${KEY.slice(6)} b`,
      'A=\x1b[01;31m\x1b[K[redacted:anthropic-key]\x1b[m\x1b[K b',
    ],
    [
      'in JSON',
      `\\u001b[01;31m\\u001b[Ksk-ant\\u001b[m\\u001b[K${KEY.slice(6)}`,
      '\\u001b[01;31m\\u001b[K[redacted:anthropic-key]\\u001b[m\\u001b[K',
    ],
    ['made visible', `^[[1m${KEY.slice(0, 20)}^[[0m${KEY.slice(20)}`, '^[[1m[redacted:anthropic-key]^[[0m'],
    [
      'in a link',
      `\x1b]8;;file:///x\x07${KEY.slice(0, 9)}\x1b[1m${KEY.slice(9)}\x1b]8;;\x07`,
      '\x1b]8;;file:///x\x07[redacted:anthropic-key]\x1b[1m\x1b]8;;\x07',
    ],
    [
      'between name and value',
      'pass\x1b[1mword: \x1b[32mhunter2\x1b[0m!',
      'pass\x1b[1mword: \x1b[32m[redacted:value]\x1b[0m',
    ],
    [
      'twice',
      `\x1b[1m${KEY}\x1b[0m and \x1b[1m${KEY}`,
      '\x1b[1m[redacted:anthropic-key]\x1b[0m and \x1b[1m[redacted:anthropic-key]',
    ],
  ])('is found: %s', (_how, text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it('is found wherever the sequences are, and nothing else is changed', () => {
    for (let at = 0; at <= KEY.length; at++) {
      const styled = `x ${KEY.slice(0, at)}\x1b[38;5;1m${KEY.slice(at)} \x1b[0my`;
      expect(redact(styled).replaceAll(/\x1b\[[0-9;]*m/g, '')).toBe('x [redacted:anthropic-key] y');
    }
    expect(redact('\x1b[1mplain\x1b[0m text')).toBe('\x1b[1mplain\x1b[0m text');
  });
});
