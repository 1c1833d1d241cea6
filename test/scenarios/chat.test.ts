import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DIST, type Machine } from '../support/holdfast-binary.js';
import { ATTACKS, assertVisible } from '../support/hostile-text.js';
import { withPlayer } from '../support/player.js';
import { Pane, verifiesInTerminal as verifies } from '../support/tmux.js';
import { verifies as verifiesAnywhere } from '../support/verifies.js';

function sessionsOf(world: Machine): string {
  return join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions');
}

function filesOf(world: Machine): string[] {
  return readdirSync(sessionsOf(world)).filter((name) => name.endsWith('.jsonl'));
}

function recordsOf(world: Machine, file = filesOf(world)[0] ?? ''): Record<string, unknown>[] {
  const lines = readFileSync(join(sessionsOf(world), file), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line));
}

const contents = (records: Record<string, unknown>[]) =>
  records.filter(({ type }) => type === 'turn').map(({ role, content }) => [role, content]);

describe('a chat through pipes', () => {
  verifiesAnywhere('C01', 'makes a file whose first line is its metadata, and keeps every turn', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }]);
    const chat = await world.run(['chat', '--agent', 'player', '--session', 'my-talk'], {
      input: 'first\n\nsecond\n',
    });
    expect(chat).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
    expect(filesOf(world)).toEqual(['my-talk.jsonl']);
    const [metadata, ...rest] = recordsOf(world);
    expect(metadata).toMatchObject({
      type: 'metadata',
      session_id: 'my-talk',
      agent: 'player',
      status: 'active',
    });
    expect(contents(rest)).toEqual([
      ['user', 'first'],
      ['assistant', 'one'],
      ['user', 'second'],
      ['assistant', 'two'],
    ]);
    expect(rest.at(-1)).toMatchObject({ type: 'status', status: 'completed' });
    expect(
      (await world.run(['chat', '--agent', 'player', '--session', 'my-talk'], { input: 'x\n' })).code,
    ).not.toBe(0);
    expect((await world.run(['chat', '--agent', 'player', '--session', '../x'], { input: 'x\n' })).code).toBe(
      2,
    );
  });

  verifiesAnywhere('C03', 'is resumed with all that was said, in the agent’s own conversation', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }]);
    await world.run(['chat', '--agent', 'player'], { input: 'first\n' });
    const again = await world.run(['chat', '--resume', 'last'], { input: 'second\n' });
    expect(again).toMatchObject({ code: 0, stdout: 'two\n' });
    expect(again.stderr).toContain("Goes on in the agent's own conversation.");
    const notes = readFileSync(world.dir.at('notes.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(notes.at(-1) ?? '').history.map(({ text }: { text: string }) => text)).toEqual([
      'first',
      'one',
    ]);
    const unknown = await world.run(['chat', '--resume', 'session-none']);
    expect(unknown.code).toBe(4);
    expect(unknown.stderr).toContain('Session not found: session-none');
    expect(unknown.stderr).toContain('SESSION_ID');
  });

  verifiesAnywhere('C03', 'is told again to an agent that does not remember', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }]);
    await world.run(['chat', '--agent', 'player'], { input: 'first\n' });
    rmSync(world.dir.at('state'), { recursive: true });
    const again = await world.run(['chat', '--resume', 'last'], { input: 'second\n' });
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain('The agent is told again what was said');
    const notes = readFileSync(world.dir.at('notes.jsonl'), 'utf8').trim().split('\n');
    const { prompt } = JSON.parse(notes.at(-1) ?? '');
    expect(prompt).toContain('first');
    expect(prompt).toMatch(/second$/);
    expect(contents(recordsOf(world)).map(([, content]) => content)).toEqual([
      'first',
      'one',
      'second',
      expect.any(String),
    ]);
  });

  verifiesAnywhere('C03', 'goes on with a file that was written by hand as published', async () => {
    await using world = await withPlayer([]);
    mkdirSync(sessionsOf(world), { recursive: true, mode: 0o700 });
    const lines = [
      { type: 'metadata', session_id: 'session-123', agent: 'player', created_at: '2026-01-14T10:00:00Z' },
      { type: 'turn', role: 'user', content: 'by hand', timestamp: '2026-01-14T10:00:01Z', tokens: 2 },
      { type: 'turn', role: 'assistant', content: 'indeed', timestamp: '2026-01-14T10:00:02Z', tokens: 2 },
    ];
    const path = join(sessionsOf(world), 'session-123.jsonl');
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect((await world.run(['chat', '--list-sessions'])).stdout).toMatch(/session-123 +player +2 /);
    const again = await world.run(['chat', '--resume', 'session-123'], { input: 'more\n' });
    expect(again.code, again.stderr).toBe(0);
    expect(
      readFileSync(path, 'utf8').startsWith(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    ).toBe(true);
    expect(contents(recordsOf(world, 'session-123.jsonl'))).toHaveLength(4);
  });

  it('takes and gives JSON', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }]);
    const input = `${JSON.stringify({ content: 'several\nlines' })}\n`;
    const { code, stdout } = await world.run(['chat', '--agent', 'player', '--json'], { input });
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toEqual(expect.arrayContaining([{ type: 'text', text: 'one' }]));
    expect(contents(recordsOf(world))[0]).toEqual(['user', 'several\nlines']);
    const bad = await world.run(['chat', '--agent', 'player', '--json'], { input: 'not json\n' });
    expect(bad).toMatchObject({ code: 2, stdout: expect.stringContaining('INVALID_INPUT') });
  });

  it('keeps a message that the agent failed to answer, and leaves it out of what it tells again', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { crash: true }] }]);
    const failed = await world.run(['chat', '--agent', 'player'], { input: 'first\n' });
    expect(failed.code).toBe(1);
    const records = recordsOf(world);
    expect(contents(records)[0]).toEqual(['user', 'first']);
    expect(records.filter(({ type }) => type === 'turn_failed').map(({ turn }) => turn)).toEqual([1, 2]);
  });

  it('keeps a message to an agent that does not start, and is interrupted', async () => {
    await using world = await withPlayer([]);
    const failed = await world.run(['chat', '--agent', 'claude', '--session', 'talk'], {
      input: 'important words\n',
      env: { PATH: world.dir.at('nowhere') },
    });
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no such program') });
    const records = recordsOf(world, 'talk.jsonl');
    expect(contents(records)).toEqual([['user', 'important words']]);
    expect(records.slice(-2)).toMatchObject([
      { type: 'turn_failed', turn: 1 },
      { type: 'status', status: 'interrupted', reason: expect.stringContaining('there is no such program') },
    ]);
  });

  it('is completed when the last message was answered, whatever came before', async () => {
    await using world = await withPlayer([
      { steps: [{ fail: 'no more room' }] },
      { steps: [{ say: 'two' }] },
    ]);
    await world.run(['chat', '--agent', 'player'], { input: 'first\nsecond\n' });
    expect(recordsOf(world).at(-1)).toMatchObject({ type: 'status', status: 'completed' });
  });

  it('does not tell a message twice to an agent that starts for it', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }]);
    await world.run(['chat', '--agent', 'player'], { input: 'first\n' });
    rmSync(world.dir.at('state'), { recursive: true });
    await world.run(['chat', '--resume', 'last'], { input: 'second\n' });
    const notes = readFileSync(world.dir.at('notes.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(notes.at(-1) ?? '').prompt.match(/second/g)).toHaveLength(1);
  });

  it('is no conversation where nothing is said', async () => {
    await using world = await withPlayer([]);
    for (const input of ['', '\n \n']) {
      const nothing = await world.run(['chat', '--agent', 'player'], { input });
      expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('No message came') });
    }
    expect((await world.json(['chat', '--list-sessions'])).data).toEqual([]);
    expect((await world.run(['chat', '--agent', 'nobody'])).code).toBe(4);
    await world.run(['chat', '--agent', 'player', '--session', 'talk'], { input: 'x\n' });
    const before = recordsOf(world, 'talk.jsonl');
    expect((await world.run(['chat', '--resume', 'talk'])).code).toBe(2);
    expect(recordsOf(world, 'talk.jsonl')).toEqual(before);
  });

  it('says that a permission waits for the person, and withdraws it when it is stopped', async () => {
    const wants = { permission: { tool: 'Bash', input: { command: 'rm x' }, kind: 'execute' } };
    await using world = await withPlayer([{ steps: [wants, { say: 'one' }] }]);
    const chat = world.start(['chat', '--agent', 'player', '--permissions', 'ask']);
    chat.child.stdin.write('first\n');
    await chat.printed(
      'stderr',
      /Waiting for an answer to [0-9a-f-]{36}\. Answer it in another terminal: holdfast answer/,
    );
    expect((await world.asideJson(['questions'])).data).toHaveLength(1);
    chat.child.kill('SIGTERM');
    expect((await chat.ended).code).toBe(143);
    expect((await world.asideJson(['questions'])).data).toEqual([]);
  });

  it('says where a question of the agent is', async () => {
    const question = { title: 'Colour', prompt: 'Which?', options: [{ label: 'red' }, { label: 'blue' }] };
    await using world = await withPlayer([{ steps: [{ ask: { questions: [question] } }, { say: 'one' }] }]);
    const chat = world.start(['chat', '--agent', 'player']);
    chat.child.stdin.end('first\n');
    const [, id = ''] = await chat.printed(
      'stderr',
      /Waiting for an answer to ([0-9a-f-]{36})\. Answer it in another terminal: holdfast answer/,
    );
    await world.aside(['answer', id, '--option', 'red']);
    expect(await chat.ended).toMatchObject({ code: 0, stdout: 'one\n' });
  });

  it('keeps no secret, unless that is wished', async () => {
    await using world = await withPlayer([]);
    const secret = `sk-ant-api03-${'x1'.repeat(20)}`;
    await world.run(['chat', '--agent', 'player', '--session', 'safe'], { input: `my key is ${secret}\n` });
    await world.run(['chat', '--agent', 'player', '--session', 'open', '--raw'], {
      input: `my key is ${secret}\n`,
    });
    const read = (id: string) => readFileSync(join(sessionsOf(world), `${id}.jsonl`), 'utf8');
    expect(read('safe')).not.toContain(secret);
    expect(read('open')).toContain(secret);
  });
});

