import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOLDFAST, type Json, type Machine, machine, type Running } from '../support/holdfast-binary.js';
import { noticeServer } from '../support/notice-server.js';
import { until } from '../support/processes.js';
import { verifies } from '../support/verifies.js';

const SESSION = '2bb6c1d2-1111-4222-8333-abcdefabcdef';

/** As Claude Code 2.1.325 was heard to say it. */
function claudeInput(world: Machine, overrides: Json = {}): Json {
  return {
    session_id: SESSION,
    transcript_path: join(world.dir.path, 'transcript.jsonl'),
    cwd: world.project,
    prompt_id: 'ecf6c1d2-1111-4222-8333-abcdefabcdef',
    permission_mode: 'default',
    effort: { level: 'medium' },
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'touch slow-start.txt', description: 'Runs a command' },
    permission_suggestions: SUGGESTIONS,
    ...overrides,
  };
}

const SUGGESTIONS = [
  {
    type: 'addRules',
    rules: [{ toolName: 'Bash', ruleContent: 'touch slow-start.txt' }],
    behavior: 'allow',
    destination: 'localSettings',
  },
];

/** As Codex 0.166 was heard to say it. */
function codexInput(world: Machine, overrides: Json = {}): Json {
  return {
    session_id: SESSION,
    turn_id: '01a1c1d2-1111-7222-8333-abcdefabcdef',
    transcript_path: join(world.dir.path, 'rollout.jsonl'),
    cwd: world.project,
    hook_event_name: 'PermissionRequest',
    model: 'gpt-5.5',
    permission_mode: 'default',
    tool_name: 'Bash',
    tool_input: { command: 'touch made-bash.txt; echo ran', description: 'May I?' },
    ...overrides,
  };
}

function startHook(
  world: Machine,
  input: Json | string,
  agent = 'claude',
  event = 'PermissionRequest',
): Running {
  const hook = world.start(['hook', event, '--agent', agent]);
  hook.child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
  return hook;
}

const permissions = (world: Machine) => join(world.env.HOLDFAST_HOME ?? '', 'data', 'permissions');

function idsOf(world: Machine): string[] {
  const directory = permissions(world);
  return existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith('.')) : [];
}

async function cardOf(world: Machine): Promise<Json> {
  await until(() => idsOf(world).length > 0);
  return (await world.asideJson(['questions', 'show', idsOf(world)[0] ?? ''])).data;
}

function agentsOf(world: Machine): Json[] {
  const directory = join(world.env.HOLDFAST_HOME ?? '', 'state', 'agents');
  if (!existsSync(directory)) return [];
  return readdirSync(directory).map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
}

const decision = (stdout: string) => JSON.parse(stdout).hookSpecificOutput.decision;

