import { describe, expect, it } from 'vitest';
import { addAllowance, hasAllowance, otherwiseSet, removeAllowance } from './allowance.js';
import { type Allowance, CLIENT_NAMES, CLIENTS, type ClientName } from './client.js';

const places = { home: '/home/ada', configHome: '/home/ada/.config' };

function allowanceOf(client: ClientName): Allowance {
  const allowance = CLIENTS[client].allowance(places);
  if (allowance === undefined) throw new Error(`${client} needs none`);
  return allowance;
}

const CLAUDE = [
  ['an empty object', '{}\n'],
  ['no permissions', '{\n  "model": "opus"\n}\n'],
  ['permissions without a list', '{\n  "permissions": {\n    "deny": ["Bash"]\n  }\n}\n'],
  ['an empty list', '{\n  "permissions": {\n    "allow": []\n  }\n}\n'],
  ['an empty list over two lines', '{\n  "permissions": {\n    "allow": [\n    ]\n  }\n}\n'],
  ['a list on one line', '{\n  "permissions": { "allow": ["Bash(ls:*)", "Read"] }\n}\n'],
  [
    'a list on lines',
    '{\n  "permissions": {\n    "allow": [\n      "Bash(ls:*)",\n      "Read"\n    ]\n  }\n}\n',
  ],
  ['a minified file', '{"permissions":{"allow":["Read"]},"a":1}'],
  ['tabs and CRLF', '{\r\n\t"permissions": {\r\n\t\t"allow": [\r\n\t\t\t"Read"\r\n\t\t]\r\n\t}\r\n}\r\n'],
] as const;

const OPENCODE = [
  ['an empty object', '{}\n'],
  ['a permission for another tool', '{\n  "permission": {\n    "edit": "ask" // mine\n  }\n}\n'],
  ['trailing commas', '{\n  "permission": {\n    "*": "ask",\n  },\n}\n'],
  ['one word for everything', '{\n  "permission": "ask",\n  "model": "x/y"\n}\n'],
  ['one line', '{"permission":{"edit":"deny"}}'],
] as const;

const SAMPLES = [
  ...CLAUDE.map(([what, text]) => ({ client: 'claude' as const, what, text })),
  ...OPENCODE.map(([what, text]) => ({ client: 'opencode' as const, what, text })),
  {
    client: 'gemini' as const,
    what: 'rules of the user',
    text: '[[rule]]\ntoolName = "x"\ndecision = "deny"\n',
  },
];

describe('what lets a client use our tools', () => {
  it.each(CLIENT_NAMES)('never names the whole server for %s', (client) => {
    const text = JSON.stringify([
      CLIENTS[client].allowance(places),
      CLIENTS[client].describe({ command: 'holdfast', args: ['mcp'] }),
    ]);
    expect(text).not.toMatch(
      /"trust"|default_tools_approval_mode|mcp__holdfast"|mcp__holdfast__\*|holdfast_\*/,
    );
  });

  it.each(SAMPLES)('is added for $client to $what, once, and removed without a trace', ({ client, text }) => {
    const allowance = allowanceOf(client);
    expect(hasAllowance(client, allowance, text)).toBe(false);
    const { text: with_, added } = addAllowance(client, allowance, text);
    expect(hasAllowance(client, allowance, with_)).toBe(true);
    expect(addAllowance(client, allowance, with_).text).toBe(with_);
    const left = removeAllowance(client, allowance, with_, added);
    // A blank line before our rules stays if somebody else may have put it there.
    expect(client === 'gemini' ? left.trimEnd() : left).toBe(client === 'gemini' ? text.trimEnd() : text);
  });

  it('leaves what the user had allowed before', () => {
    const allowance = allowanceOf('claude');
    const text = '{"permissions":{"allow":["mcp__holdfast__ask_user_questions"]}}';
    const { text: with_, added } = addAllowance('claude', allowance, text);
    expect(added).toEqual({ names: ['mcp__holdfast__get_answered_questions'], made: 0 });
    expect(removeAllowance('claude', allowance, with_, added)).toBe(text);
  });

  it('leaves what others wrote in between, and removes exactly its own words', () => {
    const allowance = allowanceOf('claude');
    const { text, added } = addAllowance('claude', allowance, '{}\n');
    const meanwhile = JSON.stringify({ ...JSON.parse(text), hooks: {} }, null, 4).replace(
      '"mcp__holdfast__get_answered_questions"',
      '"mcp__holdfast__get_answered_questions",\n            "Bash(ls:*)"',
    );
    expect(JSON.parse(removeAllowance('claude', allowance, meanwhile, added))).toEqual({
      permissions: { allow: ['Bash(ls:*)'] },
      hooks: {},
    });
  });

  it('does not overrule what the user has set for a tool of ours, and reports it', () => {
    const allowance = allowanceOf('opencode');
    const text = '{"permission":{"holdfast_ask_user_questions":"deny"}}';
    expect(addAllowance('opencode', allowance, text).added.names).toEqual([
      'holdfast_get_answered_questions',
    ]);
    expect(otherwiseSet('opencode', allowance, text)).toEqual(['holdfast_ask_user_questions is "deny"']);
  });

  it('is not needed if everything is allowed', () => {
    const text = '{"permission":"allow"}';
    expect(addAllowance('opencode', allowanceOf('opencode'), text).text).toBe(text);
  });

  it.each([
    ['{"permissions":[]}', '"permissions" is not an object'],
    ['{"permissions":{"allow":{}}}', '"allow" is not a list'],
    ['[]', 'the file is not an object'],
  ])('refuses %s', (text, reason) => {
    expect(() => addAllowance('claude', allowanceOf('claude'), text)).toThrow(reason);
  });
});
