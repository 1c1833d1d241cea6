import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { question } from '../../test/support/question-world.js';
import { verifies } from '../../test/support/verifies.js';
import { nameOf } from './command.js';
import { helpOf } from './parse.js';
import { entryTexts, TABLES } from './programs/entry-texts.js';
import { holdfastProgram } from './programs/holdfast-program.js';
import { HOLDFAST } from './programs/holdfast-table.js';
import type { QuickFile } from './programs/quick-table.js';
import { completionScript, SHELLS } from './render/completion.js';

const SET = JSON.stringify({ questions: [question()] });
const GROUPS = (await HOLDFAST.groups?.()) ?? [];
const COMMANDS = GROUPS.flatMap(({ commands }) => commands);
const LISTED = COMMANDS.map((command) => [nameOf(command), command.summary] as const);

describe('the help', () => {
  verifies('Q20', 'the table of commands and the root help agree', async () => {
    expect(new Set(LISTED.map(([name]) => name)).size).toBe(LISTED.length);
    const { __HOLDFAST_HELP__: help } = await entryTexts();
    for (const [name, summary] of LISTED)
      expect(help).toMatch(new RegExp(`^  ${name} +${summary.replaceAll(/[.?]/g, '\\$&')}$`, 'm'));
  });

  for (const [name, summary] of LISTED) {
    verifies(
      'Q20',
      `${name} --help has the summary, the options of every command, and an example of itself`,
      async () => {
        await using world = await appWorld();
        const { code, stdout, stderr } = await world.run([...name.split(' '), '--help']);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout).toContain(`Usage: holdfast ${name} `);
        expect(stdout).toContain(summary);
        for (const option of ['--json', '--quiet', '--color', '--no-color', '-h, --help'])
          expect(stdout).toContain(option);
        const examples = stdout
          .slice(stdout.indexOf('Examples:\n') + 10)
          .trimEnd()
          .split('\n');
        expect(examples.join('\n')).toContain(`holdfast ${name.split(' ')[0]}`);
        for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(140);
      },
    );
  }

  it('breaks the lines of a paragraph only if the next word does not fit', async () => {
    for (const command of COMMANDS) {
      if (command.details === undefined) continue;
      const [, , paragraph = ''] = helpOf(command).split('\n\n');
      const lines = paragraph.split('\n');
      expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toBe(command.details.replaceAll(/\s+/g, ' '));
      for (const [index, next] of lines.slice(1).entries()) {
        const [word = ''] = next.split(' ');
        expect(`${lines[index]} ${word}`.length, `${command.usage}: ${lines[index]}`).toBeGreaterThan(79);
      }
    }
  });

  it('of a group lists its commands', async () => {
    await using world = await appWorld();
    const { code, stdout } = await world.run(['questions', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('questions collect   Fetch answers that have arrived');
    expect(stdout).toContain('Without a command: questions list.');
    expect(stdout).not.toContain('change');
    expect((await world.run(['help', 'questions'])).stdout).toBe(stdout);
    expect((await world.run(['constructor', '--help'])).code).toBe(2);
  });

  it('is asked for with `help` before the command, too', async () => {
    await using world = await appWorld();
    const { code, stdout } = await world.run(['help', 'questions', 'list']);
    expect([code, stdout.includes('Usage: holdfast questions list')]).toEqual([0, true]);
  });

  it('is not needed to find an option of all commands', async () => {
    await using world = await appWorld();
    expect(await world.run(['--json', '--quiet', 'questions'])).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

describe('the command line', () => {
  const UNKNOWN: readonly [string[], string][] = [
    [['nonsense'], 'There is no command `nonsense`'],
    [['questions', 'nonsense'], 'There is no command `questions nonsense`'],
    [['an'], 'There is no command `an`'],
    [['queue'], '`queue` is only the first word of a command'],
    [['__proto__'], 'There is no command `__proto__`'],
    [['constructor'], 'There is no command `constructor`'],
    [['\u001b[2Jx\u202e'], 'There is no command `^[[2Jx\\u{202e}`'],
  ];
  for (const [args, message] of UNKNOWN) {
    verifies('Q20', `an unknown command is a usage error: ${JSON.stringify(args)}`, async () => {
      await using world = await appWorld();
      const { code, stdout, stderr } = await world.run(args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`holdfast: ${message}\n`);
    });
  }

  it('suggests what was meant', async () => {
    await using world = await appWorld();
    expect((await world.run(['anwser'])).stderr).toContain('Did you mean: answer?');
    expect((await world.run(['zz'])).stderr).toContain('See `holdfast --help`.');
  });

  verifies('Q20', 'an unknown option names itself and the help', async () => {
    await using world = await appWorld();
    const { code, stderr } = await world.run(['questions', 'list', '--al']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /unknown option '--al' \(Did you mean --all\?\)\nSee `holdfast questions list --help`\.\n$/s,
      ),
    ]);
    expect((await world.run(['questions', 'show'])).stderr).toMatch(/missing required argument 'session'/);
    expect((await world.run(['questions', 'list', 'extra'])).code).toBe(2);
  });

  verifies('Q20', 'a group without a verb has its default', async () => {
    expect((await HOLDFAST.find(['questions']))?.name).toBe('questions list');
    expect(await HOLDFAST.find(['questions', '--all'])).toMatchObject({
      name: 'questions list',
      rest: ['--all'],
    });
    expect((await HOLDFAST.find(['config', '--json']))?.name).toBe('config show');
    expect(await HOLDFAST.find(['questions', 'nope'])).toBeUndefined();
    expect(await HOLDFAST.find([])).toBeUndefined();
  });

  it('the quick files have every command that the entry leaves to them', async () => {
    const texts = await entryTexts();
    expect(texts.__HOLDFAST_WORDS__).toEqual({
      ask: 'quick',
      inbox: 'inbox',
      answer: 'quick',
      reject: 'quick',
      questions: 'quick',
      waiting: 'quick',
      hook: 'hook',
      change: 'change',
      top: 'runs',
      status: 'runs',
      queue: 'queue',
      sessions: 'lists',
      paths: 'lists',
      run: 'work',
      pause: 'work',
      resume: 'work',
      stop: 'work',
      guide: 'work',
      attach: 'work',
      logs: 'work',
      report: 'work',
      exec: 'work',
      chat: 'work',
      web: 'web',
      mcp: 'server',
    });
    expect(texts.__RALPHTOOL_WORDS__).toEqual({ agent: 'change' });
    for (const { holdfast: words = {} } of Object.values(TABLES).flatMap(Object.values<QuickFile>)) {
      const groups = (await holdfastProgram([{ title: '', words }]).groups?.()) ?? [];
      const isInFile = (name: string) => Object.hasOwn(words, name.split(' ')[0] ?? '');
      expect(groups.flatMap(({ commands }) => commands.map(nameOf)).sort()).toEqual(
        LISTED.map(([name]) => name)
          .filter(isInFile)
          .sort(),
      );
    }
  });

  verifies('Q20', 'errors with --json are one line on stdout, without it one or two on stderr', async () => {
    await using world = await appWorld();
    const plain = await world.run(['questions', 'show', 'x']);
    expect(plain).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^holdfast: Invalid session id: x is neither an id nor the first 4 or more characters of one\nGive the full id.*\n$/,
      ),
    });
    const { code, stdout, stderr } = await world.run(['questions', 'show', 'x', '--json']);
    expect([code, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toEqual({
      success: false,
      error: 'Invalid session id: x is neither an id nor the first 4 or more characters of one',
      code: 'INVALID_SESSION_ID',
      hint: expect.any(String),
    });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  verifies('Q20', '--quiet leaves out notes, not data and not errors', async () => {
    await using world = await appWorld();
    const { stdout: id } = await world.run(['ask', '--no-wait', SET]);
    expect(await world.run(['questions', 'collect', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await world.run(['questions', 'collect'])).stderr).toBe('Nothing new.\n');
    expect((await world.run(['questions', 'show', id.trim(), '--quiet'])).stdout).toContain('pending');
    expect((await world.run(['questions', 'show', 'ffff', '--quiet'])).stderr).toContain(
      'Session not found: ffff',
    );
  });

  const ESC = '\u001b[';
  const COLOURS: readonly [string, string[], boolean, Record<string, string>, boolean][] = [
    ['a terminal has colours', [], true, {}, true],
    ['a pipe has none', [], false, {}, false],
    ['NO_COLOR takes them away', [], true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR does not', [], true, { NO_COLOR: '' }, true],
    ['--no-color takes them away', ['--no-color'], true, {}, false],
    ['--color gives them to a pipe', ['--color'], false, {}, true],
    ['--color beats NO_COLOR', ['--color'], false, { NO_COLOR: '1' }, true],
  ];
  for (const [what, flags, isTerminal, environment, hasColour] of COLOURS) {
    verifies('Q20', `colours: ${what}`, async () => {
      await using world = await appWorld();
      await world.run(['ask', '--no-wait', SET]);
      const listed = await world.run(['questions', 'list', ...flags], { isTerminal, environment });
      expect(listed.stdout.includes(ESC)).toBe(hasColour);
      const failed = await world.run(['questions', 'show', 'x', ...flags], { isTerminal, environment });
      expect(failed.stderr.includes(ESC)).toBe(hasColour);
      const json = await world.run(['questions', 'list', '--json', ...flags], { isTerminal, environment });
      expect(json.stdout.includes(ESC)).toBe(false);
    });
  }

  it('a defect is reported as one, with exit code 1', async () => {
    await using world = await appWorld();
    mkdirSync(join(world.project, 'dir'));
    const { code } = await world.run(['ask', '--file', 'dir']);
    expect(code).toBe(1);
  });
});

describe('holdfast config show', () => {
  verifies('Q20', 'prints every setting, its value and where it came from', async () => {
    await using world = await appWorld();
    world.configure({ version: 1, question: { maxSessions: 7 }, 'mcp.handBackSeconds.codex': 12 });
    const { data } = await world.json(['config', 'show']);
    const file = join(world.dir.path, 'holdfast', 'config', 'config.json');
    expect(data.file).toBe(file);
    const find = (key: string) => data.settings.find((setting: { key: string }) => setting.key === key);
    expect(find('question.maxSessions')).toEqual({
      key: 'question.maxSessions',
      value: 7,
      source: file,
      about: expect.any(String),
    });
    expect(find('mcp.handBackSeconds.codex')).toMatchObject({ value: 12, source: file });
    expect(find('question.maxQuestions')).toMatchObject({ value: 5, source: 'default' });
    expect(find('question.dir')).toMatchObject({
      value: join(world.dir.path, 'holdfast', 'data', 'questions'),
      source: 'default',
    });
    const { stdout } = await world.run(['config']);
    expect(stdout).toMatch(/^KEY +VALUE +FROM +WHAT$/m);
    expect(stdout).toMatch(/^question\.maxSessions +7 /m);
  });

  const BAD: readonly [string, unknown, string][] = [
    ['an unknown key', { question: { maxSesions: 5 } }, 'unknown key "question.maxSesions"'],
    ['an unknown key at the top', { nonsense: true }, 'unknown key "nonsense"'],
    ['a wrong type', { question: { maxSessions: 'many' } }, 'question.maxSessions: '],
    ['a value out of bounds', { question: { maxQuestions: 11 } }, 'question.maxQuestions: '],
    ['a value below the bounds', { question: { maxOptions: 1 } }, 'question.maxOptions: '],
    ['half a session', { question: { maxSessions: 1.5 } }, 'question.maxSessions: '],
    ['a negative time', { question: { timeoutSeconds: -1 } }, 'question.timeoutSeconds: '],
    ['a time beyond the calendar', { question: { timeoutSeconds: 1e300 } }, 'question.timeoutSeconds: '],
    [
      'a relative path',
      { question: { dir: 'here' } },
      'question.dir: must be an absolute path or start with ~/',
    ],
    ['no object', '[]', 'must hold an object'],
    ['a text', '"x"', 'must hold an object'],
    ['no JSON', '{', 'not JSON: '],
    [
      'a prototype',
      '{"__proto__":{"question.maxSessions":5}}',
      'unknown key "__proto__.question.maxSessions"',
    ],
  ];
  for (const [what, settings, reason] of BAD) {
    verifies('Q20', `${what} in config.json is an error naming file and key, for every command`, async () => {
      await using world = await appWorld();
      world.configure(settings);
      const file = join(world.dir.path, 'holdfast', 'config', 'config.json');
      for (const args of [['config', 'show'], ['questions'], ['paths'], ['mcp']]) {
        const { code, stderr } = await world.run(args);
        expect([args, code]).toEqual([args, 2]);
        expect(stderr).toContain(`holdfast: ${file}: ${reason}`);
      }
    });
  }

  it('a home that is not absolute is refused', async () => {
    await using world = await appWorld();
    const { code, stderr } = await world.run(['paths'], { environment: { HOLDFAST_HOME: 'here' } });
    expect([code, stderr]).toEqual([
      2,
      'holdfast: HOLDFAST_HOME: must be an absolute path, not "here"\n' +
        'Set the variable to a path that starts with /, or leave it unset for the usual places.\n',
    ]);
  });
});

describe('holdfast paths', () => {
  verifies('Q20', 'prints every path, moved by HOLDFAST_HOME and by config', async () => {
    await using world = await appWorld();
    const { data } = await world.json(['paths']);
    const own = join(world.dir.path, 'holdfast');
    expect(data).toMatchObject({
      configFile: join(own, 'config', 'config.json'),
      questions: join(own, 'data', 'questions'),
      questionTrash: join(own, 'data', 'trash', 'questions'),
      data: join(own, 'data'),
      state: join(own, 'state'),
      rootsFrom: 'HOLDFAST_HOME',
    });
    world.configure({ question: { dir: '~/asked' } });
    const moved = await world.json(['paths']);
    expect(moved.data).toMatchObject({
      questions: join(world.dir.path, 'home', 'asked'),
      questionTrash: join(world.dir.path, 'home', 'asked', '.holdfast', 'trash'),
    });
    expect((await world.run(['paths'])).stdout).toMatch(/^questions +\//m);
  });

  it('without HOLDFAST_HOME they follow XDG', async () => {
    await using world = await appWorld();
    const { data } = await world.json(['paths'], {
      environment: {
        HOLDFAST_HOME: '',
        XDG_DATA_HOME: join(world.dir.path, 'xdg'),
        XDG_STATE_HOME: 'relative',
      },
    });
    expect(data).toMatchObject({
      data: join(world.dir.path, 'xdg', 'holdfast'),
      state: join(world.dir.path, 'home', '.local', 'state', 'holdfast'),
      configFile: join(world.dir.path, 'home', '.config', 'holdfast', 'config.json'),
      rootsFrom: 'the XDG directories',
    });
  });

  it('a project whose name is hostile is shown as visible text', async () => {
    await using world = await appWorld();
    const evil = join(world.project, 'x\u001b[2J\u202e\ny');
    mkdirSync(evil);
    const { stdout } = await world.run(['paths'], { workingDirectory: evil });
    expect(stdout).toContain('x^[[2J\\u{202e}\\ny');
    expect(stdout).not.toContain('\u001b');
  });
});

describe('holdfast setup', () => {
  it('says how to write what it shows, with the given options', async () => {
    await using world = await appWorld();
    const hintOf = async (...args: string[]) =>
      /^Put it there with: (.*)$/m.exec((await world.run(['setup', 'claude', ...args])).stderr)?.[1];
    expect(await hintOf()).toBe('holdfast setup claude --write');
    expect(await hintOf('--project')).toBe('holdfast setup claude --project --write');
    expect(await hintOf('--project', '--command', "/it's here/holdfast")).toBe(
      "holdfast setup claude --project --command '/it'\\''s here/holdfast' --write",
    );
  });

  for (const client of ['claude', 'codex', 'gemini', 'opencode']) {
    verifies('Q22', `${client}: prints, writes, writes again, and takes out`, async () => {
      await using world = await appWorld();
      const printed = await world.json(['setup', client]);
      expect(Object.keys(printed.data)).toEqual(['client', 'files', 'note', 'isInPlace', 'changed']);
      expect(printed).toMatchObject({ code: 0, data: { client, isInPlace: false, changed: [] } });
      const { files } = printed.data as { files: { path: string; snippet: string }[] };
      for (const { path } of files) expect(path.startsWith(join(world.dir.path, 'home'))).toBe(true);
      const plain = await world.run(['setup', client]);
      for (const { path, snippet } of files) {
        expect(plain.stdout).toContain(snippet);
        expect(plain.stderr).toContain(`Goes into ${path}`);
      }
      expect(await world.json(['setup', client, '--write'])).toMatchObject({
        code: 0,
        data: { isInPlace: true, changed: files.map(({ path }) => path) },
      });
      expect(await world.json(['setup', client, '--write'])).toMatchObject({
        code: 0,
        data: { isInPlace: true, changed: [] },
      });
      expect((await world.run(['setup', client, '--write'])).stdout).toContain(
        'has the MCP server "holdfast"',
      );
      expect((await world.run(['setup', client])).stderr).toContain('(already there)');
      expect(await world.json(['setup', client, '--remove'])).toMatchObject({
        code: 0,
        data: { isInPlace: false, changed: files.map(({ path }) => path) },
      });
      expect(await world.json(['setup', client, '--remove'])).toMatchObject({
        code: 0,
        data: { isInPlace: false, changed: [] },
      });
      expect((await world.run(['setup', client, '--remove'])).stdout).toContain('There was nothing of ours');
    });

    verifies(
      'Q22',
      `${client}: --project writes into the project, --command says how it starts`,
      async () => {
        await using world = await appWorld();
        const { data } = await world.json([
          'setup',
          client,
          '--write',
          '--project',
          '--command',
          '/opt/holdfast',
        ]);
        for (const { path } of data.files) expect(path.startsWith(`${world.project}/`)).toBe(true);
        expect(data.files[0].snippet).toContain('/opt/holdfast');
      },
    );
  }

  verifies('Q22', 'the timeouts that each client needs', async () => {
    await using world = await appWorld();
    const snippet = async (client: string) =>
      (await world.json(['setup', client])).data.files[0].snippet as string;
    // With HOLDFAST_HOME set, the server that the agent starts must use the same one.
    const env = { HOLDFAST_HOME: expect.stringContaining(world.dir.path) };
    expect(JSON.parse(await snippet('claude'))).toEqual({
      mcpServers: {
        holdfast: { type: 'stdio', command: 'holdfast', args: ['mcp'], timeout: 86_400_000, env },
      },
    });
    expect(JSON.parse(await snippet('gemini'))).toEqual({
      mcpServers: { holdfast: { command: 'holdfast', args: ['mcp'], timeout: 86_400_000, env } },
    });
    expect(JSON.parse(await snippet('opencode'))).toMatchObject({
      mcp: {
        holdfast: {
          type: 'local',
          command: ['holdfast', 'mcp'],
          enabled: true,
          timeout: 86_400_000,
          environment: env,
        },
      },
    });
    expect(await snippet('codex')).toMatch(
      /^\[mcp_servers\.holdfast\]\ncommand = "holdfast"\nargs = \[ ?"mcp" ?\]\nstartup_timeout_sec = 60\ntool_timeout_sec = 86400\n/,
    );
  });

  verifies(
    'Q22',
    'an unknown client, --write with --remove, and unreadable settings are refused',
    async () => {
      await using world = await appWorld();
      expect(await world.run(['setup', 'cursor'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Known: claude, codex, gemini, opencode.'),
      });
      expect((await world.run(['setup', 'claude', '--write', '--remove'])).code).toBe(2);
      const path = join(world.dir.path, 'home', '.claude.json');
      writeFileSync(path, '{ not json');
      const { code, stderr } = await world.run(['setup', 'claude', '--write']);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`holdfast: ${path}: `)]);
      // Text to paste by hand is printed exactly as it must be pasted.
      expect(stderr).toContain('"mcpServers": {\n');
    },
  );
});

describe('holdfast completion', () => {
  for (const shell of SHELLS) {
    verifies('Q20', `${shell}: knows every command`, async () => {
      await using world = await appWorld();
      const { code, stdout } = await world.run(['completion', shell]);
      expect([code, stdout]).toEqual([0, `${completionScript(shell, GROUPS)}\n`]);
      for (const [name] of LISTED)
        for (const word of name.split(' ')) expect(stdout).toMatch(new RegExp(`\\b${word}\\b`));
    });
  }

  it('another shell is refused', async () => {
    await using world = await appWorld();
    expect((await world.run(['completion', 'tcsh'])).code).toBe(2);
  });
});
