import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import { done, PLAN } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

const QUICK = [
  '--agent',
  'player',
  '--phases',
  'work',
  '--verify',
  'true',
  '--unattended',
  '--permissions',
  'bypass',
];
/** Each turn adds a line, so that a second run in the same tree changes something, too. */
const WORKS = [{ steps: [{ run: 'echo "// $$" >> adder.mjs' }, done] }];
const OTHER = 'docs/prps/other.md';

async function add(world: WorktreeWorld, ...args: string[]): Promise<Json> {
  const { code, data } = await world.asideJson(['queue', 'add', ...args]);
  expect(code).toBe(0);
  return data[0];
}

async function listed(world: WorktreeWorld): Promise<Json[]> {
  return (await world.asideJson(['queue', 'list', '--all'])).data.entries;
}

describe('the queue', () => {
  verifies('O05', 'runs what is queued, a chain in one worktree, each once and with its report', async () => {
    await using world = await worktreeWorld(WORKS);
    const first = await add(world, PLAN, ...QUICK);
    world.put(OTHER, '# PRP: Other\n\n### Success Criteria\n\n- [ ] as it was\n');
    world.commitAll('another plan');
    const second = await add(world, OTHER, ...QUICK, '--after', first.id.slice(0, 8));
    const alone = await add(world, OTHER, ...QUICK);
    // What was queued runs, whatever becomes of the file.
    rmSync(join(world.project, OTHER));
    const { code, stdout, stderr } = await world.run(['worker', '--once']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.any(String),
      stderr: expect.any(String),
    });
    const entries = await listed(world);
    expect(entries.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    const [a, b, c] = [first, second, alone].map(({ id }) => entries.find((one) => one.id === id));
    expect(b.worktree).toBe(a.worktree);
    expect(c.worktree).not.toBe(a.worktree);
    expect(world.registered().sort()).toEqual([a.worktree, c.worktree].sort());
    expect(existsSync(join(world.project, 'adder.mjs'))).toBe(false);
    for (const { id, runId } of [a, b, c]) {
      const { data } = await world.asideJson(['queue', 'show', id]);
      expect(data.report).toMatchObject({ sessionId: runId, status: 'completed' });
      // Those of the archive, too.
      expect((await world.asideJson(['report', runId])).data).toMatchObject({ sessionId: runId });
    }
    expect(world.prompts()).toHaveLength(3);
  });
});
