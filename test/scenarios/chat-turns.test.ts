import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Machine } from '../support/holdfast-binary.js';
import { withPlayer } from '../support/player.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';
import { verifies } from '../support/verifies.js';

function fileOf(world: Machine, id: string): string {
  return join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions', `${id}.jsonl`);
}

function turnsOf(world: Machine, id: string): string[] {
  const lines = readFileSync(fileOf(world, id), 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'turn')
    .map(({ content }) => content);
}

/** A `git` before the real one that notes each start. */
function countedGit(world: Machine): { PATH: string; starts: () => number } {
  const directory = world.dir.at('shims');
  const notes = world.dir.at('git-starts');
  mkdirSync(directory);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(directory, 'git'), `#!/bin/sh\necho "$*" >> '${notes}'\nexec '${real}' "$@"\n`);
  chmodSync(join(directory, 'git'), 0o755);
  return {
    PATH: `${directory}:${world.env.PATH}`,
    starts: () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n').length : 0),
  };
}

describe('a turn of a chat', () => {
  verifies('C02', 'takes no git process, in a repository either', async () => {
    await using world = await withPlayer([
      { steps: [{ write: { path: 'new.txt', content: 'x' } }, { say: 'one' }] },
    ]);
    const { PATH, starts } = countedGit(world);
    execFileSync('git', ['init', '-q'], { cwd: world.project });
    const chat = await world.run(['chat', '--agent', 'player', '--session', 'talk'], {
      input: 'first\nsecond\n',
      env: { PATH },
    });
    expect(chat, chat.stderr).toMatchObject({ code: 0 });
    const again = await world.run(['chat', '--resume', 'last', '--json'], {
      input: `${JSON.stringify({ content: 'third' })}\n`,
      env: { PATH },
    });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(starts()).toBe(0);
    // A prompt whose changes are told does: the count is one.
    await world.run(['exec', '--agent', 'player', 'go'], { env: { PATH } });
    expect(starts()).toBeGreaterThan(0);
  });

  it('begins with the message on the command line, and `--resume` alone goes on with the last one', async () => {
    await using world = await withPlayer([]);
    const first = await world.run(['chat', '--agent', 'player', '--session', 'talk', 'hello there'], {
      input: 'more\n',
    });
    expect(first, first.stderr).toMatchObject({ code: 0, stdout: 'You said: hello there\nYou said: more\n' });
    const again = await world.run(['chat', 'and again', '--resume']);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(turnsOf(world, 'talk').filter((_, index) => index % 2 === 0)).toEqual([
      'hello there',
      'more',
      'and again',
    ]);
    expect((await world.run(['chat', 'hello', '--list-sessions'])).code).toBe(2);
  });

  it('goes on behind an end that a kill cut off, and says so', async () => {
    await using world = await withPlayer([]);
    await world.run(['chat', '--agent', 'player', '--session', 'talk'], { input: 'first\n' });
    writeFileSync(fileOf(world, 'talk'), '{"type":"turn","role":"us', { flag: 'a' });
    const again = await world.run(['chat', '--resume', 'talk'], { input: 'second\n' });
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stderr).toMatch(/The end of the file was cut off by a crash and set aside: .*\.damaged-/);
    expect(turnsOf(world, 'talk')).toHaveLength(4);
  });

  it('says how to name an agent where the file does not, and never cleans what it holds', async () => {
    await using world = await withPlayer([]);
    const turn = { type: 'turn', role: 'user', content: 'a', timestamp: '2020-01-01T00:00:00Z', tokens: 1 };
    mkdirSync(join(fileOf(world, 'x'), '..'), { recursive: true, mode: 0o700 });
    writeFileSync(fileOf(world, 'headless'), `${JSON.stringify(turn)}\n`);
    const refused = await world.run(['chat', '--resume', 'headless', '--recover'], { input: 'x\n' });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Nothing in headless says which agent'),
    });
    expect(refused.stderr).toContain('--resume headless --agent <name>');
    world.configure({
      conversation: { expiryDays: 0.000_000_001 },
      agents: JSON.parse(readFileSync(join(world.env.HOLDFAST_HOME ?? '', 'config', 'config.json'), 'utf8'))
        .agents,
    });
    const held = await world.run(['chat', '--agent', 'player', '--session', 'mine'], { input: 'x\n' });
    expect(held.stderr).toMatch(/Moved 1 conversation without activity/);
    expect(existsSync(fileOf(world, 'mine'))).toBe(true);
    expect(existsSync(fileOf(world, 'headless'))).toBe(false);
  });
});

describe('what is typed while an answer runs', () => {
  const question = { title: 'Colour', prompt: 'Which?', options: [{ label: 'red' }, { label: 'blue' }] };
  const TALK = [
    { steps: [{ ask: { questions: [question] } }, { say: 'thanks' }] },
    { steps: [{ say: 'to the second' }] },
    { steps: [{ say: 'it begins' }, { hang: true }] },
  ];

  verifiesInTerminal(
    'C14',
    'is queued message by message, sent in order, and dropped by Ctrl+C',
    async () => {
      await using world = await withPlayer(TALK);
      await using pane = await Pane.open(world);
      await pane.holdfast('chat --agent player --session talk');
      await pane.until(/you>\s*$/m);
      await pane.run('first');
      await pane.until('answer>');
      await pane.run('l');
      const [, id = ''] =
        /holdfast answer ([0-9a-f]{8})/.exec((await pane.until(/holdfast answer [0-9a-f]{8}/)).join('\n')) ??
        [];
      await pane.run('second');
      await pane.until('queued: second');
      await pane.run('third');
      await pane.until('queued: third');
      await world.aside(['answer', id, '--option', 'red']);
      await pane.until('to the second');
      await pane.until('it begins');
      await pane.run('fourth');
      await pane.until('queued: fourth');
      await pane.press('C-c');
      await pane.until('Not sent: 1 queued message');
      await pane.until('Interrupted. Returning to prompt.');
      await pane.run('/save keep.md');
      await pane.until('Saved to keep.md');
      writeFileSync(join(world.project, 'keep.md'), 'mine');
      for (const command of ['/save', '/export']) {
        await pane.run(`${command} keep.md`);
        await pane.until(
          (rows) =>
            rows.filter((row) => row.includes('nothing was written')).length >= (command === '/save' ? 1 : 2),
        );
      }
      await pane.press('C-d');
      expect(await pane.exitCode()).toBe(0);
      expect(readFileSync(join(world.project, 'keep.md'), 'utf8')).toBe('mine');
      expect(turnsOf(world, 'talk')).toEqual([
        'first',
        'thanks',
        'second',
        'to the second',
        'third',
        'it begins',
      ]);
    },
  );
});
