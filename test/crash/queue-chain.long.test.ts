import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { eventually } from '../support/agents.js';
import type { Json } from '../support/holdfast-binary.js';
import { done, living } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

const OPTIONS = ['--agent', 'player', '--phases', 'work', '--verify', 'true', '--unattended'];
const PLANS = ['one', 'two', 'three'];
/** Adds a line with the number of lines before it: an entry that builds on the work of others sees theirs. */
const COUNTS = { run: 'echo "line $(cat work.txt 2>/dev/null | wc -l)" >> work.txt' };

async function queueChain(world: WorktreeWorld): Promise<string[]> {
  for (const name of PLANS)
    world.put(`docs/prps/${name}.md`, `# PRP: ${name}\n\n### Success Criteria\n\n- [ ] it works\n`);
  world.commitAll('plans');
  const ids: string[] = [];
  for (const name of PLANS) {
    const after = ids.length === 0 ? [] : ['--after', ids.at(-1) ?? ''];
    const args = ['queue', 'add', `docs/prps/${name}.md`, ...OPTIONS, '--permissions', 'bypass', ...after];
    ids.push((await world.asideJson(args)).data[0].id);
  }
  return ids;
}

function entryOf(world: WorktreeWorld, id: string): Json {
  const path = join(world.env.HOLDFAST_HOME ?? '', 'state', 'queue', 'entries', `${id}.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Kills workers, runs and agents alike, and whatever one of them started while it was being killed. */
async function killAll(world: WorktreeWorld): Promise<void> {
  await eventually(() => {
    const left = living(world.dir.path);
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended while we looked.
      }
    }
    return left.length === 0;
  });
}

/** Whether the agent of an entry was prompted and has not done its work. */
function isInTheMiddle(world: WorktreeWorld, id: string): boolean {
  const { run_id: run } = entryOf(world, id);
  const events = join(world.env.HOLDFAST_HOME ?? '', 'state', 'runs', run ?? 'none', 'events.jsonl');
  return existsSync(events) && readFileSync(events, 'utf8').includes('"iteration-start"');
}

describe('a chain of three plans', () => {
  verifies(
    'O05',
    'each builds on what came before it, with a kill -9 of everything in the middle of each and between any two',
    async () => {
      await using world = await worktreeWorld([]);
      const go = world.dir.at('go');
      // Its agent is there and has not begun: it may go on after it has died once.
      world.script([{ steps: [{ run: `until [ -e '${go}' ]; do sleep 0.1; done` }, COUNTS, done] }]);
      const ids = await queueChain(world);
      for (const id of ids) {
        world.start(['worker', '--quiet']);
        await eventually(() => isInTheMiddle(world, id));
        await killAll(world);
        expect(entryOf(world, id).status).toBe('running');
        // In a paused queue, too, what had begun is finished, and nothing after it begins.
        await world.aside(['queue', 'pause']);
        writeFileSync(go, '');
        world.start(['worker', '--quiet']);
        await eventually(() => entryOf(world, id).status !== 'running');
        await killAll(world);
        rmSync(go);
        await world.aside(['queue', 'resume']);
      }
      const entries = ids.map((id) => entryOf(world, id));
      expect(entries.map(({ status, reason }) => ({ status, reason }))).toEqual(
        ids.map(() => ({ status: 'done', reason: null })),
      );
      expect(new Set(entries.map(({ worktree }) => worktree)).size).toBe(1);
      expect(readFileSync(join(entries[0].worktree, 'work.txt'), 'utf8')).toBe('line 0\nline 1\nline 2\n');
      expect(world.registered()).toEqual([entries[0].worktree]);
      const kept = join(world.env.HOLDFAST_HOME ?? '', 'state', 'queue', 'kept');
      for (const { id, run_id: run } of entries) {
        expect(JSON.parse(readFileSync(join(kept, id, 'report.json'), 'utf8'))).toMatchObject({
          sessionId: run,
          status: 'completed',
        });
      }
    },
  );
});
