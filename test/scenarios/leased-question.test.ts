import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createServices, type Services } from '../../src/app/base.js';
import { bootClock, type LeaseRecord, writeLease } from '../../src/fleet/index.js';
import { machine } from '../support/holdfast-binary.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';
import { verifies } from '../support/verifies.js';

const RUN = '7b1c8f0a-2d2e-4c57-9a70-0f3c6c1d9e11';
const QUESTIONS = [{ title: 'Store', prompt: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }];
const ANSWER = [{ questionIndex: 0, selectedOption: 'B' }];

function machineIn(dir: TempDir): Services {
  return createServices({
    environment: { HOLDFAST_HOME: dir.at('home'), HOME: dir.path },
    workingDirectory: dir.path,
    command: 'test',
  });
}

/** The lease of the run on this machine; `leftMs` before its deadline. */
function lease({ tools }: Services, leftMs: number, overrides: Partial<LeaseRecord> = {}): LeaseRecord {
  return {
    version: 1,
    run: RUN,
    entry: RUN,
    epoch: 1,
    token: '11111111-2222-3333-4444-555555555555',
    repository: 'https://git.lan/team/shop.git',
    base: 'c0ffee',
    ref: `refs/holdfast/${RUN}/1`,
    guard: { pid: 1, startTime: '1' },
    bootId: tools.identity.bootId ?? null,
    deadlineMs: bootClock(tools.fileSystem, tools.clock).bootMs() + leftMs,
    deadlineAt: '2026-11-17T14:02:00.000Z',
    cutOffSince: null,
    wish: null,
    isOver: false,
    worktree: join('/', 'work'),
    ...overrides,
  };
}

describe('a question of a run that works here under a lease', () => {
  verifies(
    'F04',
    'is answered and rejected here only until its deadline; after it the draft stays',
    async () => {
      await using dir = await tempDir();
      const services = machineIn(dir);
      const { questions, tools, config } = services;
      const ask = () => questions.create(QUESTIONS, { asker: { session: RUN } });
      const set = await ask();
      const written = (leftMs: number, overrides?: Partial<LeaseRecord>) =>
        writeLease(tools, config.layout.fleet, lease(services, leftMs, overrides));

      written(-1_000);
      const moved = { code: 'RUN_MAY_HAVE_MOVED', message: expect.stringContaining('2026-11-17T14:02') };
      await expect(questions.answer(set.id, ANSWER)).rejects.toMatchObject(moved);
      await expect(questions.reject(set.id, 'no')).rejects.toMatchObject(moved);
      expect((await questions.get(set.id)).outcome.status).toBe('pending');
      // Of another start of the machine: whoever held it is gone.
      written(60_000, { bootId: 'another' });
      await expect(questions.answer(set.id, ANSWER)).rejects.toMatchObject(moved);

      written(60_000);
      expect((await questions.answer(set.id, ANSWER)).outcome.status).toBe('completed');
      // What is settled is told as that, wherever the run is.
      written(-1_000);
      await expect(questions.reject(set.id, 'no')).rejects.toMatchObject({ code: 'ALREADY_SETTLED' });
      const late = await ask();
      written(-1_000, { isOver: true });
      expect((await questions.answer(late.id, ANSWER)).outcome.status).toBe('completed');
    },
  );

  verifies('F04', 'is refused by the command that starts often, with the way out', async () => {
    await using one = await machine();
    const services = createServices({
      environment: one.env,
      workingDirectory: one.project,
      command: 'test',
    });
    const set = await services.questions.create(QUESTIONS, { asker: { session: RUN } });
    writeLease(services.tools, services.config.layout.fleet, lease(services, -1_000));
    const { code, stderr } = await one.run(['answer', set.id, 'B'], { isProcess: true });
    expect(code).toBe(1);
    expect(stderr).toContain('may be running on another machine');
    expect(stderr).toContain('holdfast queue list');
  });

  verifies('F04', 'stands in nobody else’s way: other questions are answered as ever', async () => {
    await using dir = await tempDir();
    const services = machineIn(dir);
    writeLease(services.tools, services.config.layout.fleet, lease(services, -1_000));
    const set = await services.questions.create(QUESTIONS);
    expect((await services.questions.answer(set.id, ANSWER)).outcome.status).toBe('completed');
  });
});
