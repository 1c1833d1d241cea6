import { describe, expect, it } from 'vitest';
import { CLIENT_NAMES, CLIENTS, type ClientPlaces } from './client.js';

const places: ClientPlaces = { home: '/home/ada', configHome: '/home/ada/.config' };
const entry = {
  command: '/usr/bin/node',
  args: ['/opt/holdfast.cjs', 'mcp'],
  env: { HOLDFAST_HOME: '/data' },
};

describe('CLIENTS', () => {
  it('has every client once, under its own name', () => {
    expect(Object.keys(CLIENTS)).toEqual([...CLIENT_NAMES]);
    expect(Object.values(CLIENTS).map(({ name }) => name)).toEqual([...CLIENT_NAMES]);
  });

  it.each([
    ['claude', {}, '/home/ada/.claude.json'],
    ['claude', { claudeConfigDir: '/etc/claude' }, '/etc/claude/.claude.json'],
    ['claude', { project: '/src/app', claudeConfigDir: '/etc/claude' }, '/src/app/.mcp.json'],
    ['codex', {}, '/home/ada/.codex/config.toml'],
    ['codex', { codexHome: '/etc/codex' }, '/etc/codex/config.toml'],
    ['codex', { project: '/src/app', codexHome: '/etc/codex' }, '/src/app/.codex/config.toml'],
    ['gemini', {}, '/home/ada/.gemini/settings.json'],
    ['gemini', { project: '/src/app' }, '/src/app/.gemini/settings.json'],
    ['opencode', {}, '/home/ada/.config/opencode/opencode.json'],
    ['opencode', { configHome: '/xdg' }, '/xdg/opencode/opencode.json'],
    ['opencode', { project: '/src/app' }, '/src/app/opencode.json'],
  ] as const)('finds the settings of %s with %o at %s', (name, overrides, path) => {
    expect(CLIENTS[name].settingsPath({ ...places, ...overrides })).toBe(path);
  });

  it('knows that opencode also reads the file with comments', () => {
    expect(CLIENTS.opencode.alsoReads(places)).toEqual(['/home/ada/.config/opencode/opencode.jsonc']);
    expect(CLIENTS.claude.alsoReads(places)).toEqual([]);
  });

  it.each([
    [
      'claude',
      {
        type: 'stdio',
        command: '/usr/bin/node',
        args: ['/opt/holdfast.cjs', 'mcp'],
        env: { HOLDFAST_HOME: '/data' },
        timeout: 86_400_000,
      },
    ],
    [
      'codex',
      {
        command: '/usr/bin/node',
        args: ['/opt/holdfast.cjs', 'mcp'],
        startup_timeout_sec: 60,
        tool_timeout_sec: 86_400,
        env: { HOLDFAST_HOME: '/data' },
        tools: {
          ask_user_questions: { approval_mode: 'approve' },
          get_answered_questions: { approval_mode: 'approve' },
        },
      },
    ],
    [
      'gemini',
      {
        command: '/usr/bin/node',
        args: ['/opt/holdfast.cjs', 'mcp'],
        env: { HOLDFAST_HOME: '/data' },
        timeout: 86_400_000,
      },
    ],
    [
      'opencode',
      {
        type: 'local',
        command: ['/usr/bin/node', '/opt/holdfast.cjs', 'mcp'],
        environment: { HOLDFAST_HOME: '/data' },
        enabled: true,
        timeout: 86_400_000,
      },
    ],
  ] as const)('writes the entry in the format of %s', (name, value) => {
    expect(CLIENTS[name].describe(entry)).toEqual(value);
  });

  it.each(CLIENT_NAMES)('leaves an empty environment out for %s', (name) => {
    const { env: _env, ...bare } = entry;
    expect(CLIENTS[name].describe({ ...bare, env: {} })).toEqual(CLIENTS[name].describe(bare));
    expect(Object.keys(CLIENTS[name].describe(bare)).join()).not.toContain('env');
  });
});