describe('a permission by hook', () => {
  verifies('H01', 'is answered on the card in the format of Claude Code', async () => {
    await using world = await machine();
    const hook = startHook(world, claudeInput(world));
    const card = await cardOf(world);
    expect(card).toMatchObject({
      workingDirectory: world.project,
      asker: { agent: 'claude', hook: SESSION },
    });
    const told = await world.aside(['answer', card.sessionId, 'Allow once']);
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('Given to claude.')]);
    expect(await hook.ended).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}\n',
    });
    expect(agentsOf(world)).toMatchObject([{ agent: 'claude', session: SESSION, state: 'working' }]);
  });

  verifies('H01', 'is allowed always exactly as the agent suggested, which the card shows', async () => {
    await using world = await machine();
    const hook = startHook(world, claudeInput(world));
    const card = await cardOf(world);
    expect(card.questions[0].prompt).toContain(JSON.stringify(SUGGESTIONS[0]));
    await world.aside(['answer', card.sessionId, 'Allow always']);
    expect(decision((await hook.ended).stdout)).toEqual({
      behavior: 'allow',
      updatedPermissions: SUGGESTIONS,
    });
  });

  it.each([
    ['nothing', undefined],
    ['an empty list', []],
    ['something that is not known', [{ type: 'replaceRules', rules: [] }]],
    [
      'a mode that never asks again',
      [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
    ],
  ])('offers no "Allow always" where the agent suggested %s', async (_what, suggestions) => {
    await using world = await machine();
    startHook(world, claudeInput(world, { permission_suggestions: suggestions }));
    const labels = (await cardOf(world)).questions[0].options.map(({ label }: Json) => label);
    expect(labels).toEqual(['Allow once', 'Deny']);
  });

  it.each([
    ['a choice', ['--option', 'Deny'], 'The user denied this.'],
    ['own words', ['--text', 'Use the other file'], 'Use the other file'],
    ['own words with a yes', ['--option', 'Allow once', '--text', 'only today'], 'only today'],
    ['a rejection with a reason', ['--reject', '--reason', 'not now'], 'not now'],
  ])('is denied by %s, and the agent is told why', async (_how, args, message) => {
    await using world = await machine();
    const hook = startHook(world, codexInput(world), 'codex');
    const card = await cardOf(world);
    await world.aside(['answer', card.sessionId, ...args]);
    expect(decision((await hook.ended).stdout)).toEqual({ behavior: 'deny', message });
  });

  verifies('H01', 'offers no "Allow always" for Codex, which would refuse the whole answer', async () => {
    await using world = await machine();
    const hook = startHook(world, codexInput(world, { permission_suggestions: SUGGESTIONS }), 'codex');
    const card = await cardOf(world);
    expect(card.questions[0].options.map(({ label }: Json) => label)).toEqual(['Allow once', 'Deny']);
    await world.aside(['answer', card.sessionId, 'Allow once']);
    expect(decision((await hook.ended).stdout)).toEqual({ behavior: 'allow' });
  });

  verifies('H02', 'gives way to the dialog of Codex: no verdict, and the card is gone', async () => {
    await using world = await machine();
    world.configure({ hooks: { waitSeconds: 0.2 } });
    const hook = startHook(world, codexInput(world), 'codex');
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const [id = ''] = idsOf(world);
    expect((await world.asideJson(['questions'])).data).toEqual([]);
    const late = await world.aside(['answer', id, 'Allow once']);
    expect([late.code === 0, late.stderr]).toEqual([
      false,
      expect.stringContaining('asks at its own terminal'),
    ]);
    expect(agentsOf(world)).toMatchObject([{ agent: 'codex', state: 'waiting', waitsFor: 'permission' }]);
  });

  verifies('H02', 'gives way for a subagent and for an agent without a person, too', async () => {
    await using world = await machine();
    world.configure({ hooks: { waitSeconds: 0.2 } });
    const subagent = claudeInput(world, { agent_id: 'a0f4', agent_type: 'general-purpose' });
    expect((await startHook(world, subagent).ended).stdout).toBe('');
    const alone = world.start(['hook', 'PermissionRequest', '--agent', 'claude'], {
      env: { CLAUDE_CODE_SESSION_ATTENDED: '0' },
    });
    alone.child.stdin.end(JSON.stringify(claudeInput(world)));
    expect((await alone.ended).stdout).toBe('');
  });

  verifies('H01', 'is only told where hooks.waitSeconds is 0', async () => {
    await using world = await machine();
    world.configure({ hooks: { waitSeconds: 0 } });
    expect(await startHook(world, claudeInput(world)).ended).toMatchObject({ code: 0, stdout: '' });
    expect([idsOf(world), agentsOf(world)]).toMatchObject([
      [],
      [{ state: 'waiting', waitsFor: 'permission' }],
    ]);
  });

  verifies('H02', 'is withdrawn when the transcript has the result of the tool', async () => {
    await using world = await machine();
    const input = claudeInput(world);
    const transcript = join(world.dir.path, 'transcript.jsonl');
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: input.tool_input };
    writeFileSync(transcript, `${JSON.stringify({ message: { content: [call] } })}\n`);
    const hook = startHook(world, input);
    const card = await cardOf(world);
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ran' };
    writeFileSync(transcript, `${JSON.stringify({ message: { content: [result] } })}\n`, { flag: 'a' });
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '' });
    const late = await world.aside(['answer', card.sessionId, 'Allow once']);
    expect(late.stderr).toContain('it was answered at the terminal');
  });

  verifies('H02', 'is withdrawn when the agent ends the hook, and nothing is printed', async () => {
    await using world = await machine();
    const hook = startHook(world, claudeInput(world));
    const card = await cardOf(world);
    hook.child.kill('SIGTERM');
    expect(await hook.ended).toMatchObject({ stdout: '' });
    const { data } = await world.asideJson(['questions', 'show', card.sessionId]);
    expect(data.status).toBe('abandoned');
  });

  verifies('H02', 'is withdrawn when the agent was killed, which tells nobody', async () => {
    await using world = await machine();
    const agent = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const hook = world.start(['hook', 'PermissionRequest', '--agent', 'claude'], {
      env: { CLAUDE_PID: String(agent.pid) },
    });
    hook.child.stdin.end(JSON.stringify(claudeInput(world)));
    const card = await cardOf(world);
    agent.kill('SIGKILL');
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '' });
    const { data } = await world.asideJson(['questions', 'show', card.sessionId]);
    expect(data).toMatchObject({ status: 'abandoned', abandonedReason: 'the agent that asked is gone' });
  });

  verifies('H02', 'of a hook that was killed can be answered no more', async () => {
    await using world = await machine();
    const hook = startHook(world, claudeInput(world));
    const card = await cardOf(world);
    hook.child.kill('SIGKILL');
    await hook.ended;
    const late = await world.aside(['answer', card.sessionId, 'Allow once']);
    expect([late.code === 0, late.stderr]).toEqual([false, expect.stringContaining('Nothing was allowed')]);
    expect((await world.asideJson(['questions'])).data).toEqual([]);
  });

  verifies(
    'H01',
    'is kept apart: not in the shared directory, not counted, not handed out to agents',
    async () => {
      await using world = await machine();
      world.configure({ question: { maxSessions: 1 } });
      const hook = startHook(world, claudeInput(world));
      const card = await cardOf(world);
      expect(existsSync(join(world.questions, card.sessionId))).toBe(false);
      const asked = await world.asideJson([
        'ask',
        '--no-wait',
        '{"questions":[{"title":"T","prompt":"P?","options":[{"label":"A"},{"label":"B"}]}]}',
      ]);
      expect(asked.code).toBe(0);
      const collected = await world.aside(['questions', 'collect', card.sessionId]);
      expect(collected.code).not.toBe(0);
      await world.aside(['answer', card.sessionId, 'Allow once']);
      expect(decision((await hook.ended).stdout)).toEqual({ behavior: 'allow' });
      // One that was withdrawn is no news for an agent either.
      const other = startHook(world, claudeInput(world));
      await until(() => idsOf(world).length === 2);
      other.child.kill('SIGTERM');
      await other.ended;
      expect((await world.aside(['questions', 'collect'])).stdout).toBe('');
    },
  );
});

