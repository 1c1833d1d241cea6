import fc from 'fast-check';
import { parse, stringify } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.js';
import { ClientSettingsError } from './errors.js';
import { addEntry, hasEntry, removeEntry } from './settings.js';

const entry = { command: 'holdfast', args: ['mcp'] };
const TABLE = [
  '[mcp_servers.holdfast]',
  'command = "holdfast"',
  'args = [ "mcp" ]',
  'startup_timeout_sec = 60',
  'tool_timeout_sec = 86400',
  '',
  '[mcp_servers.holdfast.tools.ask_user_questions]',
  'approval_mode = "approve"',
  '',
  '[mcp_servers.holdfast.tools.get_answered_questions]',
  'approval_mode = "approve"',
].join('\n');

describe('TOML settings', () => {
  it('puts the table at the end, after a blank line', () => {
    expect(addEntry('codex', 'a = 1\n', entry).text).toBe(`a = 1\n\n${TABLE}\n`);
    expect(addEntry('codex', 'a = 1', entry).text).toBe(`a = 1\n\n${TABLE}`);
    expect(addEntry('codex', '', entry).text).toBe(`${TABLE}\n`);
  });

  it('replaces a table in place, with its sub-tables', () => {
    const text = [
      '# ours',
      '[mcp_servers.holdfast] # old',
      'command = "old"',
      '# gone with it',
      'args = ["""',
      '[b]',
      '"""]',
      '',
      '[mcp_servers.holdfast.env]',
      'A = "1"',
      '',
      '# theirs',
      '[b]',
      'c = 1',
      '',
      '[mcp_servers.holdfast.tools.ask]',
      'approval_mode = "approve"',
      '',
      '[d]',
      '',
    ].join('\n');
    expect(addEntry('codex', text, entry).text).toBe(`# ours\n${TABLE}\n\n# theirs\n[b]\nc = 1\n\n[d]\n`);
    expect(removeEntry('codex', text).text).toBe('# ours\n\n# theirs\n[b]\nc = 1\n\n[d]\n');
  });

  it.each([
    [
      'an inline table',
      '[mcp_servers]\nholdfast = { command = "x" } # us\ngit = {}\n',
      '[mcp_servers]\ngit = {}\n',
    ],
    ['a quoted name', 'a = 1\n\n[mcp_servers."holdfast"]\ncommand = "x"\n', 'a = 1\n'],
    [
      'dotted keys',
      '[mcp_servers]\nholdfast.command = "x"\nholdfast.args = []\n[b]\n',
      '[mcp_servers]\n[b]\n',
    ],
    ['keys from the root', 'mcp_servers.holdfast = { command = "x" }\nb = 1\n', 'b = 1\n'],
    ['a header without keys', '[mcp_servers.holdfast]\n\n[b]\n', '[b]\n'],
    ['a header inside others', '[a]\n\n[mcp_servers.holdfast]\nx = 1\n\n[b]\n', '[a]\n\n[b]\n'],
    ['a header close to others', '[a]\n[mcp_servers.holdfast]\nx = 1\n[b]\n', '[a]\n[b]\n'],
    ['a header glued to the next', '[a]\n\n[mcp_servers.holdfast]\nx = 1\n[b]\n', '[a]\n\n[b]\n'],
    ['a list of tables', '[[mcp_servers.holdfast]]\nx = 1\n[[mcp_servers.holdfast]]\nx = 2\n', ''],
    ['a value that is no table', '[mcp_servers]\nholdfast = 1\n', '[mcp_servers]\n'],
  ])('recognises, replaces and removes an entry written as %s', (_what, text, rest) => {
    expect(hasEntry('codex', text)).toBe(true);
    const added = addEntry('codex', text, entry).text;
    expect(parse(added)).toEqual({
      ...parse(rest),
      mcp_servers: { ...serversOf(rest), ...serversOf(TABLE) },
    });
    expect(removeEntry('codex', text)).toEqual({ text: rest, changed: true });
  });

  it.each([
    ['syntax', 'a = 1\nb = \n', 2, 5],
    ['the same key twice', 'a = 1\na = 2\n', 2, 1],
    ['the same table twice', '[mcp_servers.holdfast]\n[mcp_servers.holdfast]\n', 2, 2],
    ['a parent that is no table', 'x = 0\nmcp_servers = 1\n', 2, 1],
    ['a parent that is a list', 'x = 0\n[[mcp_servers]]\n', 2, 1],
    ['a parent that is a date', 'mcp_servers = 1979-05-27\n', 1, 1],
    ['an inline parent with the entry', '\nmcp_servers = { holdfast = { command = "x" } }\n', 2, 1],
  ])('refuses %s', (_what, text, line, column) => {
    for (const run of [() => addEntry('codex', text, entry), () => removeEntry('codex', text)]) {
      expect(run).toThrow(ClientSettingsError);
      expect(run).toThrow(expect.objectContaining({ line, column }));
    }
  });

  it('refuses to add to an inline parent, but has nothing to remove from it', () => {
    const text = 'mcp_servers = { git = {} }\n';
    expect(() => addEntry('codex', text, entry)).toThrow(/"mcp_servers" is an inline table/);
    expect(removeEntry('codex', text)).toEqual({ text, changed: false });
  });

  it('does not quote the file in a refusal, because it may contain keys', () => {
    const text = 'api_key = "sk-secret"\nmodel = \n';
    try {
      addEntry('codex', text, entry);
      expect.unreachable();
    } catch (error) {
      expect(error).not.toHaveProperty('cause');
      expect(String(error)).not.toContain('sk-secret');
    }
  });

  it('restores the same bytes after add and remove, and leaves all other values alone', () => {
    fc.assert(
      fc.property(tomlDocument(), (text) => {
        const added = addEntry('codex', text, { ...entry, env: { A: 'b' } }).text;
        const { holdfast, ...servers } = serversOf(added);
        expect(holdfast).toMatchObject(entry);
        expect(servers).toEqual(serversOf(text));
        expect(othersIn(added)).toEqual(othersIn(text));
        expect(addEntry('codex', added, { ...entry, env: { A: 'b' } }).changed).toBe(false);
        expect(removeEntry('codex', added).text).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

function serversOf(text: string): Record<string, unknown> {
  return (parse(text).mcp_servers ?? {}) as Record<string, unknown>;
}

function othersIn(text: string): unknown {
  return { ...parse(text), mcp_servers: undefined };
}

/** Sections in any order, with comments, blank lines and strings that look like our table. */
function tomlDocument(): fc.Arbitrary<string> {
  const value = fc.oneof(
    fc.string({ unit: anyCharacter }).map((text) => stringify({ v: text }).slice(4).trimEnd()),
    fc.constantFrom(
      '1',
      'nan',
      '1979-05-27',
      '[1, [2]]',
      '[ # ]\n  "]",\n]',
      '{ a = { b = 1 } }',
      `'''\n${TABLE}\n'''`,
    ),
    fc.constantFrom(`"""\n${TABLE.replaceAll('"', '\\"')}\n"""`, `"""a\\""""`),
  );
  const noise = fc.constantFrom('', '', '\n', '\n\n', '# [mcp_servers.holdfast]\n', "  # \" '''\n");
  const section = fc.record({
    header: fc.constantFrom(
      '[t#]',
      '[[list]]',
      '[mcp_servers.s#]',
      '[ mcp_servers."s.#" . env ] # x',
      '  [a.b.c#]',
    ),
    values: fc.array(fc.tuple(value, noise), { maxLength: 3 }),
    noise,
  });
  const pairs = (values: [string, string][]) =>
    values.map(([text, after], index) => `k${index} = ${text}\n${after}`).join('');
  return fc
    .record({
      head: fc.array(fc.tuple(value, noise), { maxLength: 3 }),
      sections: fc.array(section, { maxLength: 4 }),
      eol: fc.constantFrom('\n', '\r\n'),
      cut: fc.boolean(),
    })
    .map(({ head, sections, eol, cut }) => {
      const written = sections.map(
        ({ header, values, noise: before }, index) =>
          `${before}${header.replace('#', String(index))}\n${pairs(values)}`,
      );
      const text = pairs(head) + written.join('');
      return (cut ? text.replace(/\n$/, '') : text).replaceAll(/\r?\n/g, eol);
    });
}
