import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RalphWorld, ralphWorld, writeChange } from '../../support/change-scenarios.js';
import { machine } from '../../support/holdfast-binary.js';

// The published specification of change sessions: one test for each scenario, named by its heading, word for word.

const S1 = { env: { RALPH_SESSION: 's1' } };
const INIT = ['session', 'init', '--change', 'add-login'];

async function proving(prove: (world: RalphWorld) => Promise<void>): Promise<void> {
  await using made = await machine();
  writeChange(made.project);
  await prove(ralphWorld(made));
}

/** The file that holds a change, wherever its program has gone. */
const claimOf = (world: RalphWorld) =>
  join(world.machine.project, 'openspec', '.holdfast', 'changes', 'add-login', 'session.json');

describe.concurrent('Requirement: Session initialization', () => {
  it('Initialize new session', () =>
    proving(async (world) => {
      const { code, data } = await world.agent(INIT, S1);
      expect(code).toBe(0);
      expect(data).toMatchObject({ session_id: 's1', change_name: 'add-login' });
      expect(data.stories.map(({ id }: { id: string }) => id)).toEqual(['1', '2', 'unnumbered']);
      expect(existsSync(world.state('s1'))).toBe(true);
      expect(existsSync(claimOf(world))).toBe(true);
    }));

  it('Session already exists for change', () =>
    proving(async ({ agent }) => {
      await agent(INIT, S1);
      expect(await agent(INIT, { env: { RALPH_SESSION: 's2' } })).toMatchObject({
        code: 5,
        data: {
          success: false,
          error: expect.stringContaining("Change 'add-login' is locked by session s1"),
        },
      });
    }));

  it('Invalid change name', () =>
    proving(async ({ agent, state }) => {
      expect(await agent(['session', 'init', '--change', 'nope'], S1)).toMatchObject({
        code: 4,
        data: { success: false, error: expect.stringContaining("Change 'nope' not found") },
      });
      expect(existsSync(state('s1'))).toBe(false);
    }));
});

describe.concurrent('Requirement: Story iteration', () => {
  it('Get next story', () =>
    proving(async ({ agent }) => {
      await agent(INIT, S1);
      expect((await agent(['session', 'next-story'], S1)).data).toMatchObject({ story_id: '1' });
      expect((await agent(['context'], S1)).data.story.id).toBe('1');
      expect((await agent(['task', 'done', '2.1'], S1)).data.code).toBe('SCOPE_ERROR');
    }));

  it('All stories complete', () =>
    proving(async ({ agent, file, read }) => {
      await agent(INIT, S1);
      writeFileSync(file('tasks.md'), read('tasks.md').replaceAll('[ ]', '[x]'));
      expect((await agent(['session', 'next-story'], S1)).data).toMatchObject({ complete: true });
    }));
});

describe.concurrent('Requirement: Session flush', () => {
  it('Flush with learnings', () =>
    proving(async (world) => {
      await world.agent(INIT, S1);
      await world.agent(['learn', 'Use argon2id'], S1);
      expect((await world.agent(['session', 'flush'], S1)).code).toBe(0);
      expect(world.read('design.md')).toMatch(/^## Learnings\n\n### .*\n- Use argon2id\n$/);
      expect([existsSync(claimOf(world)), existsSync(world.state('s1'))]).toEqual([false, false]);
      expect((await world.agent(INIT, { env: { RALPH_SESSION: 's2' } })).code).toBe(0);
    }));

  it('Flush empty session', () =>
    proving(async (world) => {
      writeFileSync(world.file('design.md'), '# Design\n');
      await world.agent(INIT, S1);
      expect((await world.agent(['session', 'flush'], S1)).code).toBe(0);
      expect(world.read('design.md')).toBe('# Design\n');
      expect([existsSync(claimOf(world)), existsSync(world.state('s1'))]).toEqual([false, false]);
    }));
});

describe.concurrent('Requirement: Session required', () => {
  it('Missing session environment', () =>
    proving(async ({ agent }) => {
      const commands = [
        ['session', 'next-story'],
        ['session', 'flush'],
        ['context'],
        ['task', 'done', '1.1'],
        ['task', 'undo', '1.1'],
        ['task', 'list'],
        ['status'],
        ['learn', 'x'],
      ];
      for (const command of commands)
        expect(await agent(command, { env: { RALPH_SESSION: undefined } }), command.join(' ')).toMatchObject({
          code: 2,
          data: {
            success: false,
            error: expect.stringContaining('needs a session: RALPH_SESSION is not set'),
            hint: expect.stringContaining('managed by the orchestrator'),
          },
        });
    }));
});

describe.concurrent('Requirement: Session state storage', () => {
  it('Session file location', () =>
    proving(async ({ agent, machine: { env } }) => {
      await agent(INIT, S1);
      expect(existsSync(join(env.TMPDIR ?? '', 'ralph', 'sessions', 's1.json'))).toBe(true);
    }));

  it('Session state contents', () =>
    proving(async ({ agent, state }) => {
      await agent(INIT, S1);
      await agent(['session', 'next-story'], S1);
      await agent(['task', 'done', '1.1'], S1);
      await agent(['learn', 'x'], S1);
      expect(JSON.parse(readFileSync(state('s1'), 'utf8'))).toMatchObject({
        session_id: 's1',
        change_name: 'add-login',
        current_story_id: '1',
        created_at: expect.any(String),
        accumulated_learnings: [{ description: 'x' }],
        completed_tasks: ['1.1'],
      });
    }));
});
