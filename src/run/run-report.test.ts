import { describe, expect, it } from 'vitest';
import { loopWorld, outcome, PLAN } from '../../test/support/loop-world.js';
import type { LoopView } from '../sessions/loop/index.js';
import { reportRun } from './run-report.js';

async function viewAfter(outcomes: Parameters<typeof outcome>[0][]): Promise<LoopView> {
  await using world = await loopWorld();
  using loop = await world.loops.create(PLAN, { criteriaCount: 2 });
  for (const one of outcomes) {
    loop.beginIteration();
    loop.commitIteration(outcome(one));
  }
  const view = world.loops.get();
  if (view === undefined) throw new Error('no loop');
  return view;
}

describe('the report of a run', () => {
  it('tells denials apart from other errors, with what was wanted', async () => {
    const loop = await viewAfter([
      {
        error: 'permission denied: Bash: rm -rf build',
        denied: 'Bash: rm -rf build',
        permissionDenials: 1,
      },
      { error: 'permission denied: says the words of a check' },
    ]);
    const report = reportRun({
      loop,
      conversation: undefined,
      questions: [],
      lastWords: null,
      files: null,
      log: null,
    });
    expect(report.denials.map(({ what }) => what)).toEqual(['Bash: rm -rf build']);
    expect(report.errors.map(({ error }) => error)).toEqual(['permission denied: says the words of a check']);
  });

  it('of a loop whose conversation is gone knows everything else', async () => {
    const loop = await viewAfter([{ usage: { tokens: 7, costUsd: 1, activeMs: 5 } }]);
    expect(
      reportRun({ loop, conversation: undefined, questions: [], lastWords: null, files: null, log: null }),
    ).toMatchObject({
      plan: PLAN,
      usage: { iterations: 1, tokens: 7, costUsd: 1, activeMs: 5 },
      phases: [{ name: 'RED', iterations: 1, tokens: 0, costUsd: 0 }],
      conversation: null,
    });
  });
});
