import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { isHoldfastError } from '../foundation/index.js';
import { CLIENT_NAMES, CLIENTS, type ClientName, type McpServerEntry } from './client.js';
import { ClientSettingsError } from './errors.js';
import { addEntry, hasEntry, removeEntry, renderEntry } from './settings.js';

function serverEntry(overrides: Partial<McpServerEntry> = {}): McpServerEntry {
  return { command: '/usr/bin/node', args: ['/opt/holdfast/holdfast.cjs', 'mcp'], ...overrides };
}

const entry = serverEntry();
const hardEntry = serverEntry({
  command: '/home/Zoë "Zed"/bin\\node\nü 🪝\u0001\u007f',
  args: ["it's", '"""', "'''", '# not a comment', '[mcp_servers.holdfast]', '', 'tab\there', '\u2028'],
  env: { 'DOTTED.KEY': 'a = "b"', PLAIN: '\\', 'mit Leerzeichen': '\r\n' },
});

/** Realistic settings; `gone` is what is left after add and remove, if that differs. */
interface Sample {
  what: string;
  text: string;
  gone?: string;
}

const JSON_SAMPLES: Sample[] = [
  { what: 'an empty file', text: '', gone: '{}\n' },
  { what: 'a file with only a line break', text: '\n', gone: '\n{}\n' },
  { what: 'an empty object', text: '{}' },
  { what: 'an empty object and a line break', text: '{}\n' },
  { what: 'an empty object over two lines', text: '{\n}\n' },
  { what: 'an empty object with a space', text: '{ }' },
  { what: 'a byte order mark', text: '\uFEFF{\r\n  "a": 1\r\n}\r\n' },
  { what: 'a byte order mark alone', text: '\uFEFF', gone: '\uFEFF{}\n' },
  { what: 'no parent', text: '{\n  "numStartups": 12,\n  "theme": "dark"\n}\n' },
  { what: 'no parent, tabs, no final line break', text: '{\n\t"theme": "dark"\n}' },
  { what: 'no parent, one line', text: '{"theme":"dark","list":[1,2]}' },
  { what: 'no parent, one line with spaces', text: '{ "theme": "dark" }\n' },
  { what: 'an empty parent', text: '{\n  "PARENT": {}\n}\n' },
  { what: 'an empty parent with a space', text: '{\n  "PARENT": { },\n  "b": 2\n}\n' },
  { what: 'an empty parent over two lines', text: '{\n    "PARENT": {\n    },\n    "b": 2\n}\n' },
  { what: 'an empty parent over two lines with CRLF', text: '{\r\n  "PARENT": {\r\n  }\r\n}\r\n' },
  { what: 'an empty parent in one line', text: '{"PARENT":{},"b":1}' },
  { what: 'an empty parent in one line with spaces', text: '{ "PARENT": {}, "b": 1 }' },
  { what: 'an empty spaced parent in one line with spaces', text: '{ "PARENT": { } }' },
  {
    what: 'a parent with a server',
    text: '{\n  "PARENT": {\n    "git": {\n      "command": "uvx"\n    }\n  }\n}\n',
  },
  {
    what: 'four spaces',
    text: '{\n    "PARENT": {\n        "git": {}\n    },\n    "z": [\n        1\n    ]\n}\n',
  },
  { what: 'tabs and CRLF', text: '{\r\n\t"PARENT": {\r\n\t\t"git": {}\r\n\t}\r\n}' },
  { what: 'a server in one line', text: '{\n  "PARENT": { "git": { "command": "uvx" } }\n}\n' },
  {
    what: 'a minified file',
    text: '{"a":[1,{"b":null}],"PARENT":{"git":{"command":"uvx","args":[]}},"c":"\\u00e9"}',
  },
  { what: 'a closing brace on the line of a server', text: '{\n  "PARENT": {\n    "git": {} }}' },
  {
    what: 'numbers and keys JavaScript would change',
    text: '{\n  "n": 1e400, "10": 1, "2": 12345678901234567890,\n  "__proto__": {"a": 1},\n  "PARENT": {"constructor": {}}\n}\n',
  },
  {
    what: 'repeated keys elsewhere',
    text: '{\n  "a": 1,\n  "a": 2,\n  "PARENT": {"git": {}, "git": {}}\n}\n',
  },
  { what: 'an escaped spelling of the parent', text: '{\n  "\\u0050ARENT": {\n    "git": {}\n  }\n}\n' },
];

