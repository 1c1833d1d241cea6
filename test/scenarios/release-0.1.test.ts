import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/holdfast-binary.js';
import { releasedMachine } from '../support/release-0.1.js';

// What test/fixtures/0.1/README.md says about each of them. A row that fails here is a format that we can no longer read.

const QUESTIONS = [
  { name: 'pending', status: 'pending', answering: 0 },
  { name: 'answered', status: 'completed', answering: 1 },
  { name: 'collected', status: 'completed', answering: 1 },
  { name: 'rejected', status: 'rejected', answering: 1 },
  { name: 'withdrawn', status: 'abandoned', answering: 0 },
  { name: 'timed-out', status: 'timed_out', answering: 0 },
  { name: 'late', status: 'completed', answering: 1 },
  { name: 'draft', status: 'pending', answering: 0 },
  { name: 'half-answered', status: 'completed', answering: 0 },
  { name: 'dead-asker', status: 'pending', answering: 0, isAskerGone: true },
  { name: 'damaged-answers', status: 'pending', answering: 0, faults: ['answers.json'] },
  { name: 'damaged-status', status: 'pending', answering: 0, faults: ['status.json'] },
  { name: 'damaged-request', status: 'abandoned', answering: 2, faults: ['request.json'] },
  { name: 'loop-question', status: 'pending', answering: 0 },
] as const;

const CONVERSATIONS = [
  { name: 'chat-completed', status: 'completed', turns: 6, faults: 0, says: 'Hello, ä ö ü' },
  { name: 'chat-interrupted', status: 'interrupted', turns: 3, faults: 0, says: 'Remember the word anchor' },
  { name: 'chat-left', status: 'interrupted', turns: 3, faults: 0, says: 'Remember the word anchor' },
  { name: 'chat-damaged', status: 'completed', turns: 6, faults: 2, says: 'one | two | three' },
  { name: 'chat-torn', status: 'completed', turns: 4, faults: 1, says: 'one | two' },
] as const;

const LOOPS = [
  { name: 'loop-created', status: 'suspended', phase: 'RED', goesOn: ['--agent', 'scripted'] },
  { name: 'loop-green-killed', status: 'suspended', phase: 'GREEN', goesOn: [] },
  { name: 'loop-paused-by-question', status: 'paused', phase: 'RED', goesOn: [] },
  { name: 'loop-archived', status: 'suspended', phase: 'RED', goesOn: [] },
  { name: 'loop-guided', status: 'suspended', phase: 'RED', goesOn: [] },
  { name: 'loop-redo', status: 'suspended', phase: 'GREEN', goesOn: [] },
  { name: 'loop-halted', status: 'halted', phase: 'RED', goesOn: ['--reset'] },
] as const;

const CHANGES = [
  { name: 'change-claimed', learning: undefined },
  { name: 'change-learned', learning: 'The table needs an index' },
  { name: 'change-flush-begun', learning: 'Hashing is slow' },
  { name: 'change-flush-written', learning: 'Hashing is slow' },
] as const;

