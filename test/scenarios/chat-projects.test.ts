import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Machine } from '../support/holdfast-binary.js';
import { withPlayer } from '../support/player.js';
import { verifies } from '../support/verifies.js';

function fileOf(world: Machine, id: string): string {
  return join(world.env.HOME ?? '', '.aurora', 'spawn', 'sessions', `${id}.jsonl`);
}

function recordsOf(world: Machine, id: string, type: string): Record<string, unknown>[] {
  const lines = readFileSync(fileOf(world, id), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line)).filter((record) => record.type === type);
}

/** Another directory of the same machine. */
function elsewhere(world: Machine, name: string): string {
  const path = world.dir.at(name);
  mkdirSync(path);
  return path;
}

const talk = (world: Machine, args: string[], cwd?: string) =>
  world.run(['chat', ...args], { input: 'hello\n', ...(cwd === undefined ? {} : { cwd }) });

describe('a conversation', () => {
  verifies('R07', 'is refused in another project, with the command that goes there, or moved', async () => {
    await using world = await withPlayer([]);
    const other = elsewhere(world, "ann's other");
    await talk(world, ['--agent', 'player', '--session', 'web1']);
    const refused = await talk(world, ['--resume', 'web1'], other);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain(`web1 belongs to ${world.project}`);
    expect(refused.stderr).toContain(`cd '${world.project}' && holdfast chat --resume web1`);
    expect(refused.stderr).toContain('--here');
    expect(recordsOf(world, 'web1', 'turn')).toHaveLength(2);
    const moved = await talk(world, ['--resume', 'web1', '--here'], other);
    expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining('Moved here from') });
    expect(await talk(world, ['--resume', 'web1'], other)).toMatchObject({ code: 0 });
    expect(await talk(world, ['--resume', 'web1'])).toMatchObject({ code: 3 });
    expect((await world.json(['chat', '--list-sessions'])).data).toMatchObject([{ project: other }]);
    expect(readFileSync(fileOf(world, 'web1'), 'utf8')).toMatch(/^\{"type":"metadata","session_id":"web1"/);
  });

  verifies('R07', 'of the same repository goes on in every directory and worktree of it', async () => {
    await using world = await withPlayer([]);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: world.project });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', world.dir.at('tree'));
    mkdirSync(join(world.project, 'deep', 'down'), { recursive: true });
    await talk(world, ['--agent', 'player', '--session', 'web1']);
    for (const place of [join(world.project, 'deep', 'down'), world.dir.at('tree')]) {
      const again = await talk(world, ['--resume', 'last'], place);
      expect(again, again.stderr).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('(same project)'),
      });
    }
    expect(recordsOf(world, 'web1', 'turn')).toHaveLength(6);
  });

  verifies('R07', 'that is the last one is the last of this project', async () => {
    await using world = await withPlayer([]);
    const other = elsewhere(world, 'other');
    await talk(world, ['--agent', 'player', '--session', 'mine']);
    await talk(world, ['--agent', 'player', '--session', 'theirs'], other);
    expect(await talk(world, ['--resume', 'last'])).toMatchObject({ code: 0 });
    expect(recordsOf(world, 'mine', 'turn')).toHaveLength(4);
    const none = await talk(world, ['--resume', 'last'], elsewhere(world, 'third'));
    expect(none.code).toBe(4);
    expect(none.stderr).toContain(other);
  });

  verifies('R07', 'without a directory belongs to where it is resumed first, and that is said', async () => {
    await using world = await withPlayer([]);
    const other = elsewhere(world, 'other');
    await talk(world, ['--agent', 'player', '--session', 'begin']); // makes the directory
    const lines = [
      { type: 'metadata', session_id: 'by-hand', agent: 'player', created_at: '2026-01-14T10:00:00Z' },
      { type: 'turn', role: 'user', content: 'by hand', timestamp: '2026-01-14T10:00:01Z', tokens: 2 },
    ];
    writeFileSync(fileOf(world, 'by-hand'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const first = await talk(world, ['--resume', 'by-hand'], other);
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('belongs to this one from now on'),
    });
    expect(await talk(world, ['--resume', 'by-hand'])).toMatchObject({ code: 3 });
    expect(await talk(world, ['--resume', 'by-hand'], other)).toMatchObject({ code: 0 });
  });

  verifies('R07', 'whose directory is gone can only be moved', async () => {
    await using world = await withPlayer([]);
    const other = elsewhere(world, 'other');
    await talk(world, ['--agent', 'player', '--session', 'web1'], other);
    rmSync(other, { recursive: true });
    const refused = await talk(world, ['--resume', 'web1']);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('That directory is gone') });
    expect(await talk(world, ['--resume', 'web1', '--here'])).toMatchObject({ code: 0 });
  });

  it('shows its project in lists, except in the published table', async () => {
    await using world = await withPlayer([]);
    await talk(world, ['--agent', 'player', '--session', 'web1']);
    expect((await world.run(['chat', '--list-sessions'])).stdout).toContain(world.project);
  });
});

describe('a conversation that is resumed', () => {
  verifies('R14', 'goes on as it was started after kill -9, and what is typed wins', async () => {
    await using world = await withPlayer([{ steps: [{ say: 'half' }, { hang: true }] }]);
    const start = ['--agent', 'player', '--model', 'small', '--permissions', 'ask', '--session', 'talk'];
    const chat = world.start(['chat', ...start]);
    chat.child.stdin.write('first\n');
    await chat.printed('stdout', /half/);
    chat.child.kill('SIGKILL');
    await chat.ended;
    const again = await talk(world, ['--resume', 'talk']);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(again.stderr).not.toMatch(/other options|accept-changes/);
    const launches = () =>
      recordsOf(world, 'talk', 'launch').map(({ model, permissions }) => [model, permissions]);
    expect(launches()).toEqual([['small', 'ask']]);
    await talk(world, ['--resume', 'talk', '--permissions', 'edits', '--model', 'big']);
    expect(launches()).toEqual([
      ['small', 'ask'],
      ['big', 'edits'],
    ]);
  });

  verifies('R14', 'never takes bypass over without a word', async () => {
    await using world = await withPlayer([]);
    await talk(world, ['--agent', 'player', '--permissions', 'bypass', '--session', 'talk']);
    const again = await talk(world, ['--resume', 'talk']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('bypass is not reused') });
    const launches = recordsOf(world, 'talk', 'launch').map(({ permissions }) => permissions);
    expect(launches).toEqual(['bypass', 'edits']);
  });
});