const COMMENT_SAMPLES: Sample[] = [
  { what: 'only comments', text: '// nothing yet\n/* at all */', gone: '// nothing yet\n/* at all */\n{}\n' },
  {
    what: 'a comment behind the last server',
    text: '{\n  "PARENT": {\n    "git": {} // mine\n  } // end\n} // bye',
  },
  {
    what: 'comments below the last server',
    text: '{\n  "PARENT": {\n    "git": {}, // a\n    "hub": {} /* b */\n    // "off": {}\n    /* c */\n  }\n}\n',
  },
  { what: 'comments in an empty parent', text: '{\n  "PARENT": {\n    // none\n  }\n}\n' },
  { what: 'a comment in an empty parent on one line', text: '{\n  "PARENT": {/* none */}\n}\n' },
  {
    what: 'a comment behind the opening brace',
    text: '{ // all\n  "PARENT": { // servers\n    "git": {}\n  }\n}\n',
  },
  { what: 'a comment in an empty file object', text: '{\n  // "theme": "dark"\n}\n' },
  {
    what: 'comments that look like the entry',
    text: '{\n  // "PARENT": { "holdfast": {} },\n  "a": "// \\" not /* one",\n  "PARENT": {\n    /* "holdfast": 1, */ "git": {}\n  }\n}\n',
  },
  { what: 'a comment between value and brace on one line', text: '{ "PARENT": { "git": {} /* c */ } }' },
  { what: 'a line comment after a one-line server', text: '{ "PARENT": { "git": {} // c\n} }' },
];

const TRAILING_COMMA_SAMPLES: Sample[] = [
  {
    what: 'trailing commas',
    text: '{\n  "$schema": "https://opencode.ai/config.json",\n  "PARENT": {\n    "git": {\n      "type": "remote",\n    }, // last\n  },\n}\n',
  },
  { what: 'a trailing comma without parent', text: '{\n\t"theme": "x", // last\n\t/* end */\n}\n' },
  { what: 'a trailing comma on one line', text: '{"PARENT":{"git":{},},}' },
  {
    what: 'a trailing comma behind a comment',
    text: '{\n  "PARENT": {\n    "git": {} /* a */ , /* b */\n  }\n}\n',
  },
];

