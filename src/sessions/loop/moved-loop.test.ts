import { describe, expect, it } from 'vitest';
import { loopWorld, outcome, PLAN } from '../../../test/support/loop-world.js';
import { verifies } from '../../../test/support/verifies.js';

describe('a loop that continues elsewhere', () => {
  verifies(
    'F04',
    'is there as it was committed, with the iteration in flight interrupted once it is resumed',
    async () => {
      await using here = await loopWorld();
      await using there = await loopWorld();
      using loop = await here.loops.create(PLAN, { criteriaCount: 2 });
      loop.beginIteration();
      loop.commitIteration(outcome());
      loop.guide('mind the gap');
      loop.beginIteration();
      const exported = loop.export();
      expect(await there.loops.adopt(exported, 'laptop')).toBe(true);
      using again = await there.loops.resume(PLAN);
      expect(again.state).toMatchObject({
        sessionId: loop.state.sessionId,
        currentIteration: 1,
        totalAgentCalls: loop.state.totalAgentCalls,
        guidance: ['mind the gap'],
        movedFrom: 'laptop',
        inFlight: null,
        interrupted: { iteration: 2 },
      });
      const { breaker } = loop.documents;
      expect(again.documents.breaker).toMatchObject({ ...breaker, commit: again.documents.breaker.commit });
      expect(there.loops.verify()).toEqual([]);
      again.beginIteration();
      again.commitIteration(outcome());
      expect(again.state.movedFrom).toBeNull();
    },
  );

  it('a second adoption changes nothing', async () => {
    await using here = await loopWorld();
    await using there = await loopWorld();
    using loop = await here.loops.create(PLAN, {});
    const exported = loop.export();
    await there.loops.adopt(exported, 'laptop');
    const files = there.files();
    expect(await there.loops.adopt(exported, 'laptop')).toBe(false);
    expect(there.files()).toEqual(files);
  });

  it('moves another state of the same loop to the archive without losing anything', async () => {
    await using here = await loopWorld();
    await using there = await loopWorld();
    using loop = await here.loops.create(PLAN, {});
    await there.loops.adopt(loop.export(), 'laptop');
    loop.beginIteration();
    loop.commitIteration(outcome());
    expect(await there.loops.adopt(loop.export(), 'laptop')).toBe(true);
    expect(there.loops.get()?.state.currentIteration).toBe(1);
    expect(there.loops.archived().map(({ loop: old }) => old.get()?.state.currentIteration)).toEqual([0]);
  });

  it('what another machine wrote is checked before anything changes', async () => {
    await using here = await loopWorld();
    await using there = await loopWorld();
    using loop = await here.loops.create(PLAN, {});
    const exported = loop.export();
    const bad = (file: string, text: string) => ({ ...exported, files: { ...exported.files, [file]: text } });
    await expect(there.loops.adopt(bad('loop-state.json', '{'), 'x')).rejects.toMatchObject({
      code: 'DOCUMENT_DAMAGED',
    });
    await expect(
      there.loops.adopt(bad('loop-state.json', '{"session_id":"../../x"}'), 'x'),
    ).rejects.toMatchObject({ code: 'DOCUMENT_DAMAGED' });
    expect(there.loops.isFound()).toBe(false);
    // A name that is not a loop document is not a loop file.
    await there.loops.adopt(bad('../evil', 'x'), 'laptop');
    expect(there.files().some((name) => name.includes('evil'))).toBe(false);
  });
});