describe('no card and no verdict', () => {
  const cases: [string, (world: Machine) => Json | string, string?, string?][] = [
    ['for input that is not JSON', () => '{not json'],
    ['for no input', () => ''],
    [
      'for 10 MB of input',
      (world) => claudeInput(world, { tool_input: { command: 'x'.repeat(10_000_000) } }),
    ],
    ['for a list', () => '[]'],
    [
      'for another event than the entry is for',
      (world) => claudeInput(world, { hook_event_name: 'PreToolUse' }),
    ],
    [
      'for an event of a version that is not known',
      (world) => claudeInput(world, { hook_event_name: 'New' }),
      'claude',
      'New',
    ],
    ['for an agent that is not known', (world) => claudeInput(world), 'other'],
    ['without a session', (world) => claudeInput(world, { session_id: '' })],
    ['without a tool', (world) => claudeInput(world, { tool_name: 7 })],
    ['where input is no object', (world) => claudeInput(world, { tool_input: 'rm -rf /' })],
    ['in bypass mode', (world) => claudeInput(world, { permission_mode: 'bypassPermissions' })],
    ['for our own tools', (world) => claudeInput(world, { tool_name: 'mcp__holdfast__ask_user_questions' })],
  ];

  it.each(cases)('H01: %s', async (_name, input, agent = 'claude', event = 'PermissionRequest') => {
    await using world = await machine();
    expect(await startHook(world, input(world), agent, event).ended).toMatchObject({ code: 0, stdout: '' });
    expect([idsOf(world), agentsOf(world)]).toEqual([[], []]);
  });

  verifies('H01', 'for an agent that Holdfast itself started: nothing is written at all', async () => {
    await using world = await machine();
    const hook = world.start(['hook', 'PermissionRequest', '--agent', 'claude'], {
      env: { HOLDFAST_MARKER: 'some-run' },
    });
    hook.child.stdin.end(JSON.stringify(claudeInput(world)));
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(join(world.env.HOLDFAST_HOME ?? '', 'data'))).toBe(false);
    expect(existsSync(join(world.env.HOLDFAST_HOME ?? '', 'state'))).toBe(false);
  });

  verifies('H01', 'where our own settings cannot be read: the agent goes on as without us', async () => {
    await using world = await machine();
    world.configure('{broken');
    expect(await startHook(world, codexInput(world), 'codex').ended).toMatchObject({ code: 0, stdout: '' });
    expect((await startHook(world, '', 'codex', '--nonsense').ended).code).toBe(0);
  });

  it.each([
    ['AskUserQuestion', 'question'],
    ['ExitPlanMode', 'plan'],
  ])('H01: for %s of Claude Code, which is only told', async (tool, waitsFor) => {
    await using world = await machine();
    const input = claudeInput(world, { tool_name: tool, tool_input: {}, permission_suggestions: undefined });
    expect(await startHook(world, input).ended).toMatchObject({ code: 0, stdout: '' });
    expect([idsOf(world), agentsOf(world)]).toMatchObject([[], [{ state: 'waiting', waitsFor }]]);
  });
});

