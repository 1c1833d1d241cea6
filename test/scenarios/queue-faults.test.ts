import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import { done, PLAN } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

const QUICK = ['--agent', 'player', '--phases', 'work', '--verify', 'true', '--permissions', 'bypass'];
const WORKS = [{ steps: [{ run: 'echo "// $$" >> adder.mjs' }, done] }];

async function add(world: WorktreeWorld, ...args: string[]): Promise<Json> {
  const { code, data } = await world.asideJson(['queue', 'add', PLAN, ...QUICK, ...args]);
  expect(code).toBe(0);
  return data[0];
}

async function entries(world: WorktreeWorld): Promise<Map<string, Json>> {
  const { data } = await world.asideJson(['queue', 'list', '--all']);
  return new Map(data.entries.map((entry: Json) => [entry.id, entry]));
}

describe('bad input and faults of the queue', () => {
  verifies('O05', 'what cannot be queued is refused with a code and a way out', async () => {
    await using world = await worktreeWorld(WORKS);
    const bare = world.dir.at('bare.git');
    world.git(['init', '--quiet', '--bare', bare]);
    writeFileSync(join(bare, 'plan.md'), readFileSync(join(world.project, PLAN)));
    const plain = world.dir.at('plain');
    mkdirSync(plain);
    writeFileSync(join(plain, 'plan.md'), readFileSync(join(world.project, PLAN)));
    const refused = async (args: readonly string[], cwd = world.project) => {
      const { stderr, stdout, code } = await world.aside([...args, '--json'], { cwd });
      return { code, error: JSON.parse(stdout === '' ? stderr : stdout).code };
    };
    expect(await refused(['queue', 'add', 'no-such-plan.md', ...QUICK])).toEqual({
      code: 4,
      error: 'PLAN_NOT_FOUND',
    });
    expect(await refused(['queue', 'add', 'plan.md', ...QUICK], bare)).toMatchObject({
      error: 'PLAN_NOT_QUEUED',
    });
    expect(await refused(['queue', 'add', 'plan.md', ...QUICK], plain)).toMatchObject({
      error: 'PLAN_NOT_QUEUED',
    });
    expect(await refused(['queue', 'add', PLAN, ...QUICK, '--base', 'no-such-commit'])).toMatchObject({
      error: 'INVALID_INPUT',
    });
    expect(await refused(['queue', 'add', PLAN, '--agent', 'nobody'])).toMatchObject({
      error: 'AGENT_UNKNOWN',
    });
    expect(await refused(['queue', 'add', PLAN, ...QUICK, '--after', 'abcdef'])).toMatchObject({
      error: 'ENTRY_NOT_FOUND',
    });
    expect(await refused(['queue', 'show', 'abcdef'])).toMatchObject({ error: 'ENTRY_NOT_FOUND' });
    const first = await add(world);
    const second = await add(world, '--after', first.id);
    expect(await refused(['queue', 'edit', first.id, '--after', second.id])).toMatchObject({
      error: 'QUEUE_CYCLE',
    });
    expect(await refused(['queue', 'remove', first.id])).toMatchObject({ error: 'ENTRY_NEEDED' });
    expect([...(await entries(world)).keys()]).toEqual([first.id, second.id]);
  });

  verifies(
    'O05',
    'what went wrong meanwhile fails with its reason, and everything else goes on',
    async () => {
      await using world = await worktreeWorld(WORKS);
      // In the middle of everything a repository that is a submodule of this one.
      const inner = world.dir.at('inner');
      mkdirSync(inner);
      world.git(['init', '--quiet', '--initial-branch=main'], inner);
      writeFileSync(join(inner, 'plan.md'), readFileSync(join(world.project, PLAN)));
      world.commitAll('inner', inner);
      world.git(['submodule', '--quiet', 'add', inner, 'sub']);
      world.commitAll('with a submodule');
      const lost = await add(world, '--base', 'HEAD');
      const { data } = await world.asideJson(['queue', 'add', 'plan.md', ...QUICK], {
        cwd: join(world.project, 'sub'),
      });
      const [submodule] = data;
      const dirty = await add(world, '--in-place');
      const gone = await add(world);
      const behind = await add(world, '--after', lost.id);
      const uninstalled = await add(world);
      const missing = await add(world);
      editRecord(world, lost.id, (entry) => ({ ...entry, base: 'f'.repeat(40) }));
      editRecord(world, uninstalled.id, (entry) => ({
        ...entry,
        options: { ...entry.options, agent: 'nobody' },
      }));
      addAgent(world, 'ghost', join(world.project, 'no-such-program'));
      editRecord(world, missing.id, (entry) => ({ ...entry, options: { ...entry.options, agent: 'ghost' } }));
      appendFileSync(join(world.project, 'docs/prps/adder.md'), '\nMore.\n');
      const before = await world.aside(['queue', 'list']);
      expect(before.stdout).toContain('the plan has changed since; the queued version runs');
      rmSync(join(world.project, PLAN));
      expect((await world.aside(['queue', 'list'])).stdout).toContain(
        'the plan is gone; the queued version runs',
      );

      const worked = await world.run(['worker', '--once', '--slots', '3']);
      expect(worked, worked.stderr).toMatchObject({ code: 3 });
      const after = await entries(world);
      const stands = ({ id }: Json) => [after.get(id).standing.is, after.get(id).standing.reason];
      expect(stands(gone)).toEqual(['done', undefined]);
      expect(stands(submodule)).toEqual(['done', undefined]);
      expect(stands(lost)).toEqual(['failed', expect.stringMatching(/ffffffff/)]);
      expect(stands(behind)).toEqual(['blocked', expect.stringMatching(/failed: .*ffffffff/)]);
      expect(stands(dirty)).toEqual(['failed', expect.stringMatching(/^(?!holdfast:).*uncommitted/)]);
      expect(stands(missing)).toEqual([
        'failed',
        expect.stringMatching(/^Could not start .*no-such-program/),
      ]);
      expect(after.get(missing.id).runId).toBeNull();
      expect(stands(uninstalled)).toEqual(['blocked', 'There is no agent nobody']);
      const { stdout } = await world.aside(['queue', 'list']);
      for (const { id } of [lost, dirty]) expect(stdout).toMatch(new RegExp(`${id.slice(0, 8)}  failed`));
      expect(
        execFileSync('git', ['status', '--porcelain'], { cwd: join(world.project, 'sub') }).toString(),
      ).toBe('');
    },
  );
});

function addAgent(world: WorktreeWorld, name: string, command: string): void {
  const path = join(world.env.HOLDFAST_HOME ?? '', 'config', 'config.json');
  const { agents, ...config } = JSON.parse(readFileSync(path, 'utf8'));
  const more = { ...agents, [name]: { ...agents.player, command } };
  writeFileSync(path, JSON.stringify({ ...config, agents: more }));
}

/** As time, or another program, changes it behind our back. */
function editRecord(world: WorktreeWorld, id: string, change: (entry: Json) => Json): void {
  const path = join(world.env.HOLDFAST_HOME ?? '', 'state', 'queue', 'entries', `${id}.json`);
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))));
}
