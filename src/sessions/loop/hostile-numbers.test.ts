import { describe, expect, it } from 'vitest';
import { everyNumber, HOSTILE_NUMBERS, withHostileNumbers } from '../../../test/support/hostile-numbers.js';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';
import { nodeFileSystem } from '../../storage/index.js';
import { concludeIteration, type IterationOutcome } from './iteration.js';
import { countableOutcome } from './policies/countable.js';
import { writeDocuments } from './read-loop.js';

/** The real disk without fsync: the tests look at what is written, not at whether it survives power loss. */
const fileSystem = { ...nodeFileSystem, sync: () => {}, syncData: () => {} };

const OUTCOME = {
  run: 'answered',
  measured: {
    exitCode: 1,
    tests: { total: 10, passing: 4, failing: 6, skipped: 0 },
    hasTreeChanged: true,
    files: { created: 1, modified: 1, deleted: 1 },
    documents: { total: 2, decisionRecords: 1, changed: 1 },
    runs: 2,
    tasks: { total: 3, done: 1 },
  },
  claim: { metrics: { criteria_covered: 2, tests_total: 10 } },
  permissionDenials: 0,
  usage: {
    activeMs: 10,
    tokens: 20,
    costUsd: 0.1,
    cacheReadTokens: 5,
    pricedUsd: 0.1,
    unpricedTokens: 1,
    estimatedTokens: 1,
    countedRecords: 1,
  },
} as const satisfies IterationOutcome;

const LIMITED = {
  ...OUTCOME,
  run: 'limited',
  limit: { kind: 'overload', status: 529 },
} as const satisfies IterationOutcome;

describe('nothing is committed that the reader of the document would refuse', () => {
  it.each([
    ['an iteration', OUTCOME],
    ['a turn that was limited', LIMITED],
  ] as const)('%s costs an odd number and nothing else', async (_what, outcome) => {
    await using world = await loopWorld({ fileSystem });
    using loop = await world.loops.create(PLAN);
    const now = world.clock.now();
    for (const { place, number, hostile } of withHostileNumbers<IterationOutcome>(outcome)) {
      const { documents } = concludeIteration(loop.documents, countableOutcome(hostile), now);
      expect({ place, number, calls: documents.state.totalAgentCalls }).toEqual({ place, number, calls: 1 });
      // Each must be readable again once written.
      expect(Object.keys(writeDocuments(documents, 1))).toHaveLength(5);
    }
  });

  it.each(HOSTILE_NUMBERS.map((number) => [number]))(
    'a session whose every number is %s continues, and can be read',
    async (number) => {
      await using world = await loopWorld({ fileSystem });
      using loop = await world.loops.create(PLAN);
      const hostile = <Value extends object>(value: Value) => everyNumber(value, number);
      loop.recordBaseline(hostile({ exitCode: 1, tests: { total: 3, passing: 2, failing: 1, skipped: 0 } }));
      loop.recordUsage(hostile(OUTCOME.usage));
      loop.beginIteration();
      loop.resume();
      loop.recordLeftFiles(hostile({ files: 2, documents: 1 }));
      loop.beginIteration();
      loop.commitIteration(hostile<IterationOutcome>(OUTCOME));
      loop.beginIteration();
      loop.commitIteration(hostile<IterationOutcome>(LIMITED));
      expect([world.loops.verify(), world.loops.get()?.state.totalAgentCalls]).toEqual([[], 2]);
    },
  );

  it('the total usage stays readable however high it gets', async () => {
    await using world = await loopWorld({ fileSystem });
    using loop = await world.loops.create(PLAN);
    for (let i = 0; i < 3; i++) loop.recordUsage({ tokens: 1e12, costUsd: 1e12, activeMs: 1e12 });
    const usage = { iterations: 0, activeMs: 3e12, tokens: 3e12, costUsd: 3e12 };
    expect(world.loops.get()?.state.usage).toMatchObject(usage);
    expect(world.loops.verify()).toEqual([]);
  });

  it('a value from a caller that no file could hold is refused, and the session is unchanged', async () => {
    await using world = await loopWorld({ fileSystem });
    const given = { iterations: 5, activeMs: 5, tokens: 5, costUsd: 5 };
    for (const { place, number, hostile } of withHostileNumbers(given)) {
      using loop = await world.loops.create(PLAN);
      const before = world.text('loop-state.json');
      let code = 'none';
      try {
        loop.setLimits({ budget: hostile });
      } catch (error) {
        code = (error as { code: string }).code;
        expect(world.text('loop-state.json')).toBe(before);
      }
      expect({ place, number, code, faults: world.loops.verify() }).toEqual({
        place,
        number,
        code: expect.stringMatching(/^(none|DOCUMENT_REFUSED)$/),
        faults: [],
      });
      // It can still be written afterwards.
      loop.guide('go on');
    }
    for (const number of HOSTILE_NUMBERS) {
      await world.loops.create(PLAN, { criteriaCount: number as number }).then(
        (loop) => loop[Symbol.dispose](),
        (error: unknown) => expect(error).toMatchObject({ code: 'DOCUMENT_REFUSED' }),
      );
      expect([number, world.loops.verify()]).toEqual([number, []]);
    }
  });
});