describe('the text of an agent', () => {
  verifies('H01', 'cannot act in a card, whatever is in it', async () => {
    await using world = await machine();
    const command = 'echo \u001b[2J\u001b]0;owned\u0007 `x`\n```\n# Allowed';
    startHook(world, claudeInput(world, { tool_name: 'Bash\u001b[1m', tool_input: { command } }));
    const card = await cardOf(world);
    expect(card.questions[0].prompt).not.toContain('\u001b');
    const shown = await world.aside(['questions', 'show', card.sessionId]);
    expect(shown.stdout).not.toContain('\u001b]');
    expect(shown.stdout).toContain('echo ');
  });
});

describe('a form of a server', () => {
  const form = (world: Machine, properties: Json, overrides: Json = {}): Json => ({
    session_id: SESSION,
    cwd: world.project,
    hook_event_name: 'Elicitation',
    mcp_server_name: 'shop',
    message: 'Which one?',
    mode: 'form',
    requested_schema: { type: 'object', properties },
    ...overrides,
  });
  const COLOUR = {
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'], enumNames: ['Red', 'Blue'] },
  };

  verifies('H01', 'becomes questions, and the answers go back by the names of the form', async () => {
    await using world = await machine();
    const hook = startHook(
      world,
      form(world, { ...COLOUR, gift: { type: 'boolean' } }),
      'claude',
      'Elicitation',
    );
    const card = await cardOf(world);
    await world.aside(['answer', card.sessionId, '--option', '1=Blue', '--option', '2=No']);
    expect(JSON.parse((await hook.ended).stdout)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'Elicitation',
        action: 'accept',
        content: { colour: 'blue', gift: false },
      },
    });
  });

  it.each([
    ['a text field', { name: { type: 'string' } }, {}],
    ['a page to open', COLOUR, { mode: 'url' }],
  ])('is only told for %s', async (_what, properties, overrides) => {
    await using world = await machine();
    const hook = startHook(world, form(world, properties, overrides), 'claude', 'Elicitation');
    expect(await hook.ended).toMatchObject({ code: 0, stdout: '' });
    expect([idsOf(world), agentsOf(world)]).toMatchObject([[], [{ waitsFor: 'form' }]]);
  });
});

describe('agents known by hook', () => {
  verifies('H01', 'are written down from their first prompt to their end', async () => {
    await using world = await machine();
    const say = (event: string, more: Json = {}) =>
      startHook(
        world,
        { session_id: SESSION, cwd: world.project, hook_event_name: event, ...more },
        'codex',
        event,
      ).ended;
    await say('UserPromptSubmit');
    expect(agentsOf(world)).toMatchObject([
      { agent: 'codex', state: 'working', workingDirectory: world.project },
    ]);
    await say('Stop');
    expect(agentsOf(world)).toMatchObject([{ state: 'waiting', waitsFor: 'prompt' }]);
    await say('SessionEnd');
    expect(agentsOf(world)).toEqual([]);
    await say('Stop', { session_id: '../../escape' });
    expect(agentsOf(world)).toEqual([]);
  });
});

