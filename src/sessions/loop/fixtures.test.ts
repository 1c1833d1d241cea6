import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type LoopWorld, loopWorld, PLAN } from '../../../test/support/loop-world.js';
import { treeOf } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { presetOf } from './iteration.js';
import { PRESETS } from './policies/presets.js';

const ROOT = fileURLToPath(new URL('../../../test/fixtures/prp-session', import.meta.url));
const ID = 'a1b2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d';

async function worldOf(fixture: string): Promise<LoopWorld> {
  const world = await loopWorld();
  cpSync(`${ROOT}/${fixture}`, world.directory, { recursive: true });
  return world;
}

/** Folder, offered action, machine action, and the words. */
const CASES: readonly [string, string, string | null, string | null][] = [
  ['valid', 'offer_resume', null, null],
  ['paused', 'offer_resume', null, null],
  ['suspended', 'offer_resume', null, null],
  ['state-only', 'offer_resume', null, null],
  ['clock-skew', 'offer_resume', null, null],
  ['newer-version', 'offer_resume', null, null],
  ['other-prp', 'offer_reset', 'create_new', `PRP mismatch: session=docs/prps/other.md, requested=${PLAN}`],
  ['completed', 'offer_reset', 'no_resume', 'Session completed successfully'],
  ['halted', 'offer_reset', 'reset_or_abort', 'Session halted: User abort'],
  ['aborted', 'offer_reset', 'reset_or_abort', 'Session aborted'],
  ['breaker-open', 'offer_reset', 'reset_or_abort', 'Circuit Breaker OPEN: No progress for 2 iterations'],
  ['damaged-json', 'offer_reset', 'reset', 'State corrupted: loop-state.json: it is not JSON'],
  ['damaged-empty', 'offer_reset', 'reset', 'State corrupted: loop-state.json: it is empty'],
  [
    'damaged-array',
    'offer_reset',
    'reset',
    'State corrupted: loop-state.json: the document: it is not an object',
  ],
  ['damaged-missing-field', 'offer_reset', 'reset', 'State corrupted: Missing required field: started_at'],
  ['damaged-status', 'offer_reset', 'reset', 'State corrupted: Invalid status: sleeping'],
  ['damaged-phase', 'offer_reset', 'reset', 'State corrupted: Invalid phase: BLUE'],
  ['damaged-time', 'offer_reset', 'reset', 'State corrupted: loop-state.json: started_at: not a time'],
  [
    'damaged-breaker',
    'offer_reset',
    'reset',
    'State corrupted: circuit-breaker.json: state: Invalid option: expected one of "CLOSED"|"HALF_OPEN"|"OPEN"',
  ],
  ['damaged-metrics', 'offer_reset', 'reset', 'State corrupted: metrics.json: it is not JSON'],
  ['damaged-redo', 'offer_reset', 'reset', 'State corrupted: redo.json: it is not a redo record'],
  [
    'future',
    'offer_reset',
    'reset',
    'State corrupted: Future timestamp: last_activity is 2026-03-01T12:06:00Z',
  ],
  [
    'mixed-commits',
    'offer_reset',
    'reset',
    'State corrupted: loop-state.json: the files are not of one commit (loop-state.json 4, circuit-breaker.json 4, metrics.json 3, rate-limit.json 4, dual-gate.json 4)',
  ],
];

