import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.js';
import { readLaunch } from './launch.js';

const ASKER = { command: 'node', args: ['holdfast.cjs', 'mcp'], env: { HOME: '/a b' } };
const launch = (protocol: string, ...argv: string[]) =>
  readLaunch(argv, { HOLDFAST_SCRIPTED_PROTOCOL: protocol });

describe('a command line', () => {
  it('is an ACP agent without a script unless it says otherwise', () => {
    expect(readLaunch([], {})).toMatchObject({ protocol: 'acp', scriptPath: null, stateDirectory: null });
  });

  it('takes precedence over the environment', () => {
    const environment = {
      HOLDFAST_SCRIPTED_PROTOCOL: 'codex',
      HOLDFAST_SCRIPTED_SCRIPT: 'b.json',
      HOLDFAST_SCRIPTED_STATE: '/state',
    };
    const argv = ['--protocol', 'line', '--script', 'a.json', '--end-marker', '---'];
    expect(readLaunch(argv, environment)).toMatchObject({
      protocol: 'line',
      scriptPath: 'a.json',
      stateDirectory: '/state',
      endMarker: '---',
      promptEnd: null,
    });
  });

  it('of an unknown protocol is refused', () => {
    expect(() => launch('gemini')).toThrow(
      'there is no protocol "gemini" (there are claude, codex, acp, line)',
    );
  });

  it('of Claude Code is understood', () => {
    const argv = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const more = ['--include-partial-messages', '--session-id', 'X', '--permission-prompt-tool', 'stdio'];
    const rest = [
      '--permission-mode',
      'acceptEdits',
      '--allowedTools',
      'Read',
      'Bash(ls:*),Edit',
      '--model',
      'opus',
    ];
    const mcp = ['--mcp-config', JSON.stringify({ mcpServers: { asker: ASKER } }), '--strict-mcp-config'];
    expect(launch('claude', ...argv, ...more, ...rest, ...mcp)).toMatchObject({
      sessionId: 'X',
      resume: null,
      permissionMode: 'acceptEdits',
      asksOverStdio: true,
      allowedTools: ['Read', 'Bash(ls:*)', 'Edit'],
      streamsPartials: true,
      model: 'opus',
      mcpServers: { asker: ASKER },
    });
    expect(
      launch('claude', '--resume', 'Y', '--fork-session', '--dangerously-skip-permissions'),
    ).toMatchObject({
      resume: 'Y',
      isFork: true,
      permissionMode: 'bypassPermissions',
    });
  });

  it('may name a file with MCP servers', async () => {
    await using dir = await tempDir();
    writeFileSync(dir.at('mcp.json'), JSON.stringify({ mcpServers: { asker: ASKER } }));
    expect(launch('claude', '--mcp-config', dir.at('mcp.json')).mcpServers).toEqual({ asker: ASKER });
  });

  it('of Codex is understood, and is that of its app server', () => {
    const options = ['-c', 'features.plugins=false', '--profile', 'mine', '-m', 'gpt'];
    expect(launch('codex', ...options, 'app-server')).toMatchObject({ protocol: 'codex', model: 'gpt' });
    expect(() => launch('codex', 'exec', 'go')).toThrow('codex is played only as `app-server`');
  });
});