describe('an agent that tells nothing of its end', () => {
  verifies('H02', 'is no longer shown when the process that started the hook is gone', async () => {
    await using world = await machine();
    const words = [process.execPath, HOLDFAST, 'hook', 'UserPromptSubmit', '--agent', 'claude'];
    const input = JSON.stringify({
      session_id: SESSION,
      cwd: world.project,
      hook_event_name: 'UserPromptSubmit',
    });
    // As Claude Code 2.1.197 does: through a shell, and without saying who it is. A script of the person's is in between.
    const script = world.dir.at('my-hook.sh');
    writeFileSync(script, '#!/bin/sh\n"$@"\ntrue\n', { mode: 0o755 });
    const program = `
      const command = ${JSON.stringify([script, ...words])}.map((word) => "'" + word + "'").join(' ') + '; true';
      require('node:child_process').execFileSync('sh', ['-c', command], { input: ${JSON.stringify(input)} });
      process.stdin.resume();`;
    const agent = spawn(process.execPath, ['-e', program], {
      env: world.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await until(() => agentsOf(world).length > 0);
    expect(agentsOf(world)).toMatchObject([{ process: { pid: agent.pid } }]);
    const rows = async () => (await world.asideJson(['top', '--once'])).data;
    expect(await rows()).toMatchObject([{ kind: 'agent', status: 'working' }]);
    agent.stdin.end();
    await new Promise((resolve) => agent.once('exit', resolve));
    expect(await rows()).toEqual([]);
  });
});

describe('setup --hooks', () => {
  /** A program that says which version it is, as the agents do. */
  async function withAgent(name: string, version: string): Promise<Machine & { path: string }> {
    const world = await machine();
    const bin = world.dir.at('bin');
    mkdirSync(bin);
    writeFileSync(join(bin, name), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
    return Object.assign(world, { path: `${bin}:${process.env.PATH}` });
  }

  const SETTINGS =
    '{\n   "a": 1, \n  "hooks": { "Stop": [ {"hooks": [{ "type": "command", "command": "mine" }]} ] }\n}\n';

  function put(world: Machine, path: string, text: string): string {
    const file = join(world.env.HOME ?? '', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  verifies('H01', 'is taken out byte for byte, in whichever order with the MCP entry', async () => {
    for (const order of [
      ['--hooks', ''],
      ['', '--hooks'],
    ]) {
      await using world = await withAgent('claude', '2.1.325 (Claude Code)');
      const file = put(world, '.claude/settings.json', SETTINGS);
      const setup = (...args: string[]) =>
        world.aside(['setup', 'claude', ...args.filter((arg) => arg !== '')], { env: { PATH: world.path } });
      expect((await setup('--write')).code).toBe(0);
      expect((await setup('--hooks', '--write')).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toContain('holdfast hook PermissionRequest --agent claude');
      // Once more changes nothing.
      const once = readFileSync(file, 'utf8');
      expect((await setup('--hooks', '--write')).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(once);
      for (const what of order) expect((await setup(what, '--remove')).code).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe(SETTINGS);
    }
  });

  verifies('H01', 'takes out exactly our entries where somebody wrote in between', async () => {
    await using world = await withAgent('claude', '2.1.325 (Claude Code)');
    const file = put(world, '.claude/settings.json', SETTINGS);
    const env = { PATH: world.path };
    await world.aside(['setup', 'claude', '--hooks', '--write'], { env });
    const settings = JSON.parse(readFileSync(file, 'utf8'));
    settings.model = 'opus';
    settings.hooks.PermissionRequest[0].hooks.push({ type: 'command', command: 'theirs' });
    writeFileSync(file, JSON.stringify(settings, null, 4));
    await world.aside(['setup', 'claude', '--hooks', '--remove'], { env });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      a: 1,
      hooks: {
        Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }],
        PermissionRequest: [{ hooks: [{ type: 'command', command: 'theirs' }] }],
      },
      model: 'opus',
    });
  });

  verifies('H01', 'leaves no file behind that it made', async () => {
    await using world = await withAgent('codex', 'codex-cli 0.166.0');
    const env = { PATH: world.path };
    const file = join(world.env.HOME ?? '', '.codex', 'hooks.json');
    expect((await world.aside(['setup', 'codex', '--hooks', '--write'], { env })).code).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).hooks)).toContain('PermissionRequest');
    await world.aside(['setup', 'codex', '--hooks', '--remove'], { env });
    expect(existsSync(file)).toBe(false);
  });

  verifies(
    'H01',
    'writes only events that the installed version knows, and none for one that is not known',
    async () => {
      await using world = await withAgent('claude', '2.1.200 (Claude Code)');
      const env = { PATH: world.path };
      const { data } = await world.asideJson(['setup', 'claude', '--hooks'], { env });
      expect(Object.keys(JSON.parse(data.files[0].snippet).hooks)).not.toContain('Elicitation');
      for (const version of ['1.0.3', 'no idea']) {
        writeFileSync(join(world.dir.at('bin'), 'claude'), `#!/bin/sh\necho '${version}'\n`);
        const { code, data: error } = await world.asideJson(['setup', 'claude', '--hooks', '--write'], {
          env,
        });
        expect([code === 0, error.code]).toEqual([false, 'HOOKS_UNKNOWN']);
      }
      expect(existsSync(join(world.env.HOME ?? '', '.claude', 'settings.json'))).toBe(false);
    },
  );

  verifies('H01', '--skill tells the agent how to ask, and is taken back', async () => {
    await using world = await machine();
    const own = '# Mine\n\nBe brief.\n';
    const file = put(world, '.codex/AGENTS.md', own);
    expect((await world.aside(['setup', 'codex', '--skill', '--write'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('ask_user_questions');
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nMore of mine.\n`);
    await world.aside(['setup', 'codex', '--skill', '--remove']);
    expect(readFileSync(file, 'utf8')).toBe(`${own}\nMore of mine.\n`);
    const skill = join(world.env.HOME ?? '', '.claude', 'skills', 'holdfast', 'SKILL.md');
    await world.aside(['setup', 'claude', '--skill', '--write']);
    expect(readFileSync(skill, 'utf8')).toMatch(/^---\nname: holdfast\n/);
    await world.aside(['setup', 'claude', '--skill', '--remove']);
    expect(existsSync(skill)).toBe(false);
  });
});

describe('where a channel is configured, and `holdfast top`', () => {
  const asks = (world: Machine) =>
    claudeInput(world, { tool_name: 'AskUserQuestion', tool_input: { questions: [] } });

  function tellTo(world: Machine, url: string): void {
    writeFileSync(world.dir.at('secret'), 'a-secret-of-the-test', { mode: 0o600 });
    const secret = `file:${world.dir.at('secret')}`;
    world.configure({ notices: { channels: { hook: { type: 'webhook', url, secret } } } });
  }

  verifies('H02', 'a question at the terminal of the agent is told once, and is a row of top', async () => {
    await using server = await noticeServer();
    await using world = await machine();
    tellTo(world, `${server.url}/in`);
    expect(await startHook(world, asks(world)).ended).toMatchObject({ code: 0, stdout: '' });
    expect(server.received.map(({ body }) => body.notices)).toEqual([
      [expect.objectContaining({ kind: 'question', question: null, agent: 'claude' })],
    ]);
    const { data } = await world.json(['top', '--once']);
    expect(data).toMatchObject([
      { kind: 'agent', agent: 'claude', group: 'asks', project: world.project, why: 'asks you a question' },
    ]);
  });

  verifies('H02', 'a notification of the agent that repeats it is no news', async () => {
    await using server = await noticeServer();
    await using world = await machine();
    tellTo(world, `${server.url}/in`);
    const input = claudeInput(world, {
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
    });
    expect(await startHook(world, input, 'claude', 'Notification').ended).toMatchObject({ code: 0 });
    expect(agentsOf(world)).toMatchObject([{ state: 'waiting', waitsFor: 'permission' }]);
    expect(server.received).toEqual([]);
  });

  verifies('H02', 'a permission is told by its card, which stands in the row of the agent', async () => {
    await using server = await noticeServer();
    await using world = await machine();
    tellTo(world, `${server.url}/in`);
    const hook = startHook(world, claudeInput(world));
    const [told] = await server.until(1);
    const [id = ''] = idsOf(world);
    expect(told?.body.notices).toMatchObject([{ kind: 'permission', question: id }]);
    const { data } = await world.json(['top', '--once']);
    expect(data).toMatchObject([{ kind: 'agent', id: SESSION, question: { id } }]);
    await world.run(['answer', id, '1']);
    await hook.ended;
    expect(server.received).toHaveLength(1);
  });

  verifies('H01', 'an agent that Holdfast itself started is told of to nobody and is no row', async () => {
    await using server = await noticeServer();
    await using world = await machine();
    tellTo(world, `${server.url}/in`);
    for (const input of [asks(world), claudeInput(world)]) {
      const hook = world.start(['hook', 'PermissionRequest', '--agent', 'claude'], {
        env: { HOLDFAST_MARKER: 'of-a-run' },
      });
      hook.child.stdin.end(JSON.stringify(input));
      expect(await hook.ended).toMatchObject({ code: 0, stdout: '' });
    }
    expect((await world.json(['top', '--once'])).data).toEqual([]);
    expect((await world.asideJson(['notify', 'list'])).data.notices).toEqual([]);
    expect(server.received).toEqual([]);
  });
});