describe('a conversation through the binaries', () => {
  verifiesAnywhere(
    'C02',
    'has every turn on disk, readable by others, while the agent still works',
    async () => {
      await using world = await withPlayer([
        { steps: [{ usage: { input: 7, output: 3 } }, { say: 'one' }] },
        { steps: [{ say: 'half' }, { hang: true }] },
      ]);
      const chat = world.start(['chat', '--agent', 'player', '--session', 'talk']);
      chat.child.stdin.write('first\nsecond\n');
      await chat.printed('stdout', /half/);
      const turns = recordsOf(world, 'talk.jsonl').filter(({ type }) => type === 'turn');
      expect(turns.map(({ role, content, tokens }) => [role, content, tokens])).toEqual([
        ['user', 'first', 2],
        ['assistant', 'one', 3],
        ['user', 'second', 2],
      ]);
      chat.child.kill('SIGTERM');
      expect((await chat.ended).code).toBe(143);
    },
  );

  verifiesAnywhere('C11', 'has one writer: the second fails and names the first', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { hang: true }] }]);
    const chat = world.start(['chat', '--agent', 'player', '--session', 'talk']);
    chat.child.stdin.write('first\n');
    await chat.printed('stdout', /half/);
    const second = await world.run(['chat', '--resume', 'talk'], { input: 'me too\n' });
    expect(second.code).toBe(5);
    expect(second.stderr).toContain(String(chat.child.pid));
    expect(recordsOf(world, 'talk.jsonl').some(({ content }) => content === 'me too')).toBe(false);
  });

  verifiesAnywhere('C12', 'is listed and shown while it goes on, up to its last turn', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { hang: true }] }]);
    const chat = world.start(['chat', '--agent', 'player', '--session', 'talk']);
    chat.child.stdin.write('first\n');
    await chat.printed('stdout', /half/);
    expect((await world.json(['chat', '--list-sessions'])).data).toMatchObject([
      { session_id: 'talk', status: 'active', turn_count: 1 },
    ]);
    expect((await world.run(['sessions', 'export', 'talk'])).stdout).toContain('first');
  });

  verifiesAnywhere('C04', 'is listed in the published table, newest first', async () => {
    await using world = await withPlayer([]);
    for (const id of ['older', 'newer'])
      await world.run(['chat', '--agent', 'player', '--session', id], { input: 'x\n' });
    const { stdout } = await world.run(['chat', '--list-sessions']);
    expect(stdout).toMatch(
      /^SESSION_ID +AGENT +TURN_COUNT +CREATED_AT +STATUS +PROJECT\nnewer +player +2 .*\nolder +player +2 /,
    );
  });

  verifiesAnywhere('C05', 'is found by its agent and by its status', async () => {
    await using world = await withPlayer([]);
    await world.run(['chat', '--agent', 'player', '--session', 'mine'], { input: 'x\n' });
    await world.run(['chat', '--agent', 'scripted', '--session', 'other'], { input: 'x\n' });
    const ids = async (...args: string[]) =>
      (await world.json(['chat', '--list-sessions', ...args])).data.map(
        (one: { session_id: string }) => one.session_id,
      );
    expect(await ids('--agent', 'player')).toEqual(['mine']);
    expect(await ids('--status', 'completed')).toHaveLength(2);
    expect(await ids('--status', 'interrupted')).toEqual([]);
    expect((await world.run(['chat', '--list-sessions', '--status', 'odd'])).code).toBe(2);
  });

  verifiesAnywhere('C13', 'keeps what the agent failed to answer, and does not tell it again', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { crash: true }] }]);
    await world.run(['chat', '--agent', 'player', '--session', 'talk'], { input: 'the failed one\n' });
    expect(recordsOf(world, 'talk.jsonl').filter(({ type }) => type === 'turn_failed')).toHaveLength(2);
    rmSync(world.dir.at('state'), { recursive: true, force: true });
    writeFileSync(world.dir.at('script.json'), JSON.stringify({ turns: [] }));
    await world.run(['chat', '--resume', 'talk'], { input: 'the next one\n' });
    const notes = readFileSync(world.dir.at('notes.jsonl'), 'utf8').trim().split('\n');
    expect(JSON.parse(notes.at(-1) ?? '').prompt).toBe('the next one');
  });

  verifiesAnywhere('C15', 'is trimmed for the agent that is told again, and whole in the file', async () => {
    await using world = await withPlayer([]);
    const long = (word: string) => `${word} ${'x'.repeat(4_000)}`;
    const turns = Array.from({ length: 40 }, (_, turn) => long(`message-${turn}`));
    await world.run(['chat', '--agent', 'player', '--session', 'talk'], { input: `${turns.join('\n')}\n` });
    rmSync(world.dir.at('state'), { recursive: true, force: true });
    const config = join(world.env.HOME ?? '', '.aurora', 'config.json');
    writeFileSync(config, JSON.stringify({ spawner: { interactive: { max_tokens: 20_000 } } }));
    const again = await world.run(['chat', '--resume', 'talk'], { input: 'the last one\n' });
    expect(again.code, again.stderr).toBe(0);
    const notes = readFileSync(world.dir.at('notes.jsonl'), 'utf8').trim().split('\n');
    const { prompt } = JSON.parse(notes.at(-1) ?? '');
    expect(prompt).toContain('message-0 ');
    expect(prompt).toContain('message-39 ');
    expect(prompt).not.toContain('message-20 ');
    expect(recordsOf(world, 'talk.jsonl').filter(({ type }) => type === 'turn')).toHaveLength(82);
  });
});

