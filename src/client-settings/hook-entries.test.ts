import { describe, expect, it } from 'vitest';
import { addHookEntries, hasHookEntries, hookEntries, removeHookEntries } from './hook-entries.js';

const PROGRAM = { command: 'holdfast', args: [] };
const ENTRIES = hookEntries('claude', '2.1.325 (Claude Code)', PROGRAM);

describe('the entries for hooks', () => {
  it.each([
    ['nothing', ''],
    ['an empty object', '{}'],
    ['an empty list of an event', '{"hooks":{"Stop":[]}}\n'],
    ['one line', '{ "hooks": { "Stop": [ { "hooks": [] } ] }, "b": 2 }'],
    [
      'tabs and CRLF',
      '{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"PermissionRequest": [\r\n\t\t\t{ "hooks": [] }\r\n\t\t]\r\n\t}\r\n}\r\n',
    ],
    [
      'hooks of the user',
      '{\n  "hooks": {\n    "Notification": [\n      { "matcher": "x", "hooks": [{ "type": "command", "command": "mine" }] }\n    ]\n  }\n}',
    ],
  ])('are removed from %s without a trace', (_what, before) => {
    const { text, added } = addHookEntries('claude', before, ENTRIES);
    expect(hasHookEntries('claude', text, ENTRIES)).toBe(true);
    const left = removeHookEntries('claude', text, added);
    expect(before === '' ? left.trim() : left).toBe(before === '' ? '{}' : before);
  });

  it("replace older ones of ours, and leave the user's own", () => {
    const old = addHookEntries(
      'claude',
      '{}',
      hookEntries('claude', '2.1.325', { ...PROGRAM, command: '/old/holdfast' }),
    );
    const { text } = addHookEntries('claude', old.text, ENTRIES);
    expect(text).not.toContain('/old/');
    expect(JSON.parse(text).hooks.Stop).toEqual([ENTRIES.Stop]);
  });

  it('start the program with the home that it needs, quoted for a shell', () => {
    const { PermissionRequest } = hookEntries('codex', 'codex-cli 0.166.0', {
      command: '/opt/my tools/holdfast',
      args: [],
      env: { HOLDFAST_HOME: "/home/o'neil" },
    });
    expect(PermissionRequest?.hooks[0]?.command).toBe(
      `HOLDFAST_HOME='/home/o'\\''neil' '/opt/my tools/holdfast' hook PermissionRequest --agent codex`,
    );
  });

  it.each(['0.165.9', 'unknown', ''])('are none for version %j of Codex', (version) => {
    expect(hookEntries('codex', version, PROGRAM)).toEqual({});
  });
});
