import { describe, expect, it } from 'vitest';
import type { StartOptions } from '../driver.js';
import { claudeArguments, isOfGivenServer } from './command.js';

function options(overrides: Partial<StartOptions> = {}): StartOptions {
  return {
    command: 'claude',
    args: [],
    workingDirectory: '/work',
    environment: {},
    permissions: { mode: 'edits' },
    mcpServers: [],
    ...overrides,
  };
}

const SERVER = { name: 'holdfast', command: 'node', args: ['h.cjs', 'mcp'], environment: { A: 'b' } };

const ALWAYS = [
  '-p',
  ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
  ...['--verbose', '--include-partial-messages'],
];

describe('claudeArguments', () => {
  it('starts a conversation with the id we chose', () => {
    expect(claudeArguments(options({ args: ['--bare'] }), 'the-id')).toEqual([
      '--bare',
      ...ALWAYS,
      ...['--session-id', 'the-id', '--permission-prompt-tool', 'stdio', '--permission-mode', 'acceptEdits'],
      // What it would otherwise write unasked although it decides what an agent may do next time.
      ...['--settings', expect.stringContaining('"Edit(**/.gemini/**)"')],
    ]);
  });

  it('resumes exactly the conversation it was given, with everything else', () => {
    const args = claudeArguments(
      options({
        resume: { driver: 'claude', id: 'the-id' },
        model: 'opus',
        systemPrompt: '-be brief',
        permissions: { mode: 'ask' },
        mcpServers: [SERVER],
      }),
      'the-id',
    );
    const config = args[args.indexOf('--mcp-config') + 1] ?? '';
    expect(args).toEqual([
      ...ALWAYS,
      ...['--resume', 'the-id', '--permission-prompt-tool', 'stdio', '--permission-mode', 'default'],
      ...['--model', 'opus', '--append-system-prompt', '-be brief'],
      ...['--mcp-config', config, '--strict-mcp-config'],
    ]);
    expect(JSON.parse(config)).toEqual({
      mcpServers: {
        holdfast: {
          type: 'stdio',
          command: 'node',
          args: ['h.cjs', 'mcp'],
          env: { A: 'b' },
          timeout: 86_400_000,
        },
      },
    });
  });

  it('skips permissions only when told to', () => {
    expect(claudeArguments(options({ permissions: { mode: 'bypass' } }), 'i')).toContain(
      '--dangerously-skip-permissions',
    );
    expect(claudeArguments(options(), 'i')).not.toContain('--dangerously-skip-permissions');
  });
});

describe('isOfGivenServer', () => {
  it.each([
    ['mcp__holdfast__ask_user_questions', 'holdfast', true],
    ['mcp__my_server__x', 'my server', true],
    ['mcp__holdfast2__x', 'holdfast', false],
    ['Bash', 'holdfast', false],
  ])('%s of %s: %s', (tool, name, expected) => {
    expect(isOfGivenServer(tool, [{ ...SERVER, name }])).toBe(expected);
  });
});