describe('hostile text', () => {
  it('of an agent, of a person and of a file reaches no terminal unencoded', async () => {
    const turns = [{ steps: ATTACKS.map((text) => ({ say: `${text}\n` })) }];
    await using world = await withPlayer(turns);
    const input = `${ATTACKS.map((text) => text.replaceAll('\n', ' ')).join(' ')}\n/history\n/stats\n`;
    const chat = await world.run(['chat', '--agent', 'player', '--session', 'talk'], { input });
    const listed = await world.run(['chat', '--list-sessions']);
    for (const text of [chat.stdout, chat.stderr, listed.stdout]) assertVisible(text, 'the chat');
    expect(chat.stdout).toContain('user: ');
  });
});

describe('the conversations there are', () => {
  verifiesAnywhere('C06', 'are deleted after a yes, and can be had back from the trash', async () => {
    await using world = await withPlayer([]);
    await world.run(['chat', '--agent', 'player', '--session', 'old-talk'], { input: 'x\n' });
    expect((await world.run(['chat', '--delete-session', 'old-talk'])).code).toBe(3);
    expect(filesOf(world)).toEqual(['old-talk.jsonl']);
    const deleted = await world.run(['chat', '--delete-session', 'old-talk', '--yes']);
    expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining("Deleted session 'old-talk'") });
    expect(filesOf(world)).toEqual([]);
    expect((await world.run(['chat', '--list-sessions'])).stdout).toBe('No sessions found.\n');
    const [, path = ''] = /trash: (.*)\)/.exec(deleted.stdout) ?? [];
    expect(existsSync(path)).toBe(true);
  });

  verifiesAnywhere(
    'C08',
    'are cleaned by themselves once a day where that is configured, after the command',
    async () => {
      await using world = await withPlayer([]);
      const plant = (id: string, at: string) => {
        mkdirSync(sessionsOf(world), { recursive: true, mode: 0o700 });
        const path = join(sessionsOf(world), `${id}.jsonl`);
        writeFileSync(
          path,
          `${JSON.stringify({ type: 'metadata', session_id: id, agent: 'player', created_at: at })}\n`,
        );
        utimesSync(path, new Date(at), new Date(at));
      };
      plant('ancient', '2020-01-01T00:00:00Z');
      const chat = (id: string) =>
        world.run(['chat', '--agent', 'player', '--session', id], { input: 'x\n' });
      await chat('one');
      expect(filesOf(world)).toContain('ancient.jsonl');
      const config = join(world.env.HOME ?? '', '.aurora', 'config.json');
      mkdirSync(dirname(config), { recursive: true });
      writeFileSync(config, JSON.stringify({ spawner: { interactive: { session_expiry_days: 30 } } }));
      expect((await chat('two')).code).toBe(0);
      expect(filesOf(world).sort()).toEqual(['one.jsonl', 'two.jsonl']);
      plant('ancient', '2020-01-01T00:00:00Z');
      await chat('three');
      expect(filesOf(world)).toContain('ancient.jsonl');
    },
  );
});

