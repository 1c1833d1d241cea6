import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopSessions } from '../../src/sessions/loop/index.js';
import { writeChange } from '../support/change-scenarios.js';
import { DIST, type Machine, machine } from '../support/holdfast-binary.js';
import { PLAN } from '../support/loop-world.js';
import { question } from '../support/question-world.js';
import { storageTools } from '../support/storage-tools.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';

const PROGRAM = join(DIST, 'agents', 'scripted.cjs');
const SET = JSON.stringify({ questions: [question()] });

/** A machine whose agent `player` says this, turn by turn. */
async function withPlayer(turns: unknown = [{ steps: [{ say: 'one' }] }]): Promise<Machine> {
  const world = await machine();
  writeFileSync(world.dir.at('script.json'), JSON.stringify({ turns }));
  writeChange(world.project);
  world.configure({
    agents: {
      player: {
        driver: 'claude',
        command: process.execPath,
        args: [PROGRAM],
        environment: {
          HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
          HOLDFAST_SCRIPTED_SCRIPT: world.dir.at('script.json'),
          HOLDFAST_SCRIPTED_STATE: world.dir.at('state'),
        },
      },
    },
  });
  return world;
}

/** A session of each kind, made by the programs that make them. */
async function oneOfEach(world: Machine): Promise<Record<string, string>> {
  const asked = await world.json(['ask', '--no-wait', SET]);
  await world.run(['chat', '--agent', 'player', '--session', 'my-talk'], { input: 'hello\n' });
  await world.run(['exec', '--agent', 'player', 'go']);
  await world.run(['change', 'init', 'add-login', '--session', 'worker']);
  using loop = await loopsOf(world).create(PLAN);
  // The chat has a process of its own; the newest is the one of `exec`.
  const process = (await world.asideJson(['processes', '--all'])).data[0].id;
  return {
    question: asked.data.sessionId,
    conversation: 'my-talk',
    process,
    change: 'worker',
    loop: loop.state.sessionId,
  };
}

function loopsOf(world: Machine): LoopSessions {
  return new LoopSessions({ ...storageTools(), directory: join(world.project, '.prp-session') });
}

function talkOf(world: Machine, id = 'my-talk'): string {
  return join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions', `${id}.jsonl`);
}

