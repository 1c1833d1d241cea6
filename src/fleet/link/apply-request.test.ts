import { describe, expect, it } from 'vitest';
import { question, questionWorld } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import type { RequestRow } from '../../hub/index.js';
import { applyRequest } from './apply-request.js';

const FIRST = '40000000-0000-4000-8000-000000000001';
const SECOND = '40000000-0000-4000-8000-000000000002';

function requestOf(session: string, overrides: Partial<RequestRow> = {}): RequestRow {
  return {
    id: FIRST,
    home: '40000000-0000-4000-8000-00000000000a',
    session_kind: 'question',
    session,
    kind: 'reject',
    body: { reason: 'not now' },
    by: 'ann',
    machine: 'phone',
    at: '2026-03-01T00:00:00.000Z',
    state: 'taken',
    reply: null,
    ...overrides,
  } as RequestRow;
}

describe('a request of another machine', () => {
  verifies(
    'F05',
    'that comes again is answered from the files, and another one is told who won',
    async () => {
      await using world = await questionWorld();
      const { id } = await world.sessions.create([question()]);
      expect(await applyRequest(world.sessions, requestOf(id))).toMatchObject({ state: 'applied' });
      const decided = await world.sessions.get(id);
      expect(decided).toMatchObject({ actor: 'fleet:phone/ann', appliedRequest: FIRST });

      expect(await applyRequest(world.sessions, requestOf(id))).toMatchObject({ state: 'applied' });
      const late = await applyRequest(
        world.sessions,
        requestOf(id, { id: SECOND, body: { reason: 'never' } }),
      );
      expect(late).toMatchObject({
        state: 'refused',
        reply: { code: 'ALREADY_SETTLED', outcome: { status: 'rejected', reason: 'not now' } },
      });
      expect(await world.sessions.get(id)).toEqual(decided);
    },
  );

  it.each([
    ['a session that is none', { session: '../../etc' }, 'INVALID_INPUT'],
    ['a set that is not there', { session: SECOND }, 'SESSION_NOT_FOUND'],
    ['a kind that nobody knows', { kind: 'run-this' }, 'INVALID_INPUT'],
    ['an answer without form', { kind: 'answer', body: { answers: 'yes' } }, 'INVALID_ANSWER'],
  ])('is refused and changes nothing: %s', async (_, odd, code) => {
    await using world = await questionWorld();
    const { id } = await world.sessions.create([question()]);
    const refused = await applyRequest(world.sessions, requestOf(id, odd as Partial<RequestRow>));
    expect(refused).toMatchObject({ state: 'refused', reply: { code } });
    expect((await world.sessions.get(id)).outcome.status).toBe('pending');
  });
});