describe.concurrent('a home that release 0.1 left behind', () => {
  it('has its question sets listed and verified', async () => {
    await using world = await releasedMachine();
    const { data } = await world.json('website', ['questions', 'list', '--all']);
    const sets: Json[] = data.sessions ?? data;
    for (const row of QUESTIONS) {
      const set = sets.find(({ sessionId }) => sessionId === world.id(row.name));
      expect({ name: row.name, status: set?.status }).toEqual({ name: row.name, status: row.status });
      if ('isAskerGone' in row) expect(set.isAskerGone).toBe(true);
    }
    const verified = await world.json('website', ['questions', 'verify']);
    expect(verified.code).toBe(8);
    const text = JSON.stringify(verified.data);
    for (const row of QUESTIONS) {
      if (!('faults' in row)) continue;
      expect(text).toContain(world.id(row.name));
      expect(text).toContain(row.faults[0]);
    }
  });

  it.each(QUESTIONS)('has its question set $name answered, or says why not', async ({ name, answering }) => {
    await using world = await releasedMachine();
    // The half-done one says Yes already; everywhere else it is another answer than the one that stands.
    const option = name === 'half-answered' || name === 'late' || name === 'collected' ? 'Yes' : 'No';
    const { code } = await world.run('website', ['answer', world.id(name), '--option', option]);
    expect(code).toBe(answering);
  });

  it('keeps what a person had typed and not sent', async () => {
    await using world = await releasedMachine();
    const draft = world.text('holdfast', 'data', 'questions', world.id('draft'), 'draft.json');
    expect(draft).toContain('perhaps on Monday');
    const inbox = await world.run('website', ['inbox', '--plain', '--session', world.id('draft')]);
    expect(inbox.code).not.toBe(8);
    expect(world.text('holdfast', 'data', 'questions', world.id('draft'), 'draft.json')).toBe(draft);
  });

  it('has its conversations listed', async () => {
    await using world = await releasedMachine();
    const { data: listed } = await world.json('website', ['chat', '--list-sessions']);
    for (const { name, status, turns } of CONVERSATIONS) {
      const row = listed.find(({ session_id }: { session_id: string }) => session_id === name);
      expect(row).toMatchObject({ agent: 'scripted', status, turn_count: turns });
    }
    expect(listed.map(({ session_id }: { session_id: string }) => session_id).join()).not.toContain('run-');
  });

  it.each(CONVERSATIONS)('has its conversation $name verified, recovered and resumed', async (row) => {
    await using world = await releasedMachine();
    const { name, faults, says } = row;
    const verified = await world.json('website', ['sessions', 'verify', name]);
    expect(verified.data.sessions[0].faults).toHaveLength(faults);
    if (faults > 0) expect((await world.json('website', ['sessions', 'recover', name])).code).toBe(0);
    const resumed = await world.run('website', ['chat', '--resume', name], { input: 'What did I say?\n' });
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining(says)]);
    expect((await world.json('website', ['sessions', 'verify', name])).code).toBe(0);
  });

  it.each(LOOPS)(
    'has its loop $name shown, verified and resumed',
    async ({ name, status, phase, goesOn }) => {
      await using world = await releasedMachine();
      if (name === 'loop-paused-by-question')
        await world.run('website', ['answer', world.id('loop-question'), '--option', 'Yes']);
      const shown = await world.json(name, ['status']);
      expect(shown.data.loop).toMatchObject({ sessionId: world.id(name), phase });
      if (name !== 'loop-paused-by-question') expect(shown.data.loop.status).toBe(status);
      const verified = await world.json(name, ['sessions', 'verify', '--kind', 'loop']);
      expect(verified.data.sessions.flatMap(({ faults }: { faults: unknown[] }) => faults)).toEqual([]);
      const more = [
        '--verify',
        'node --test',
        '--max-iterations',
        name === 'loop-halted' ? '4' : '2',
        ...goesOn,
      ];
      const resumed = await world.run(name, ['run', 'docs/prps/adder.md', '--resume', '--json', ...more]);
      expect(JSON.parse(resumed.stdout.split('\n')[0] ?? '')).toMatchObject({
        type: 'run-start',
        isResumed: true,
        sessionId: world.id(name),
      });
      if (name === 'loop-guided')
        expect(resumed.stdout + JSON.stringify(shown.data)).toContain('plain numbers');
    },
  );

  it('tells what a loop came to that is over, archived or damaged', async () => {
    await using world = await releasedMachine();
    const completed = await world.json('loop-completed', ['report']);
    expect([completed.code, JSON.stringify(completed.data)]).toEqual([
      0,
      expect.stringContaining('DOCUMENT'),
    ]);
    const archived = await world.json('loop-archived', ['sessions', 'verify', '--kind', 'loop']);
    expect(archived.code).toBe(0);
    expect(readdirSync(join(world.project('loop-archived'), '.prp-session', 'archive'))).toHaveLength(1);
    expect((await world.json('loop-damaged', ['sessions', 'verify', '--kind', 'loop'])).code).toBe(8);
    const command = ['run', 'docs/prps/adder.md', '--agent', 'scripted', '--verify', 'true'];
    expect((await world.run('loop-damaged', [...command, '--resume'])).code).not.toBe(0);
    const anew = await world.run('loop-damaged', [...command, '--new', '--max-iterations', '1']);
    expect(anew.code).toBe(7);
    const archive = join(world.project('loop-damaged'), '.prp-session', 'archive');
    expect(existsSync(archive) && readdirSync(archive)).toHaveLength(1);
  });

  it('has its changes shown and flushed, each learning once', async () => {
    await using world = await releasedMachine();
    for (const { name, learning } of CHANGES) {
      const { data } = await world.json(name, ['change', 'show', 'add-login']);
      expect(data.session).toMatchObject({ session_id: world.id(name) });
      const flushed = await world.json(name, ['change', 'flush', '--session', world.id(name)]);
      expect([name, flushed.code]).toEqual([name, 0]);
      const design = world.text('projects', name, 'openspec', 'changes', 'add-login', 'design.md');
      expect([name, learning === undefined ? 1 : design.split(learning).length - 1]).toEqual([name, 1]);
    }
    const ended = await world.json('change-ended', ['change', 'show', 'add-login']);
    expect(ended.data.session).toBe(null);
    const listed = await world.json('change-ended', ['sessions', 'list', '--kind', 'change', '--all']);
    expect(JSON.stringify(listed.data)).toContain(world.id('change-ended'));
  });

  it('has its processes, its trash and its settings', async () => {
    await using world = await releasedMachine();
    const { data: processes } = await world.json('website', ['processes', 'list', '--all']);
    const states = new Set(processes.map(({ standing, state }: Record<string, string>) => standing ?? state));
    expect(processes.length).toBeGreaterThan(5);
    expect(JSON.stringify([...states])).not.toContain('live');
    const { data: trash } = await world.json('website', ['sessions', 'trash']);
    expect(trash.map(({ id }: { id: string }) => id).sort()).toEqual(
      [world.id('deleted'), 'chat-deleted'].sort(),
    );
    for (const id of [world.id('deleted'), 'chat-deleted']) {
      expect((await world.run('website', ['sessions', 'trash', 'restore', id])).code).toBe(0);
      expect((await world.run('website', ['sessions', 'verify', id])).code).toBe(0);
    }
    const { data: settings } = await world.json('website', ['config', 'show']);
    expect(JSON.stringify(settings)).toContain('36500');
  });

  it('is free for the next writer: every owner of a lock is dead', async () => {
    await using world = await releasedMachine();
    for (const id of ['chat-left', 'chat-interrupted', world.id('pending')])
      expect((await world.run('website', ['unlock', id])).stdout).toMatch(/not locked|free|gone|dead|anew/);
  });
});