describe('the published program', () => {
  const aur = (world: Machine, args: readonly string[], input = '') =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [join(DIST, 'cli', 'aur.cjs'), ...args], {
        cwd: world.project,
        env: world.env,
      });
      const out = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => {
        out.stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        out.stderr += chunk;
      });
      child.on('close', (code) => resolve({ code, ...out }));
      child.stdin.end(input);
    });

  verifiesAnywhere('C01', 'aur spawn --interactive is the same chat', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }]);
    const spoken = await aur(
      world,
      ['spawn', '--interactive', '--agent', 'player', '--session', 'talk'],
      'hello\n',
    );
    expect(spoken, spoken.stderr).toMatchObject({ code: 0, stdout: 'one\n' });
    expect((await aur(world, ['spawn', '--list-sessions'])).stdout).toMatch(/talk +player +2 .* completed/);
    expect((await aur(world, ['spawn', '--resume', 'talk'], 'again\n')).stdout).toBe('two\n');
    expect((await aur(world, ['spawn', '--clean-sessions', '30'])).stdout).toBe(
      'Deleted 0 sessions older than 30 days\n',
    );
    expect((await aur(world, ['spawn', '--delete-session', 'talk', '--yes'])).code).toBe(0);
    const file = await aur(world, ['spawn', 'tasks.md', '--interactive']);
    expect(file).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot use --interactive with task file'),
    });
  });

  it('says whose aur it is to those who want another one', async () => {
    await using world = await withPlayer([]);
    const other = await aur(world, ['goals', 'x']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("This is Holdfast's aur") });
    expect((await aur(world, ['--help'])).stdout).toContain('aur spawn --interactive');
  });
});