const TOML_SAMPLES: Sample[] = [
  { what: 'an empty file', text: '' },
  { what: 'a file with only a line break', text: '\n' },
  { what: 'a file with only spaces', text: '  ' },
  { what: 'a byte order mark', text: '\uFEFFmodel = "gpt-5.5"\r\n' },
  { what: 'a byte order mark alone', text: '\uFEFF' },
  { what: 'a setting', text: 'model = "gpt-5.5"\n' },
  { what: 'no final line break', text: 'model = "gpt-5.5"' },
  { what: 'a comment without final line break', text: 'model = "gpt-5.5" # mine\n# end' },
  { what: 'blank lines at the end', text: 'model = "gpt-5.5"\n\n\n' },
  { what: 'CRLF', text: 'model = "gpt-5.5"\r\n\r\n[features]\r\nplugins = false\r\n' },
  { what: 'CRLF without final line break', text: 'model = "gpt-5.5"\r\n[features]\r\nplugins = false' },
  {
    what: 'a big file',
    text: [
      '#:schema https://example.test/codex.json',
      'model = "gpt-5.5"  # the good one',
      'notify = [',
      '  "sh", # comment ] in an array',
      '  "-c",',
      ']',
      'since = 1979-05-27T07:32:00-08:00',
      'big = 9007199254740993',
      'nothing = nan',
      '',
      '[mcp_servers.git]',
      'command = "uvx"',
      'args = ["mcp-server-git"]',
      '',
      '  [mcp_servers.git.env]',
      '  TOKEN = "a]b#c"',
      '',
      '[projects."/src/a.b"]',
      'trust_level = "trusted"',
      '',
      '[[hooks]]',
      'name = "one"',
      '[[hooks]]',
      'name = "two"',
      '',
    ].join('\n'),
  },
  {
    what: 'the entry inside multi-line strings',
    text: 'developer_instructions = """\n[mcp_servers.holdfast]\ncommand = \\"""x"""\nraw = \'\'\'\n[mcp_servers.holdfast]\n\'\'\'\'\'\n',
  },
  { what: 'an empty parent table', text: '[mcp_servers]\n\n[tui]\ntheme = "x"\n' },
  { what: 'servers as inline tables', text: '[mcp_servers]\ngit = { command = "uvx", args = [] }\n' },
  { what: 'servers by dotted keys', text: 'mcp_servers.git.command = "uvx"\nmcp_servers.git.args = []\n' },
  {
    what: 'names that only resemble ours',
    text: '[mcp_servers."holdfast.env"]\ncommand = "a"\n[mcp_servers.holdfast2]\ncommand = "b"\n[other.mcp_servers.holdfast]\nx = 1\n',
  },
];

function samplesFor(name: ClientName): Sample[] {
  const { format } = CLIENTS[name];
  if (format.kind === 'toml') return TOML_SAMPLES;
  const samples = [
    ...JSON_SAMPLES,
    ...(format.comments ? COMMENT_SAMPLES : []),
    ...(format.trailingCommas ? TRAILING_COMMA_SAMPLES : []),
  ];
  return samples.map(({ what, text, gone }) => {
    const spell = (sample: string) =>
      sample
        .replaceAll('\\u0050ARENT', `\\u006d${format.parentKey.slice(1)}`)
        .replaceAll('PARENT', format.parentKey);
    return gone === undefined ? { what, text: spell(text) } : { what, text: spell(text), gone };
  });
}

const CASES = CLIENT_NAMES.flatMap((name) => samplesFor(name).map((sample) => ({ name, ...sample })));

/** The settings as the client would read them. */
function readSettings(name: ClientName, text: string): Record<string, Record<string, unknown>> {
  const body = text.replace(/^\uFEFF/, '');
  const { format } = CLIENTS[name];
  if (format.kind === 'toml') return parseToml(body, { integersAsBigInt: 'asNeeded' }) as never;
  return format.comments ? parseJsonc(body) : JSON.parse(body);
}

function entryIn(name: ClientName, text: string): unknown {
  return readSettings(name, text)[CLIENTS[name].format.parentKey]?.holdfast;
}

