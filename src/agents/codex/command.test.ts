import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { StartOptions } from '../driver.js';
import { codexCommand, tomlString } from './command.js';

function options(overrides: Partial<StartOptions> = {}): StartOptions {
  return {
    command: 'codex',
    args: [],
    workingDirectory: '/work',
    environment: {},
    permissions: { mode: 'edits' },
    mcpServers: [],
    ...overrides,
  };
}

const EDITS = ['-c', 'sandbox_mode="workspace-write"', '-c', 'approval_policy="never"'];

describe('codexCommand', () => {
  it('begins a thread', () => {
    expect(codexCommand(options({ args: ['--oss'], model: 'gpt-5.5' }), null, 'Hello')).toEqual({
      args: ['--oss', 'exec', '--json', '--skip-git-repo-check', '-m', 'gpt-5.5', ...EDITS, '--', 'Hello'],
      input: undefined,
    });
  });

  it('resumes a thread with options that `exec resume` knows', () => {
    const { args } = codexCommand(options({ permissions: { mode: 'ask' } }), 'the-id', 'Hello');
    expect(args).toEqual([
      ...['exec', 'resume', '--json', '--skip-git-repo-check'],
      ...EDITS,
      ...['the-id', '--', 'Hello'],
    ]);
    expect(args).not.toContain('--sandbox');
  });

  it('goes without approvals and sandbox only when told to', () => {
    const { args } = codexCommand(options({ permissions: { mode: 'bypass' } }), null, 'Hello');
    expect(args).toEqual([
      ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
      ...['--', 'Hello'],
    ]);
  });

  it.each(['--dangerously-bypass-approvals-and-sandbox', 'resume', '', '--'])(
    'takes %j for a prompt',
    (prompt) => {
      expect(codexCommand(options(), null, prompt).args.slice(-2)).toEqual(['--', prompt]);
    },
  );

  it.each([
    ['-', 'means the input'],
    ['a\0b', 'cannot be an argument'],
    ['ä'.repeat(60_000), 'is too long for an argument'],
  ])('gives %.5s through the input, because it %s', (prompt) => {
    const { args, input } = codexCommand(options(), 'the-id', prompt);
    expect(args.slice(-3)).toEqual(['the-id', '--', '-']);
    expect(input).toBe(prompt);
  });

  it('writes instructions and servers as configuration', () => {
    const { args } = codexCommand(
      options({
        systemPrompt: 'Be "brief".\nAlways.',
        mcpServers: [
          { name: 'my.server', command: '/bin/x y', args: ['a"b', '--c'], environment: { 'A.B': 'c\td' } },
          { name: 'plain', command: 'p', args: [], environment: {} },
        ],
      }),
      null,
      'Hello',
    );
    const settings = args.filter((_, at) => args[at - 1] === '-c').join('\n');
    const server = { tool_timeout_sec: 86_400, default_tools_approval_mode: 'approve' };
    expect(parse(settings)).toEqual({
      sandbox_mode: 'workspace-write',
      approval_policy: 'never',
      developer_instructions: 'Be "brief".\nAlways.',
      mcp_servers: {
        my_server: { command: '/bin/x y', args: ['a"b', '--c'], env: { 'A.B': 'c\td' }, ...server },
        plain: { command: 'p', args: [], ...server },
      },
    });
  });
});

describe('tomlString', () => {
  it('writes any text so that TOML reads it back, on one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = tomlString(text);
        expect(written).not.toContain('\n');
        expect(parse(`value=${written}`)).toEqual({ value: text });
      }),
    );
  });

  it('replaces half a surrogate pair', () => {
    expect(tomlString('a\ud800b\u007f')).toBe('"a\ufffdb\\u007f"');
  });
});
