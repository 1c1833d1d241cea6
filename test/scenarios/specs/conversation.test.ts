import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AUR } from '../../../src/cli/programs/aur-table.js';
import { type AppWorld, appWorld } from '../../support/app-world.js';
import { AUR as AUR_BINARY, type Machine } from '../../support/holdfast-binary.js';
import { itNeeds } from '../../support/it-needs.js';
import { withPlayer } from '../../support/player.js';
import { Pane } from '../../support/tmux.js';

// The published spec of conversations, scenario by scenario, each under its own heading.

const DAY_MS = 24 * 60 * 60 * 1_000;
const NOW_MS = Date.now();
const daysAgo = (days: number) => new Date(NOW_MS - days * DAY_MS).toISOString();

function directoryOf(world: Machine | AppWorld): string {
  const home = 'environment' in world ? world.environment.HOME : world.env.HOME;
  return join(home ?? '', '.aurora', 'spawn', 'sessions');
}

function records(world: Machine | AppWorld, id: string): Record<string, unknown>[] {
  const text = readFileSync(join(directoryOf(world), `${id}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

interface Planted {
  readonly agent?: string;
  readonly createdAt?: string;
  readonly status?: string;
  readonly turns?: readonly string[];
}

/** A file as another program of the published format would have written it. */
function plant(world: Machine | AppWorld, id: string, planted: Planted = {}): string {
  const { agent = 'player', createdAt = daysAgo(1), status = 'completed', turns = [] } = planted;
  const lines = [
    { type: 'metadata', session_id: id, agent, created_at: createdAt, status },
    ...turns.map((content, index) => ({
      type: 'turn',
      role: index % 2 === 0 ? 'user' : 'assistant',
      content,
      timestamp: createdAt,
      tokens: 1,
    })),
  ];
  mkdirSync(directoryOf(world), { recursive: true, mode: 0o700 });
  const path = join(directoryOf(world), `${id}.jsonl`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  return path;
}

function expireAfter(world: Machine | AppWorld, days: number): void {
  const home = 'environment' in world ? world.environment.HOME : world.env.HOME;
  mkdirSync(join(home ?? '', '.aurora'), { recursive: true });
  const config = { spawner: { interactive: { session_expiry_days: days } } };
  writeFileSync(join(home ?? '', '.aurora', 'config.json'), JSON.stringify(config));
}

const files = (world: Machine | AppWorld) =>
  readdirSync(directoryOf(world))
    .filter((name) => name.endsWith('.jsonl'))
    .sort();

const spawnIn = (world: AppWorld, ...args: string[]) => world.run(['spawn', ...args], { program: AUR });
const idsIn = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(/\s+/)[0]);

describe('Requirement: Session Creation and Persistence', () => {
  it('Scenario: Create New Session', async () => {
    await using world = await withPlayer([]);
    for (const flag of ['--interactive', '-i'])
      expect(
        await world.run(['spawn', flag, '--agent', 'player'], { program: 'aur', input: 'hello\n' }),
      ).toMatchObject({ code: 0 });
    const made = files(world);
    expect(new Set(made).size).toBe(2);
    for (const name of made) {
      const id = name.replace('.jsonl', '');
      expect(records(world, id)[0]).toEqual(
        expect.objectContaining({
          type: 'metadata',
          session_id: id,
          agent: 'player',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          status: 'active',
        }),
      );
    }
  });

  it('Scenario: Save Session State', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }]);
    const chat = world.start(['spawn', '-i', '--agent', 'player', '--session', 'talk', '--json'], {
      program: 'aur',
    });
    chat.child.stdin.write(`${JSON.stringify({ content: 'first' })}\n`);
    await chat.printed('stdout', /"type":"turn-end"/);
    // Whole lines only, for another process, while the session is still going on.
    expect(readFileSync(join(directoryOf(world), 'talk.jsonl'), 'utf8').endsWith('}\n')).toBe(true);
    expect(records(world, 'talk').filter(({ type }) => type === 'turn')).toMatchObject([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one' },
    ]);
    chat.child.stdin.end();
    expect((await chat.ended).code).toBe(0);
  });

  it('Scenario: Load Existing Session', async () => {
    await using world = await withPlayer([]);
    plant(world, 'session-123', { turns: ['said before', 'answered before'] });
    const again = await world.run(['spawn', '--resume', 'session-123'], { program: 'aur', input: 'more\n' });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    const turns = records(world, 'session-123').filter(({ type }) => type === 'turn');
    expect(turns.map(({ content }) => content).slice(0, 3)).toEqual([
      'said before',
      'answered before',
      'more',
    ]);
    const [note = ''] = readFileSync(world.dir.at('notes.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(note).prompt).toMatch(/said before[\s\S]*answered before[\s\S]*more$/);
  });
});

describe('Requirement: Session Listing and Filtering', () => {
  it('Scenario: List All Sessions', async () => {
    await using world = await appWorld();
    plant(world, 'older', { createdAt: daysAgo(3), turns: ['a', 'b'] });
    plant(world, 'newest', { createdAt: daysAgo(1) });
    plant(world, 'middle', { createdAt: daysAgo(2), turns: ['a'] });
    const { stdout } = await spawnIn(world, '--list-sessions');
    expect(stdout).toMatch(/^SESSION_ID +AGENT +TURN_COUNT +CREATED_AT +STATUS\n/);
    expect(idsIn(stdout)).toEqual(['newest', 'middle', 'older']);
    expect(stdout).toMatch(/older +player +2 +\d{4}-\S+ +completed/);
    const limited = await spawnIn(world, '--list-sessions', '--limit', '1');
    expect([idsIn(limited.stdout), limited.stderr]).toEqual([['newest'], expect.stringContaining('2 more')]);
  });

  it('Scenario: Filter Sessions by Agent', async () => {
    await using world = await appWorld();
    plant(world, 'tests', { agent: 'qa-test' });
    plant(world, 'plans', { agent: 'architect' });
    expect(idsIn((await spawnIn(world, '--list-sessions', '--agent', 'qa-test')).stdout)).toEqual(['tests']);
  });

  it('Scenario: Filter Sessions by Status', async () => {
    await using world = await appWorld();
    for (const status of ['active', 'completed', 'interrupted']) plant(world, `is-${status}`, { status });
    for (const status of ['active', 'completed', 'interrupted'])
      expect(idsIn((await spawnIn(world, '--list-sessions', '--status', status)).stdout)).toEqual([
        `is-${status}`,
      ]);
  });
});

describe('Requirement: Session Cleanup', () => {
  it('Scenario: Delete Single Session', async () => {
    await using world = await appWorld();
    const path = plant(world, 'session-123');
    plant(world, 'other');
    const deleted = await spawnIn(world, '--delete-session', 'session-123', '--yes');
    expect(deleted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Deleted session 'session-123'"),
    });
    expect(deleted.stdout).toContain('moved to the trash');
    expect(existsSync(path)).toBe(false);
    expect(idsIn((await spawnIn(world, '--list-sessions')).stdout)).toEqual(['other']);
  });

  it('Scenario: Clean Old Sessions', async () => {
    await using world = await appWorld();
    for (const days of [1, 29, 31, 100]) plant(world, `of-${days}-days`, { createdAt: daysAgo(days) });
    expect(await spawnIn(world, '--clean-sessions', '30')).toMatchObject({
      code: 0,
      stdout: 'Deleted 2 sessions older than 30 days\n',
      stderr: expect.stringContaining('trash restore'),
    });
    expect(files(world)).toEqual(['of-1-days.jsonl', 'of-29-days.jsonl']);
  });

  it('Scenario: Automatic Cleanup', async () => {
    await using world = await appWorld();
    for (const days of [29, 31, 100]) plant(world, `of-${days}-days`, { createdAt: daysAgo(days) });
    await spawnIn(world, '--list-sessions');
    expect(files(world)).toHaveLength(3);
    expireAfter(world, 30);
    const listed = await spawnIn(world, '--list-sessions');
    // In the background: the command's own words come first, and are what they would have been.
    expect(idsIn(listed.stdout)).toEqual(['of-29-days', 'of-31-days', 'of-100-days']);
    expect(listed.stderr).toMatch(
      /^Moved 2 conversations without activity for 30 days to the trash.*sessions trash restore/,
    );
    expect(files(world)).toEqual(['of-29-days.jsonl']);
    // Once nothing was left there is peace for a day.
    plant(world, 'of-40-days', { createdAt: daysAgo(40) });
    expect((await spawnIn(world, '--list-sessions')).stderr).toBe('');
    expect(files(world)).toHaveLength(2);
    const shown = (await world.json(['config', 'show'])).data.settings;
    expect(shown).toContainEqual(
      expect.objectContaining({
        key: 'conversation.expiryDays',
        value: 30,
        source: expect.stringMatching(/\.aurora\/config\.json$/),
      }),
    );
  });
});

describe('Requirement: Session File Format', () => {
  it('Scenario: JSONL Format Structure', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'one' }] }, { steps: [{ say: 'two' }] }]);
    await world.run(['spawn', '-i', '--agent', 'player', '--session', 'talk'], {
      program: 'aur',
      input: 'first\nsecond\n',
    });
    const text = readFileSync(join(directoryOf(world), 'talk.jsonl'), 'utf8');
    expect(text).toMatch(/^\{"type":"metadata","session_id":"talk","agent":"player","created_at":"[^"]+"/);
    const turns = text.split('\n').filter((line) => line.startsWith('{"type":"turn"'));
    expect(turns).toHaveLength(4);
    for (const line of turns)
      expect(line).toMatch(
        /^\{"type":"turn","role":"(?:user|assistant)","content":"\w+","timestamp":"[^"]+","tokens":\d+/,
      );
  });

  it('Scenario: Parse JSONL on Load', async () => {
    await using world = await appWorld();
    plant(world, 'good', { agent: 'qa-test', turns: ['a', 'b'] });
    const { data } = await world.json(['sessions', 'show', 'good']);
    expect(data).toMatchObject({
      agent: 'qa-test',
      detail: {
        turns: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
        damage: [],
      },
    });
    const path = plant(world, 'bad', { turns: ['a', 'b'] });
    const [first, second, third] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [first, second, '{"type": "turn", broken', third, ''].join('\n'));
    const refused = await spawnIn(world, '--resume', 'bad');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/^damaged: line 3, byte \d+: not a JSON record$/m);
    expect(refused.stderr).toMatch(/^aur: bad is damaged in 1 place/m);
  });

  itNeeds({ tmux: true }, 'Scenario: Handle Corrupted Session File', async () => {
    await using world = await withPlayer([]);
    const damaged = (id: string) => {
      const path = plant(world, id, { turns: ['a', 'b'] });
      writeFileSync(path, `${readFileSync(path, 'utf8')}garbage\n`);
    };
    for (const id of ['bad-1', 'bad-2', 'bad-3']) damaged(id);
    await using pane = await Pane.open(world);
    const aur = async (id: string) => {
      await pane.run('clear');
      await pane.run(`'${process.execPath}' '${AUR_BINARY}' spawn --resume ${id}; echo "exit code $?"`);
      await pane.until(`Session '${id}': [R]ecover, [d]elete or [l]eave?`);
    };
    await aur('bad-1');
    await pane.until(/damaged: line 4, byte \d+: not a JSON record/);
    await pane.run('perhaps');
    await pane.until('Type r, d or l');
    await pane.run('l');
    expect(await pane.exitCode()).toBe(3);
    await aur('bad-2');
    await pane.run('d');
    await pane.until("Session 'bad-2' was moved to the trash");
    expect(await pane.exitCode()).toBe(0);
    await aur('bad-3');
    await pane.run('');
    await pane.until('Resumed with 2 turns.');
    await pane.press('C-d');
    expect(await pane.exitCode()).toBe(0);
    expect(files(world)).toEqual(['bad-1.jsonl', 'bad-3.jsonl']);
    expect(readFileSync(join(directoryOf(world), 'bad-1.jsonl'), 'utf8')).toContain('garbage');
    expect(readFileSync(join(directoryOf(world), 'bad-3.jsonl'), 'utf8')).not.toContain('garbage');
  });
});

describe('Requirement: Concurrent Session Access', () => {
  it('Scenario: Write Lock During Save', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { hang: true }] }]);
    const chat = world.start(['spawn', '-i', '--agent', 'player', '--session', 'talk'], { program: 'aur' });
    chat.child.stdin.write('first\n');
    await chat.printed('stdout', /half/);
    const second = await world.run(['spawn', '--resume', 'talk'], { program: 'aur', input: 'me too\n' });
    expect(second.code).toBe(5);
    expect(second.stderr).toContain(`aur: Session talk is locked by process ${chat.child.pid} `);
    expect(records(world, 'talk').some(({ content }) => content === 'me too')).toBe(false);
  });

  it('Scenario: Read During Active Session', async () => {
    await using world = await withPlayer([
      { steps: [{ say: 'one' }] },
      { steps: [{ say: 'half' }, { hang: true }] },
    ]);
    const chat = world.start(['spawn', '-i', '--agent', 'player', '--session', 'talk'], { program: 'aur' });
    chat.child.stdin.write('first\nsecond\n');
    await chat.printed('stdout', /half/);
    const listed = await world.run(['spawn', '--list-sessions'], { program: 'aur' });
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/talk +player +3 .* active/) });
    expect((await world.run(['sessions', 'export', 'talk'])).stdout).toContain('second');
  });
});