describe('addEntry', () => {
  it.each(CASES)('gives $name an entry it can read in $what', ({ name, text }) => {
    const added = addEntry(name, text, entry);
    expect(added.changed).toBe(true);
    expect(entryIn(name, added.text)).toEqual(CLIENTS[name].describe(entry));
    expect(hasEntry(name, text)).toBe(false);
    expect(hasEntry(name, added.text)).toBe(true);
  });

  it.each(CASES)('changes nothing the second time for $name in $what', ({ name, text }) => {
    const { text: once } = addEntry(name, text, entry);
    expect(addEntry(name, once, entry)).toEqual({ text: once, changed: false });
  });

  it.each(CASES)('is undone by removeEntry for $name in $what', ({ name, text, gone }) => {
    const added = addEntry(name, text, hardEntry);
    expect(removeEntry(name, added.text)).toEqual({ text: gone ?? text, changed: true });
  });

  it.each(CASES)(
    'replaces an entry that differs, still undone, for $name in $what',
    ({ name, text, gone }) => {
      const first = addEntry(name, text, hardEntry);
      const second = addEntry(name, first.text, entry);
      expect(second).toEqual({ text: addEntry(name, text, entry).text, changed: true });
      expect(removeEntry(name, second.text).text).toBe(gone ?? text);
    },
  );

  it.each(CASES)('keeps the line ending of $what for $name', ({ name, text }) => {
    if (!text.includes('\n')) return;
    const isCrlf = text.includes('\r\n');
    expect(/(?<!\r)\n/.test(addEntry(name, text, hardEntry).text)).toBe(!isCrlf);
  });

  it.each(CLIENT_NAMES)('writes a whole file for %s if there is none', (name) => {
    const added = addEntry(name, null, hardEntry);
    expect(added.changed).toBe(true);
    expect(added.text.endsWith('\n')).toBe(true);
    expect(entryIn(name, added.text)).toEqual(CLIENTS[name].describe(hardEntry));
  });

  it.each(CLIENT_NAMES)('refuses settings of %s that do not parse, with the place and the entry', (name) => {
    const broken =
      CLIENTS[name].format.kind === 'toml' ? '\uFEFFa = 1\nb = = 2\n' : '\uFEFF{\n  "a": 1 "b"\n}\n';
    const error = refusalOf(() => addEntry(name, broken, entry));
    expect(error).toMatchObject({ code: 'CLIENT_SETTINGS_UNREADABLE', client: name, line: 2 });
    expect(error.message).toContain(`line 2, column ${error.column}`);
    expect(error.hint).toContain(renderEntry(name, entry));
    expect(isHoldfastError(error, 'CLIENT_SETTINGS_UNREADABLE')).toBe(true);
    expect(refusalOf(() => removeEntry(name, broken)).line).toBe(2);
    expect(refusalOf(() => hasEntry(name, broken)).line).toBe(2);
  });
});

describe('removeEntry', () => {
  it.each(CASES)('changes nothing if there is no entry, for $name in $what', ({ name, text }) => {
    expect(removeEntry(name, text)).toEqual({ text, changed: false });
  });
});

describe('renderEntry', () => {
  it.each(CLIENT_NAMES)('gives settings of %s that already contain the entry', (name) => {
    const snippet = renderEntry(name, hardEntry);
    expect(addEntry(name, snippet, hardEntry)).toEqual({ text: snippet, changed: false });
  });

  it('shows what a person would paste', () => {
    expect(renderEntry('codex', serverEntry({ command: 'holdfast', args: ['mcp'], env: { A: 'b' } }))).toBe(
      [
        '[mcp_servers.holdfast]',
        'command = "holdfast"',
        'args = [ "mcp" ]',
        'startup_timeout_sec = 60',
        'tool_timeout_sec = 86400',
        '',
        '[mcp_servers.holdfast.env]',
        'A = "b"',
        '',
        '[mcp_servers.holdfast.tools.ask_user_questions]',
        'approval_mode = "approve"',
        '',
        '[mcp_servers.holdfast.tools.get_answered_questions]',
        'approval_mode = "approve"',
        '',
      ].join('\n'),
    );
    expect(renderEntry('gemini', serverEntry({ command: 'holdfast', args: ['mcp'] }))).toBe(
      [
        '{',
        '  "mcpServers": {',
        '    "holdfast": {',
        '      "command": "holdfast",',
        '      "args": [',
        '        "mcp"',
        '      ],',
        '      "timeout": 86400000',
        '    }',
        '  }',
        '}',
        '',
      ].join('\n'),
    );
  });
});

function refusalOf(run: () => unknown): ClientSettingsError {
  try {
    run();
  } catch (error) {
    if (error instanceof ClientSettingsError) return error;
    throw error;
  }
  throw new Error('not refused');
}