/** A conversation as the published format has it, that nobody has open. */
function plantTalk(world: Machine, id: string, createdAt = '2026-01-14T10:00:00Z'): void {
  mkdirSync(join(talkOf(world), '..'), { recursive: true, mode: 0o700 });
  const lines = [
    { type: 'metadata', session_id: id, agent: 'qa', created_at: createdAt },
    { type: 'turn', role: 'user', content: 'by hand', timestamp: createdAt, tokens: 2 },
  ];
  writeFileSync(talkOf(world, id), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

describe('holdfast sessions', () => {
  it('lists, shows, verifies and exports a session of every kind', async () => {
    await using world = await withPlayer();
    const ids = await oneOfEach(world);
    const listed = await world.asideJson(['sessions', '--all']);
    expect(listed.code).toBe(0);
    const found = listed.data as { kind: string; id: string }[];
    for (const [kind, id] of Object.entries(ids))
      expect(found).toContainEqual(expect.objectContaining({ kind, id }));
    const { stdout } = await world.aside(['sessions']);
    expect(stdout).toMatch(/^KIND +ID +STATUS +ACTIVE +AGENT +ABOUT$/m);
    expect(stdout).toMatch(/^conversation +my-talk +completed +\d+ s +player +2 turns$/m);
    expect(stdout).toMatch(/^change +worker +active +\d+ s +add-login$/m);
    expect(stdout).toMatch(/^question +[0-9a-f]{8} +pending +\d+ s +holdfast ask +Which database\?$/m);
    expect(stdout).toMatch(/^loop +[0-9a-f]{8} +suspended /m);
    expect(stdout).toMatch(/^process +ses_[0-9a-f]{8} +resumable +\d+ s +player +1 prompt$/m);
    for (const [kind, id] of Object.entries(ids)) {
      const shown = await world.aside(['sessions', 'show', id]);
      expect(shown.code, shown.stderr).toBe(0);
      expect(shown.stdout).toContain(id.slice(0, 8));
      expect((await world.asideJson(['sessions', 'show', id])).data, kind).toMatchObject({
        kind,
        id,
        detail: {},
      });
      for (const format of ['md', 'json']) {
        const exported = await world.aside(['sessions', 'export', id, '--format', format]);
        expect(exported.code, exported.stderr).toBe(0);
        expect(exported.stdout).toContain(id);
        if (format === 'json') expect(() => JSON.parse(exported.stdout)).not.toThrow();
      }
    }
    expect((await world.aside(['sessions', 'show', 'my-talk'])).stdout).toContain('   │ hello');
    const verified = await world.aside(['sessions', 'verify']);
    expect(verified).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ checked, 0 with faults\n$/),
    });
  });

  it('filters', async () => {
    await using world = await withPlayer();
    await oneOfEach(world);
    const kinds = async (...args: string[]) =>
      ((await world.asideJson(['sessions', ...args])).data as { kind: string }[]).map(({ kind }) => kind);
    expect(await kinds('--kind', 'change')).toEqual(['change']);
    expect(await kinds('list', '--status', 'pending')).toEqual(['question']);
    expect([...new Set(await kinds('--agent', 'player'))].sort()).toEqual(['conversation', 'process']);
    expect(await kinds('--agent', 'nobody')).toEqual([]);
    expect(await world.aside(['sessions', '--agent', 'nobody'])).toMatchObject({
      stdout: 'No sessions found.\n',
    });
    expect(await world.aside(['sessions', '--kind', 'nope'])).toMatchObject({ code: 2 });
    expect(await world.aside(['sessions', '--status', 'nope'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('interrupted'),
    });
  });

  it('refuses hostile ids, and tells of unknown and ambiguous ones', async () => {
    await using world = await machine();
    plantTalk(world, 'same-1');
    plantTalk(world, 'same-2');
    for (const verb of ['show', 'verify', 'recover', 'export', 'delete']) {
      for (const hostile of ['../../etc/passwd', '\u001b[2J', 'a/b']) {
        const refused = await world.aside(['sessions', verb, hostile]);
        expect(refused, `${verb} ${hostile}`).toMatchObject({ code: 2, stdout: '' });
        expect(refused.stderr).not.toContain('\u001b');
      }
      expect(await world.aside(['sessions', verb, 'nothing'])).toMatchObject({ code: 4 });
      expect(await world.asideJson(['sessions', verb, 'same'])).toMatchObject({
        code: 2,
        data: {
          code: 'AMBIGUOUS_ID',
          error: 'same fits 2 sessions: same-1 (conversation), same-2 (conversation)',
        },
      });
    }
    expect(await world.aside(['sessions', 'trash', 'restore', '../x'])).toMatchObject({ code: 2 });
    expect(await world.aside(['sessions', 'trash', 'restore', 'nothing'])).toMatchObject({ code: 4 });
  });

  verifies(
    'C09',
    'verify tells line and offset of damage with exit code 8, and changes nothing',
    async () => {
      await using world = await machine();
      plantTalk(world, 'my-talk');
      const whole = readFileSync(talkOf(world), 'utf8');
      appendFileSync(talkOf(world), '{"type":"turn",\n');
      const before = readFileSync(talkOf(world));
      const verified = await world.aside(['sessions', 'verify', 'my-talk']);
      expect(verified.code).toBe(8);
      expect(verified.stdout).toContain(`conversation my-talk: line 3, byte ${whole.length}: `);
      expect((await world.asideJson(['sessions', 'verify'])).data.sessions).toMatchObject([
        { kind: 'conversation', id: 'my-talk', faults: [{ line: 3, offset: whole.length }] },
      ]);
      expect(readFileSync(talkOf(world))).toEqual(before);
      const listed = await world.aside(['sessions']);
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('completed (damaged)') });
    },
  );

  verifies(
    'C10',
    'recover keeps every intact turn, sets the file aside, and the session goes on',
    async () => {
      await using world = await withPlayer([{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }]);
      await world.run(['chat', '--agent', 'player', '--session', 'my-talk'], { input: 'hello\n' });
      const whole = readFileSync(talkOf(world), 'utf8');
      const damaged = whole.replace('\n', '\ngarbage\n');
      writeFileSync(talkOf(world), damaged);
      const recovered = await world.asideJson(['sessions', 'recover', 'my-talk']);
      expect(recovered).toMatchObject({ code: 0, data: { found: [{ line: 2 }], left: [] } });
      expect(readFileSync(recovered.data.keptAt, 'utf8')).toBe(damaged);
      expect(readFileSync(talkOf(world), 'utf8').startsWith(whole)).toBe(true);
      expect(await world.aside(['sessions', 'verify'])).toMatchObject({ code: 0 });
      expect(await world.run(['chat', '--resume', 'my-talk'], { input: 'more\n' })).toMatchObject({
        code: 0,
      });
      expect(await world.aside(['sessions', 'recover', 'my-talk'])).toMatchObject({
        code: 0,
        stdout: 'conversation my-talk: It is intact.\n',
      });
    },
  );

  it('recover of what is beyond mending has exit code 8 and names the way out', async () => {
    await using world = await machine();
    mkdirSync(join(talkOf(world), '..'), { recursive: true, mode: 0o700 });
    writeFileSync(talkOf(world), 'garbage\n');
    const refused = await world.aside(['sessions', 'recover', 'my-talk']);
    expect(refused).toMatchObject({ code: 8, stderr: expect.stringContaining('holdfast sessions delete') });
    expect(readFileSync(talkOf(world), 'utf8')).toBe('garbage\n');
    expect(await world.aside(['sessions', 'delete', 'my-talk', '--yes'])).toMatchObject({ code: 0 });
    expect(existsSync(talkOf(world))).toBe(false);
  });

  it('deletes every kind to the trash and puts it back', async () => {
    await using world = await withPlayer();
    const ids = await oneOfEach(world);
    await world.run(['change', 'flush', '--session', 'worker']);
    const all = async () =>
      ((await world.asideJson(['sessions', '--all'])).data as { kind: string; id: string }[])
        .map(({ kind, id }) => `${kind} ${id}`)
        .sort();
    const before = await all();
    for (const [kind, id] of Object.entries(ids)) {
      const unsure = await world.aside(['sessions', 'delete', id]);
      expect(unsure, kind).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('--yes') });
      const deleted = await world.aside(['sessions', 'delete', id, '--yes']);
      expect(deleted, deleted.stderr).toMatchObject({ code: 0, stdout: `Deleted ${kind} ${id}\n` });
      expect(await world.aside(['sessions', 'show', id])).toMatchObject({ code: 4 });
    }
    const trash = await world.asideJson(['sessions', 'trash']);
    expect((trash.data as { kind: string }[]).map(({ kind }) => kind)).toEqual(Object.keys(ids).reverse());
    expect((await world.aside(['sessions', 'trash', 'list'])).stdout).toMatch(
      /^conversation +my-talk +\d+ s ago$/m,
    );
    for (const [kind, id] of Object.entries(ids))
      expect(await world.aside(['sessions', 'trash', 'restore', id])).toMatchObject({
        code: 0,
        stdout: `Put ${kind} ${id} back\n`,
      });
    expect(await all()).toEqual(before);
    expect((await world.aside(['sessions', 'trash'])).stdout).toBe('The trash is empty.\n');
    expect(await world.aside(['sessions', 'verify'])).toMatchObject({ code: 0 });
    expect(await world.run(['answer', ids.question ?? '', '--option', 'SQLite'])).toMatchObject({ code: 0 });
  });

  it('an asker that waits is told when its question is deleted', async () => {
    await using world = await machine();
    const ask = world.start(['ask', SET, '--json']);
    ask.child.stdin.end();
    await ask.printed('stderr', /./);
    const [{ id }] = (await world.asideJson(['sessions'])).data;
    expect(await world.aside(['sessions', 'delete', id, '--yes'])).toMatchObject({ code: 0 });
    expect(await ask.ended).toMatchObject({ code: 4 });
  });

  it('refuses to delete what somebody has open', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { hang: true }] }]);
    const exec = world.start(['exec', '--agent', 'player', 'go']);
    await exec.printed('stdout', /half/);
    const [{ id, isLive }] = (await world.asideJson(['sessions'])).data;
    expect(isLive).toBe(true);
    expect(await world.aside(['sessions', 'delete', id, '--yes'])).toMatchObject({ code: 5 });
    expect((await world.asideJson(['sessions', 'clean', '--older-than', '0'])).data).toMatchObject({
      retired: [],
      skipped: [{ kind: 'process', id, reason: 'it is in use' }],
    });
    exec.child.kill('SIGINT');
    await exec.ended;
  });

  verifies(
    'C07',
    'clean moves what is older to the trash, first tried dry; empty removes it for good',
    async () => {
      await using world = await machine();
      plantTalk(world, 'old-talk');
      plantTalk(world, 'new-talk', new Date().toISOString());
      const dry = await world.aside(['sessions', 'clean', '--older-than', '7', '--dry-run']);
      expect(dry.stdout).toBe(
        'conversation old-talk\n1 would be moved to the trash, 0 removed from it permanently\n',
      );
      expect(existsSync(talkOf(world, 'old-talk'))).toBe(true);
      const clean = await world.aside(['sessions', 'clean', '--older-than', '7', '--kind', 'conversation']);
      expect(clean).toMatchObject({ code: 0, stdout: expect.stringContaining('1 moved to the trash') });
      expect((await world.asideJson(['sessions'])).data).toMatchObject([{ id: 'new-talk' }]);
      const trash = join(talkOf(world), '..', '.holdfast', 'trash');
      expect(readdirSync(trash)).toHaveLength(1);
      expect(await world.aside(['sessions', 'trash', 'empty'])).toMatchObject({ code: 3 });
      const early = await world.aside(['sessions', 'trash', 'empty', '--yes', '--older-than', '1']);
      expect(early).toMatchObject({ code: 0, stdout: '0 removed permanently\n' });
      expect(readdirSync(trash)).toHaveLength(1);
      expect(await world.aside(['sessions', 'trash', 'empty', '--yes'])).toMatchObject({
        code: 0,
        stdout: '1 removed permanently\n',
      });
      expect(readdirSync(trash)).toEqual([]);
    },
  );

  it('exports to a file of its own, and never over another one unless told to', async () => {
    await using world = await machine();
    plantTalk(world, 'my-talk');
    const path = join(world.project, 'talk.md');
    const write = (...more: string[]) =>
      world.aside(['sessions', 'export', 'my-talk', '--output', 'talk.md', ...more]);
    expect(await write()).toMatchObject({ code: 0, stdout: 'Wrote conversation my-talk to talk.md\n' });
    expect(readFileSync(path, 'utf8')).toContain('by hand');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'mine');
    expect(await write()).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(await write('--force')).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toContain('by hand');
    expect(await world.aside(['sessions', 'export', 'my-talk', '--format', 'pdf'])).toMatchObject({
      code: 2,
    });
  });

  it('text of an agent cannot move the cursor, and cannot forge a row', async () => {
    await using world = await machine();
    const evil = 'x\u001b[2J\u009b31m\nconversation  forged';
    const asked = JSON.stringify({ questions: [question({ prompt: evil, title: evil })] });
    const { data } = await world.json(['ask', '--no-wait', '--agent', evil, asked]);
    plantTalk(world, 'my-talk');
    const line = {
      type: 'turn',
      role: 'assistant',
      content: evil,
      timestamp: '2026-01-14T10:00:01Z',
      tokens: 1,
    };
    appendFileSync(talkOf(world), `${JSON.stringify(line)}\n`);
    for (const args of [
      ['sessions'],
      ['sessions', '--json'],
      ['sessions', 'show', data.sessionId],
      ['sessions', 'show', 'my-talk'],
      ['sessions', 'show', 'my-talk', '--json'],
      ['sessions', 'export', 'my-talk'],
      ['sessions', 'export', 'my-talk', '--format', 'json'],
      ['sessions', 'export', data.sessionId],
      ['sessions', 'delete', data.sessionId],
    ]) {
      const { stdout, stderr } = await world.run(args);
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u001b\u009b]/);
    }
    const { stdout } = await world.aside(['sessions']);
    expect(stdout.trim().split('\n')).toHaveLength(3);
  });

  it('tells how it is called where it is called wrongly', async () => {
    await using world = await machine();
    for (const args of [
      ['trash', 'shred'],
      ['trash', 'restore'],
      ['trash', 'empty', 'x'],
      ['trash', 'list', '--yes'],
      ['clean', '--older-than', 'x'],
      ['show'],
      ['nope'],
    ])
      expect(await world.aside(['sessions', ...args]), args.join(' ')).toMatchObject({ code: 2, stdout: '' });
    expect((await world.run(['completion', 'bash'])).stdout).toContain('sessions) words="list show verify');
  });
});

describe('at a terminal', () => {
  verifiesInTerminal('C06', 'delete asks first: no keeps it, yes moves it to the trash', async () => {
    await using world = await machine();
    plantTalk(world, 'my-talk');
    await using pane = await Pane.open(world);
    for (const [answer, code, isThere] of [
      ['n', 1, true],
      ['y', 0, false],
    ] as const) {
      await pane.holdfast('sessions delete my-talk');
      await pane.until('Delete conversation my-talk (completed, 1 turn)? [y/N]');
      await pane.run(answer);
      expect(await pane.exitCode()).toBe(code);
      expect(existsSync(talkOf(world))).toBe(isThere);
    }
  });
});
