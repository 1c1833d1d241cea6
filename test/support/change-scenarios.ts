import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { RequirementId } from '../requirements.js';
import { SPEC, TASKS } from './change-world.js';
import type { Json, Machine } from './holdfast-binary.js';
import { treeOf } from './question-world.js';

/** A project with the change `add-login`, and the program that agents use in it. */
export interface RalphWorld {
  readonly machine: Machine;
  /** A file of the change. */
  file(name: string): string;
  read(name: string): string;
  /** Runs `ralphtool agent …`; its output on stdout, or on stderr if it failed, is one JSON document. */
  agent(args: readonly string[], options?: AgentOptions): Promise<{ code: number | null; data: Json }>;
  /** The published state file of a session. */
  state(sessionId: string): string;
}

export interface AgentOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** Puts the documents of the change `add-login` into a project, as a person or an agent would write them. */
export function writeChange(project: string): void {
  const directory = join(project, 'openspec', 'changes', 'add-login');
  for (const [name, text] of Object.entries({
    'tasks.md': TASKS,
    'proposal.md': '## Why\n\nPeople cannot get in.\n\n## What Changes\n\n- **auth:** login\n',
    'specs/auth/spec.md': SPEC,
  })) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

export function ralphWorld(machine: Machine): RalphWorld {
  const file = (name: string) => join(machine.project, 'openspec', 'changes', 'add-login', name);
  return {
    machine,
    file,
    read: (name) => readFileSync(file(name), 'utf8'),
    async agent(args, options = {}) {
      const outcome = await machine.run(['agent', ...args], { ...options, program: 'ralphtool' });
      const [told, silent] =
        outcome.code === 0 ? [outcome.stdout, outcome.stderr] : [outcome.stderr, outcome.stdout];
      expect(silent).toBe('');
      return { code: outcome.code, data: JSON.parse(told) };
    },
    state: (sessionId) => join(machine.env.TMPDIR ?? '', 'ralph', 'sessions', `${sessionId}.json`),
  };
}

export interface ChangeScenario {
  readonly id: RequirementId;
  readonly clause: string;
  prove(world: RalphWorld): Promise<void>;
}

const S1 = { env: { RALPH_SESSION: 's1' } };
const INIT = ['session', 'init', '--change', 'add-login'];

/** Every S row through the real program. */
export const CHANGE_SCENARIOS: readonly ChangeScenario[] = [
  {
    id: 'S01',
    clause: 'init with RALPH_SESSION makes the state file and prints metadata and stories',
    async prove({ agent, state }) {
      const { code, data } = await agent(INIT, S1);
      expect([code, data]).toEqual([
        0,
        {
          session_id: 's1',
          change_name: 'add-login',
          created_at: expect.any(String),
          stories: [
            { id: '1', title: 'Setup', tasks_total: 4, tasks_done: 1 },
            { id: '2', title: 'Finish', tasks_total: 1, tasks_done: 0 },
            { id: 'unnumbered', title: 'Unnumbered tasks', tasks_total: 1, tasks_done: 0 },
          ],
        },
      ]);
      expect(existsSync(state('s1'))).toBe(true);
    },
  },
  {
    id: 'S01',
    clause: 'init without RALPH_SESSION makes an id',
    async prove({ agent, state }) {
      const { data } = await agent(INIT, { env: { RALPH_SESSION: '' } });
      expect(data.session_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(existsSync(state(data.session_id))).toBe(true);
    },
  },
  {
    id: 'S02',
    clause:
      'a second session is refused long after the first program has ended; the first gets its reply again',
    async prove({ agent }) {
      const first = await agent(INIT, S1);
      expect(await agent(INIT, { env: { RALPH_SESSION: 's2' } })).toMatchObject({
        code: 5,
        data: {
          success: false,
          code: 'CHANGE_LOCKED',
          error: expect.stringContaining('by session s1 since'),
        },
      });
      expect(await agent([...INIT, '--session', 's1'])).toEqual(first);
    },
  },
  {
    id: 'S03',
    clause: 'an unknown change is not found, with those that there are',
    async prove({ agent }) {
      expect(await agent(['session', 'init', '--change', 'nope'], S1)).toMatchObject({
        code: 4,
        data: { success: false, code: 'CHANGE_NOT_FOUND', error: expect.stringContaining('add-login') },
      });
    },
  },
  {
    id: 'S04',
    clause: 'next-story sets the scope of later commands; --story and RALPH_STORY override it',
    async prove({ agent }) {
      await agent(INIT, S1);
      expect(await agent(['context'])).toMatchObject({ code: 2, data: { code: 'STORY_REQUIRED' } });
      expect((await agent(['session', 'next-story'], S1)).data).toEqual({
        complete: false,
        story_id: '1',
        story_title: 'Setup',
      });
      expect((await agent(['context'])).data.story).toEqual({ id: '1', title: 'Setup', description: '' });
      expect((await agent(['context'], { env: { RALPH_STORY: '2' } })).data.story.id).toBe('2');
      expect((await agent(['context'], { env: { RALPH_STORY: '' } })).data.story.id).toBe('1');
      const both = await agent(['context', '--story', 'unnumbered'], { env: { RALPH_STORY: '2' } });
      expect(both.data.story.id).toBe('unnumbered');
    },
  },
  {
    id: 'S05',
    clause: 'when all is ticked, next-story is complete',
    async prove({ agent, file, read }) {
      await agent(INIT, S1);
      writeFileSync(file('tasks.md'), read('tasks.md').replaceAll('[ ]', '[x]'));
      expect((await agent(['session', 'next-story'], S1)).data).toEqual({
        complete: true,
        story_id: null,
        story_title: null,
      });
      expect((await agent(['status'])).data).toEqual({
        story: null,
        change: { stories_done: 3, stories_total: 3 },
        story_complete: false,
        change_complete: true,
      });
    },
  },
  {
    id: 'S06',
    clause: 'flush writes the learnings, frees the change, removes the state file; again is the same reply',
    async prove({ agent, file, read, state }) {
      writeFileSync(file('design.md'), '# Design\n\n## Learnings\n\n## Risks\n\nnone\n');
      await agent(INIT, S1);
      await agent(['session', 'next-story'], S1);
      await agent(['learn', 'Use argon2id', '--task', '1.2'], S1);
      await agent(['learn', 'Two\n## lines'], S1);
      const flushed = { code: 0, data: { success: true, learnings_written: 2 } };
      expect(await agent(['session', 'flush'], S1)).toEqual(flushed);
      expect(read('design.md')).toMatch(
        /^# Design\n\n## Learnings\n\n### \d{4}-\d\d-\d\d - Story 1\n- Use argon2id \(Task 1\.2\)\n- Two\n {4}## lines\n\n## Risks\n\nnone\n$/,
      );
      expect(existsSync(state('s1'))).toBe(false);
      const before = read('design.md');
      expect(await agent(['session', 'flush'], S1)).toEqual(flushed);
      expect(read('design.md')).toBe(before);
      expect((await agent(INIT, { env: { RALPH_SESSION: 's2' } })).code).toBe(0);
    },
  },
  {
    id: 'S07',
    clause: 'a flush without learnings leaves design.md absent and frees the change',
    async prove({ agent, file, state }) {
      await agent(INIT, S1);
      expect((await agent(['session', 'flush'])).data).toEqual({ success: true, learnings_written: 0 });
      expect([existsSync(file('design.md')), existsSync(state('s1'))]).toEqual([false, false]);
    },
  },
  {
    id: 'S08',
    clause: 'without a session every agent command explains itself and points to the orchestrator',
    async prove({ agent }) {
      const commands = [
        ['session', 'next-story'],
        ['session', 'flush'],
        ['context'],
        ['status'],
        ['task', 'done', '1.1'],
        ['learn', 'x'],
      ];
      for (const command of commands)
        expect(await agent(command)).toMatchObject({
          code: 2,
          data: {
            success: false,
            code: 'SESSION_REQUIRED',
            error: expect.stringContaining('RALPH_SESSION'),
            hint: expect.stringContaining('orchestrator'),
          },
        });
    },
  },
  {
    id: 'S09',
    clause: 'the state file is private and has the published keys',
    async prove({ agent, state }) {
      await agent(INIT, S1);
      await agent(['session', 'next-story']);
      await agent(['task', 'done', '1.1']);
      await agent(['learn', 'x']);
      expect(JSON.parse(readFileSync(state('s1'), 'utf8'))).toMatchObject({
        session_id: 's1',
        change_name: 'add-login',
        current_story_id: '1',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        accumulated_learnings: [{ description: 'x', task_id: null, story_id: '1' }],
        completed_tasks: ['1.1'],
      });
      expect(statSync(state('s1')).mode & 0o777).toBe(0o600);
    },
  },
  {
    id: 'S10',
    clause: 'context, task done, status and learn have the published shapes',
    async prove({ agent, read }) {
      await agent(INIT, S1);
      await agent(['session', 'next-story']);
      expect((await agent(['learn', 'hm', '--task', '1.1'])).data).toEqual({
        success: true,
        learning: 'hm',
        task_id: '1.1',
        total_learnings: 1,
      });
      expect((await agent(['context'])).data).toEqual({
        story: { id: '1', title: 'Setup', description: '' },
        tasks: [
          { id: '1.1', description: 'Make the table', complete: false },
          { id: '1.2', description: 'Choose the hash', complete: true },
          { id: '1.2.1', description: 'Measure it', complete: false },
          { id: '1.10', description: 'Tell the team', complete: false },
        ],
        proposal: read('proposal.md'),
        design: '',
        scenarios: [
          expect.objectContaining({
            name: 'Right password',
            given: ['an account', 'its password'],
            when: 'the person logs in',
            // biome-ignore lint/suspicious/noThenProperty: the published name of the key
            then: ['they are in', 'a session is kept'],
          }),
        ],
        learnings: [{ description: 'hm', task_id: '1.1', timestamp: expect.any(String) }],
        patterns: [],
        verify: { checks: [], tests: '' },
      });
      expect((await agent(['task', 'done', '1.1'])).data).toEqual({
        success: true,
        task_id: '1.1',
        remaining: ['1.2.1', '1.10'],
        story_complete: false,
      });
      expect(read('tasks.md')).toBe(TASKS.replace('[ ] 1.1 ', '[x] 1.1 '));
      expect((await agent(['status'])).data).toEqual({
        story: { id: '1', tasks_done: 2, tasks_total: 4 },
        change: { stories_done: 0, stories_total: 3 },
        story_complete: false,
        change_complete: false,
      });
      expect(await agent(['task', 'done', '2.1'])).toMatchObject({ code: 2, data: { code: 'SCOPE_ERROR' } });
      expect(await agent(['task', 'done', '1.99'])).toMatchObject({
        code: 4,
        data: { code: 'TASK_NOT_FOUND' },
      });
    },
  },
  {
    id: 'S11',
    clause: 'works from any subdirectory, with no openspec program to be found',
    async prove({ agent, file, machine }) {
      const bare = { cwd: file('specs/auth'), env: { PATH: '/nonexistent' } };
      const { data } = await agent(INIT, bare);
      await agent(['session', 'next-story'], bare);
      mkdirSync(join(machine.project, 'src', 'deep'), { recursive: true });
      const deep = { ...bare, cwd: join(machine.project, 'src', 'deep') };
      expect((await agent(['task', 'done', '1.1'], deep)).code).toBe(0);
      expect((await agent(['session', 'flush', '--session', data.session_id], deep)).code).toBe(0);
    },
  },
  {
    id: 'S02',
    clause: 'hostile names and ids are refused before anything is touched',
    async prove({ agent, machine }) {
      symlinkSync('add-login', join(machine.project, 'openspec', 'changes', 'linked'));
      const before = treeOf(machine.dir.path);
      for (const change of [
        '../x',
        '../../etc',
        '/etc',
        'x'.repeat(4096),
        '.',
        '..',
        '',
        'a/b',
        'archive',
        '-x\n',
      ])
        expect(await agent(['session', 'init', `--change=${change}`])).toMatchObject({
          code: 2,
          data: { code: 'INVALID_CHANGE_NAME' },
        });
      expect(await agent(['session', 'init', '--change', 'linked'])).toMatchObject({
        code: 4,
        data: { code: 'CHANGE_NOT_FOUND' },
      });
      for (const id of ['../x', '../../../etc/x', '/etc/x', 'x'.repeat(4096), '..', 'a b', 'a/b']) {
        const refused = { code: 2, data: { code: 'INVALID_SESSION_ID' } };
        expect(await agent(INIT, { env: { RALPH_SESSION: id } })).toMatchObject(refused);
        expect(await agent(['session', 'flush', `--session=${id}`])).toMatchObject(refused);
        expect(await agent(['status'], { env: { RALPH_SESSION: id } })).toMatchObject(refused);
      }
      expect(treeOf(machine.dir.path)).toEqual(before);
    },
  },
];
