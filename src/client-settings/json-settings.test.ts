import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { ClientSettingsError } from './errors.js';
import { addEntry, removeEntry } from './settings.js';

const entry = { command: 'holdfast', args: ['mcp'] };

describe('JSON settings', () => {
  it('puts the entry after the last server, indented like the file, and leaves comments where they were', () => {
    const text = '{\n\t"mcp": {\n\t\t"git": {} // mine\n\t\t// more to come\n\t}\n}\n';
    expect(addEntry('opencode', text, entry).text).toBe(
      [
        '{',
        '\t"mcp": {',
        '\t\t"git": {}, // mine',
        '\t\t// more to come',
        '\t\t"holdfast": {',
        '\t\t\t"type": "local",',
        '\t\t\t"command": [',
        '\t\t\t\t"holdfast",',
        '\t\t\t\t"mcp"',
        '\t\t\t],',
        '\t\t\t"enabled": true,',
        '\t\t\t"timeout": 86400000',
        '\t\t}',
        '\t}',
        '}',
        '',
      ].join('\n'),
    );
  });

  it('stays on one line, with or without spaces, if the file does', () => {
    expect(addEntry('gemini', '{"mcpServers":{"git":{}},"a":1}', entry).text).toBe(
      '{"mcpServers":{"git":{},"holdfast":{"command":"holdfast","args":["mcp"],"timeout":86400000}},"a":1}',
    );
    expect(addEntry('gemini', '{ "mcpServers": { "git": {} } }', entry).text).toBe(
      '{ "mcpServers": { "git": {}, "holdfast": { "command": "holdfast", "args": [ "mcp" ], "timeout": 86400000 } } }',
    );
  });

  it('removes the parent only if it made it and nothing else is inside', () => {
    const { text: made } = addEntry('claude', '{"a":1}', entry);
    const { text: used } = { text: made.replace('{"holdfast"', '{"git":{},"holdfast"') };
    expect(removeEntry('claude', used).text).toBe('{"a":1,"mcpServers":{"git":{}}}');
    expect(removeEntry('claude', '{"a":1,"mcpServers":{"holdfast":{"command":"x"}}}').text).toBe(
      '{"a":1,"mcpServers":{}}',
    );
  });

  it('still knows that it made the parent after the client has rewritten the file', () => {
    const { text: made } = addEntry('claude', '{"a":1}', entry);
    const rewritten = JSON.stringify(JSON.parse(made), null, 2);
    expect(removeEntry('claude', rewritten).text).toBe('{\n  "a": 1\n}');
  });

  it('keeps a parent that it made if a comment is in it', () => {
    const { text: made } = addEntry('opencode', '{\n  "a": 1\n}\n', entry);
    const commented = made.replace('"mcp": {', '"mcp": { // mine');
    expect(removeEntry('opencode', commented).text).toBe('{\n  "a": 1,\n  "mcp": { // mine\n  }\n}\n');
  });

  it.each([
    ['between others', '{"mcp":{"a":1,"holdfast":{},"b":2}}', '{"mcp":{"a":1,"b":2}}'],
    ['first on a line', '{ "mcp": { "holdfast": {}, "b": 2 } }', '{ "mcp": { "b": 2 } }'],
    [
      'between commented lines',
      '{\n  "mcp": {\n    "a": 1, // a\n    "holdfast": {}, // us\n    "b": 2\n  }\n}',
      '{\n  "mcp": {\n    "a": 1, // a\n    // us\n    "b": 2\n  }\n}',
    ],
    [
      'last, behind comments',
      '{\n  "mcp": {\n    "a": 1, // a\n    // us\n    "holdfast": {}\n  }\n}',
      '{\n  "mcp": {\n    "a": 1 // a\n    // us\n  }\n}',
    ],
    [
      'before a brace that a comment would swallow',
      '{"mcp":{"a":1, // a\n"holdfast":{}}}',
      '{"mcp":{"a":1 // a\n}}',
    ],
    ['with a comment before its comma', '{"mcp":{"holdfast":{}/* c */,"b":2}}', '{"mcp":{/* c */"b":2}}'],
    ['with a comma on the next line', '{"mcp":{\n"holdfast":{}\n,"b":2}}', '{"mcp":{\n"b":2}}'],
    ['alone with a trailing comma', '{"mcp":{\n  "holdfast": {},\n}}', '{"mcp":{\n}}'],
    ['written as something else than an object', '{"mcp":{"holdfast":false}}', '{"mcp":{}}'],
  ])('removes an entry %s', (_where, text, rest) => {
    expect(removeEntry('opencode', text)).toEqual({ text: rest, changed: true });
  });

  it.each([
    ['claude', 'a comment, which Claude cannot read', '{\n  // no\n  "a": 1\n}', 2, 3],
    ['claude', 'a trailing comma', '{\n  "a": 1,\n}', 3, 1],
    ['gemini', 'a trailing comma, which Gemini cannot read', '{\r\n  "a": 1,\r\n}', 3, 1],
    ['opencode', 'text behind the object', '{}\n{}', 2, 1],
    ['opencode', 'a comment without end', '{} /* ', 1, 4],
    ['opencode', 'a string without end', '{\n  "a', 2, 3],
    ['opencode', 'a list instead of an object', '  []', 1, 3],
    ['opencode', 'a list as parent', '{\n  "mcp": []\n}', 2, 10],
    ['claude', 'null as parent', '{"mcpServers": null}', 1, 16],
    ['opencode', 'the parent twice', '{\n  "mcp": {},\n  "mcp": {}\n}', 3, 3],
    ['opencode', 'the parent twice, once escaped', '{"mcp": {}, "mc\\u0070": {}}', 1, 13],
    ['opencode', 'the entry twice', '{"mcp": {"holdfast": {}, "holdfast": {}}}', 1, 26],
  ] as const)('refuses, for %s, %s', (name, _what, text, line, column) => {
    for (const run of [() => addEntry(name, text, entry), () => removeEntry(name, text)]) {
      expect(run).toThrow(ClientSettingsError);
      expect(run).toThrow(expect.objectContaining({ line, column }));
    }
  });

  it('restores the same bytes after add and remove, however JSON is printed', () => {
    const settings = fc.tuple(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
    );
    const printing = fc.record({
      indent: fc.constantFrom(0, 1, 2, 4, '\t'),
      eol: fc.constantFrom('\n', '\r\n'),
      end: fc.constantFrom('', '\n', '\n\n', ' '),
      mark: fc.constantFrom('', '\uFEFF'),
    });
    fc.assert(
      fc.property(settings, printing, ([others, servers], { indent, eol, end, mark }) => {
        const value = {
          ...others,
          ...(servers === null ? {} : { mcpServers: without(servers, 'holdfast') }),
        };
        const printed = JSON.stringify(servers === null ? without(value, 'mcpServers') : value, null, indent);
        const text = mark + (printed + end).replaceAll('\n', eol);
        const added = addEntry('claude', text, entry).text;
        const { holdfast, ...rest } = JSON.parse(added.replace(/^\uFEFF/, '')).mcpServers;
        expect(holdfast).toMatchObject(entry);
        expect(rest).toEqual(JSON.parse(printed).mcpServers ?? {});
        expect(removeEntry('claude', added).text).toBe(text);
      }),
    );
  });

  it('restores the same bytes after add and remove, wherever comments, space and commas are', () => {
    fc.assert(
      fc.property(noisySettings(), (text) => {
        const added = addEntry('opencode', text, entry).text;
        expect(parse(added).mcp.holdfast).toMatchObject({ type: 'local', command: ['holdfast', 'mcp'] });
        expect(commentsOf(added)).toEqual(commentsOf(text));
        expect(addEntry('opencode', added, entry).changed).toBe(false);
        expect(removeEntry('opencode', added).text).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});

function without(value: Record<string, unknown>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Objects with anything that JSONC allows between any two tokens; comments are numbered, so that each can be recognised. */
function noisySettings(): fc.Arbitrary<string> {
  const trivia = fc.array(
    fc.constantFrom('', '', ' ', '  ', '\t', '\n', '\n  ', '\r\n\t', '/*#*/', '//#\n', ' // "#\r\n '),
    {
      maxLength: 3,
    },
  );
  const members = fc.array(fc.constantFrom('{}', '{"x": 1}', '[ 1, ]', 'null', '"// \\" {"'), {
    maxLength: 3,
  });
  const shape = fc.record({
    before: members,
    parent: fc.option(members),
    after: members,
    commas: fc.tuple(fc.boolean(), fc.boolean()),
    noise: fc.array(trivia, { minLength: 1, maxLength: 60 }),
  });
  return shape.map(({ before, parent, after, commas: [inParent, inRoot], noise }) => {
    let at = 0;
    let comments = 0;
    const gap = () => (noise[at++ % noise.length] ?? []).join('').replaceAll('#', () => `c${comments++}`);
    const object = (values: [string, () => string][], trailingComma: boolean): string => {
      const written = values.map(([key, value]) => `${gap()}"${key}"${gap()}:${gap()}${value()}${gap()}`);
      return `{${written.join(',')}${trailingComma && written.length > 0 ? ',' : ''}${gap()}}`;
    };
    const named = (prefix: string, values: string[]) =>
      values.map((value, index): [string, () => string] => [`${prefix}${index}`, () => value]);
    const middle: [string, () => string][] =
      parent === null ? [] : [['mcp', () => object(named('server', parent), inParent)]];
    return `${gap()}${object([...named('a', before), ...middle, ...named('b', after)], inRoot)}${gap()}`;
  });
}

function commentsOf(text: string): string[] {
  return text.match(/\/\*c\d+\*\/|\/\/ ?"?c\d+/g) ?? [];
}