describe('a chat in a terminal', () => {
  const TALK = [
    { steps: [{ say: 'the first answer' }] },
    { steps: [{ say: 'the second answer' }] },
    { steps: [{ say: 'it begins' }, { hang: true }] },
    { steps: [{ say: 'the last answer' }] },
  ];

  verifies('C14', 'survives Ctrl+C in a turn and kill -9, and has all turns when it is resumed', async () => {
    await using world = await withPlayer(TALK);
    await using pane = await Pane.open(world);
    await pane.holdfast('chat --agent player --session talk');
    await pane.until('Type /help for commands, /exit to quit');
    await pane.type('the first message');
    await pane.press('Enter');
    await pane.until('the first answer');
    await pane.until(/you>\s*$/m);
    await pane.paste('the second\nmessage');
    await pane.press('Enter');
    await pane.until('the second answer');
    await pane.type('the third message');
    await pane.press('Enter');
    await pane.until('it begins');
    await pane.press('C-c');
    await pane.until('Interrupted. Returning to prompt.');
    process.kill(await pane.program(), 'SIGKILL');
    await pane.until(/exit code 137/);
    await pane.makeSane();
    expect((await world.json(['chat', '--list-sessions'])).data).toMatchObject([
      { session_id: 'talk', status: 'interrupted', turn_count: 6 },
    ]);
    await pane.holdfast('chat --resume talk');
    await pane.until('Resumed with 6 turns.');
    await pane.type('/history');
    await pane.press('Enter');
    await pane.until(/1\. .* user: the first message/);
    await pane.until(/5\. .* user \(failed\): the third message/);
    await pane.type('the last message');
    await pane.press('Enter');
    await pane.until('the last answer');
    // While the turn runs, it would mean something else.
    await pane.until(/% full\s*\nyou>\s*$/m);
    await pane.press('C-d');
    expect(await pane.exitCode()).toBe(0);
    expect(contents(recordsOf(world, 'talk.jsonl')).map(([, content]) => content)).toEqual([
      'the first message',
      'the first answer',
      'the second\nmessage',
      'the second answer',
      'the third message',
      'it begins',
      'the last message',
      'the last answer',
    ]);
  });

  verifies('C14', 'edits several lines, recalls what was said, and knows its commands', async () => {
    await using world = await withPlayer([]);
    await using pane = await Pane.open(world);
    await pane.holdfast('chat --agent player --session talk');
    await pane.until(/you>\s*$/m);
    await pane.type('one \\');
    await pane.press('Enter');
    await pane.type('two');
    await pane.press('Enter');
    await pane.until('You said: one');
    await pane.until(/context \d+ % full/);
    await pane.press('Up');
    await pane.until(/you> one\s*\n\s+two/);
    await pane.press('C-c');
    await pane.type('/nonsense');
    await pane.press('Enter');
    await pane.until('Unknown command: /nonsense');
    await pane.type('/stats');
    await pane.press('Enter');
    await pane.until(/turns +2 \(2 in the context\)/);
    await pane.type('/save talk.md');
    await pane.press('Enter');
    await pane.until('Saved to talk.md');
    await pane.type('/export talk.json');
    await pane.press('Enter');
    await pane.until('Exported to talk.json');
    await pane.type('/clear');
    await pane.press('Enter');
    await pane.until('The agent forgets what was said');
    await pane.type('/import talk.json');
    await pane.press('Enter');
    await pane.until('Imported 2 turns');
    await pane.type('/help');
    await pane.press('Enter');
    await pane.until('/agent <name>');
    await pane.type('/exit');
    await pane.press('Enter');
    expect(await pane.exitCode()).toBe(0);
    expect(readFileSync(join(world.project, 'talk.md'), 'utf8')).toContain('You said: one');
    expect(statSync(join(world.project, 'talk.json')).size).toBeGreaterThan(100);
    const facts = await pane.facts();
    expect(facts.isCursorShown).toBe(true);
  });

  verifies('C14', 'puts the terminal back when it is stopped, and says that it was interrupted', async () => {
    await using world = await withPlayer([]);
    await using pane = await Pane.open(world);
    await pane.holdfast('chat --agent player --session talk');
    await pane.until(/you>\s*$/m);
    process.kill(await pane.program(), 'SIGTERM');
    expect(await pane.exitCode()).toBe(143);
    await pane.run('echo still "a terminal"');
    await pane.until(/(?:^|> )still a terminal/m); // the prompt may come behind what was typed
    expect((await world.json(['chat', '--list-sessions'])).data).toMatchObject([{ status: 'interrupted' }]);
  });
});
