import { describe, expect, it } from 'vitest';
import { loopWorld, PLAN } from '../../../test/support/loop-world.js';
import { verifies } from '../../../test/support/verifies.js';

const FIRST = '40000000-0000-4000-8000-000000000001';
const SECOND = '40000000-0000-4000-8000-000000000002';

describe('a request from another machine to a loop', () => {
  verifies('F05', 'is stored once, with its id in the same write, and is known by it', async () => {
    await using world = await loopWorld();
    using loop = await world.loops.create(PLAN);
    const sender = world.other().as('fleet:phone/ann');
    const guidance = { kind: 'guidance', text: 'use vitest' } as const;
    const { request } = await sender.request(guidance, { appliedRequest: FIRST });
    expect(world.loops.applied(FIRST)).toEqual({ kind: 'guidance', isTaken: false });
    expect(world.loops.applied(SECOND)).toBeUndefined();
    const again = await sender.request({ kind: 'stop' }, { appliedRequest: FIRST });
    expect(again.request).toEqual({ ...request, actor: 'fleet:phone/ann' });
    expect(world.text('requests.jsonl').trim().split('\n')).toHaveLength(2);
    await sender.request({ kind: 'resume' }, { appliedRequest: SECOND });
    expect(loop.takeRequests().map(({ kind, actor }) => [kind, actor])).toEqual([
      ['guidance', 'fleet:phone/ann'],
      ['resume', 'fleet:phone/ann'],
    ]);
    expect(world.loops.applied(SECOND)).toEqual({ kind: 'resume', isTaken: true });
  });

  it('is still known when the loop has ended and when a newer one has replaced it', async () => {
    await using world = await loopWorld();
    const { sessionId } = await (async () => {
      using loop = await world.loops.create(PLAN);
      await world.other().request({ kind: 'guidance', text: 'x' }, { appliedRequest: FIRST });
      loop.takeRequests();
      loop.abort();
      return loop.state;
    })();
    expect(world.loops.applied(FIRST)).toEqual({ kind: 'guidance', isTaken: true });
    using _next = await world.loops.create(PLAN);
    expect(world.loops.applied(FIRST)).toBeUndefined();
    const archived = world.loops.archived().find(({ name }) => name === sessionId);
    expect(archived?.loop.applied(FIRST)).toEqual({ kind: 'guidance', isTaken: true });
  });
});
