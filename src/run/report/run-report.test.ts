import { describe, expect, it } from 'vitest';
import { loopWorld, outcome, PLAN } from '../../../test/support/loop-world.js';
import type { LoopView } from '../../sessions/loop/index.js';
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
  it('separates denials from other errors, and says what was wanted', async () => {
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

  it('knows everything else about a loop whose conversation is gone', async () => {
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

  it.each([
    ['as it is', { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, costUsd: 0.5, mood: 'good' }, 7, 0.5],
    ['without a cost', { inputTokens: 3, outputTokens: 4, costUsd: null }, 7, 0],
    ['not at all where a number is none', { inputTokens: 'many', outputTokens: 4 }, 0, 0],
    ['not at all where there is none', undefined, 0, 0],
  ])('counts what release 0.1 kept with an answer, %s', async (_how, usage, tokens, costUsd) => {
    const loop = await viewAfter([{}]);
    const { startedAt: timestamp } = loop.state;
    const turns = [{ number: 2, role: 'assistant', content: 'yes', timestamp, failure: null, usage }];
    const conversation = { metadata: { id: 'run-1' }, usage: [], turns, damage: [] } as never;
    const { phases } = reportRun({
      loop,
      conversation,
      questions: [],
      lastWords: null,
      files: null,
      log: null,
    });
    expect(phases).toMatchObject([{ tokens, costUsd }]);
  });

  it('has the tests of each iteration that had numbers', async () => {
    const loop = await viewAfter([{}]);
    const [name = ''] = Object.keys(loop.documents.metrics?.phases ?? {});
    const phase = loop.documents.metrics?.phases[name];
    const [first] = phase?.history ?? [];
    const odd = { ...first, tests_total: '9', foreign: true };
    const metrics = { ...loop.documents.metrics, phases: { [name]: { ...phase, history: [first, odd] } } };
    const view = { ...loop, documents: { ...loop.documents, metrics } } as LoopView;
    const { tests } = reportRun({
      loop: view,
      conversation: undefined,
      questions: [],
      lastWords: null,
      files: null,
      log: null,
    });
    expect(tests).toEqual([
      {
        phase: 'RED',
        iteration: 1,
        at: expect.any(String),
        total: first?.tests_total,
        passing: first?.tests_passing,
        failing: first?.tests_failing,
      },
    ]);
  });
});