describe('folders written by another program', () => {
  it('are all here', () => {
    expect(readdirSync(ROOT).sort()).toEqual(CASES.map(([name]) => name).sort());
  });

  for (const [fixture, action, expiryAction, reason] of CASES)
    verifies('L02', `${fixture}: ${action}`, async () => {
      await using world = await worldOf(fixture);
      const { expiry, ...found } = world.loops.detect(PLAN);
      expect(found).toMatchObject({ found: true, action, reason });
      expect(expiry.isExpired ? expiry.action : null).toBe(expiryAction);
    });

  for (const [fixture, action, expiryAction] of CASES.filter(
    ([name]) => name.startsWith('damaged') || name === 'future',
  ))
    verifies('L09', `${fixture}: refused, then set aside as it was when a new session starts`, async () => {
      await using world = await worldOf(fixture);
      const before = treeOf(world.directory);
      expect([action, expiryAction]).toEqual(['offer_reset', 'reset']);
      if (fixture !== 'damaged-redo') {
        await expect(world.loops.resume(PLAN)).rejects.toMatchObject({
          code: 'LOOP_NOT_RESUMABLE',
          action: 'reset',
        });
        for (const [path, content] of Object.entries(before))
          expect(treeOf(world.directory)).toHaveProperty([path], content);
      }
      using loop = await world.loops.create(PLAN);
      const [kept = ''] = readdirSync(world.path('archive'));
      const isKnown = !['damaged-json', 'damaged-empty', 'damaged-array'].includes(fixture);
      expect(kept).toMatch(isKnown ? new RegExp(`^${ID}$`) : /^unreadable-/);
      for (const file of ['loop-state.json', 'metrics.json', 'circuit-breaker.json'])
        expect(readFileSync(world.path('archive', kept, file), 'utf8')).toBe(
          readFileSync(`${ROOT}/${fixture}/${file}`, 'utf8'),
        );
      expect(loop.state).toMatchObject({ status: 'running', currentIteration: 0 });
      expect(world.loops.verify()).toEqual([]);
    });

  verifies(
    'L09',
    'a redo record that does not verify is set aside, and whole files stay in use',
    async () => {
      await using world = await worldOf('damaged-redo');
      using loop = await world.loops.resume(PLAN);
      expect(loop.state.currentIteration).toBe(5);
      expect(world.files().some((name) => name.startsWith('redo.json.damaged-'))).toBe(true);
      expect(world.log.named('loop.damaged-file-set-aside')).toHaveLength(1);
    },
  );

  verifies('L05', 'a valid one is resumed with everything that was in it', async () => {
    await using world = await worldOf('valid');
    using loop = await world.loops.resume(PLAN);
    expect(loop.documents).toMatchObject({
      state: {
        sessionId: ID,
        currentPhase: 'GREEN',
        currentIteration: 5,
        status: 'running',
        green_model: 'sonnet',
      },
      metrics: {
        phases: {
          RED: { finalMetrics: { tests_generated: 10 } },
          GREEN: { currentMetrics: { tests_passing: 6 } },
          REFACTOR: null,
        },
      },
    });
    expect(world.read('loop-state.json')).toMatchObject({ green_model: 'sonnet', total_agent_calls: 7 });
    expect(world.text('phase-status.log')).toBe(readFileSync(`${ROOT}/valid/phase-status.log`, 'utf8'));
  });

  it('one of a newer version is read, and nothing in it is changed', async () => {
    await using world = await worldOf('newer-version');
    const before = treeOf(world.directory);
    expect(world.loops.detect(PLAN).warnings).toEqual([
      'The files were written by a newer Holdfast (format version 2); this one only reads them',
    ]);
    for (const change of [
      () => world.loops.resume(PLAN),
      () => world.loops.create(PLAN),
      () => world.loops.request({ kind: 'pause' }),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'NEWER_VERSION' });
    for (const [path, content] of Object.entries(before))
      expect(treeOf(world.directory)).toHaveProperty([path], content);
    expect(existsSync(world.path('archive'))).toBe(false);
  });

  verifies('L10', 'one whose breaker is open continues only after a reset', async () => {
    await using world = await worldOf('breaker-open');
    await expect(world.loops.resume(PLAN)).rejects.toMatchObject({ action: 'reset_or_abort' });
    using loop = await world.loops.resume(PLAN, { reset: true });
    expect(loop.documents).toMatchObject({
      state: { status: 'running' },
      breaker: { state: 'HALF_OPEN', openReason: null },
    });
  });

  verifies('R04', 'one that release 0.1 began keeps the gates it began with', async () => {
    const strict = PRESETS['tdd-strict'].phases;
    const resumed = async (preset: unknown) => {
      await using world = await worldOf('valid');
      if (preset !== undefined) world.write('loop-state.json', { ...world.read('loop-state.json'), preset });
      using loop = await world.loops.resume(PLAN);
      return presetOf(loop.state).phases;
    };
    expect(await resumed(undefined)).toEqual(strict);
    expect(await resumed({ name: 'tdd', phases: strict })).toEqual(strict);
  });
});
