import { describe, expect, it } from 'vitest';
import { overviewRow } from '../../../../test/support/overview-rows.js';
import { cardOf, changeOf, idOf, snapshot } from '../../../../test/support/page-world.js';
import {
  inOrderOfAge,
  NOTHING_TOLD,
  type PageState,
  snapshotOf,
  vanished,
  waits,
  withCard,
  withChange,
  withoutSettled,
  withSettled,
  withSnapshot,
} from './page-state.js';

const NOW_MS = Date.parse('2026-11-16T12:00:00.000Z');
const start = withSnapshot(NOTHING_TOLD, snapshot({ seq: 4, cards: [cardOf(1), cardOf(2)] }), NOW_MS);
const idsOf = (state: PageState) => inOrderOfAge(state).map(({ set }) => set.sessionId);

describe('what the page knows', () => {
  it("is the snapshot first, with how far the server's clock is ahead", () => {
    expect([start.seq, idsOf(start), start.skewMs]).toEqual([4, [idOf(1), idOf(2)], 5_000]);
  });

  it('takes a change that follows: new cards, settled ones, rows that came and went', () => {
    const row = overviewRow({ key: 'run:a' });
    const one = withChange(start, changeOf(5, { cards: [cardOf(3)], rows: [row] }), NOW_MS);
    expect(one === undefined ? [] : [idsOf(one), [...one.rows.keys()]]).toEqual([
      [idOf(1), idOf(2), idOf(3)],
      ['run:a'],
    ]);
    const settled = cardOf(1, { status: 'rejected' });
    const two =
      one &&
      withChange(one, changeOf(6, { settled: [settled], goneCards: [idOf(3)], goneRows: ['run:a'] }), NOW_MS);
    expect(two && [[...two.cards.keys()], [...two.settled.keys()], two.rows.size]).toEqual([
      [idOf(2)],
      [idOf(1)],
      0,
    ]);
    // It stays in its place.
    expect(two && idsOf(two)).toEqual([idOf(1), idOf(2)]);
  });

  it('knows that a decision on its way to another machine awaits no one here', () => {
    const sent = cardOf(2, { machine: 'workstation', onItsWay: { request: 'r', by: 'ann' } });
    const state = withCard(start, sent);
    expect([...state.cards.values()].filter(waits).map(({ set }) => set.sessionId)).toEqual([idOf(1)]);
    expect(idsOf(state)).toEqual([idOf(1), idOf(2)]);
  });

  it('keeps the state of other machines until told otherwise', () => {
    const trouble = { reason: 'away', at: null };
    const told = withSnapshot(start, snapshot({ seq: 4, fleet: { self: 'laptop/ann', trouble } }), NOW_MS);
    const same = withChange(told, changeOf(5), NOW_MS);
    expect([same?.fleet?.trouble, same && snapshotOf(same, NOW_MS)?.fleet?.trouble]).toEqual([
      trouble,
      trouble,
    ]);
    const back =
      same && withChange(same, changeOf(6, { fleet: { self: 'laptop/ann', trouble: null } }), NOW_MS);
    expect(back?.fleet).toEqual({ self: 'laptop/ann', trouble: null });
    expect(back && withSnapshot(back, snapshot({ seq: 7 }), NOW_MS).fleet).toBeNull();
  });

  it('recognises a repeated change, and notices a missing one', () => {
    expect(withChange(start, changeOf(4, { goneCards: [idOf(1)] }), NOW_MS)).toBe(start);
    expect(withChange(start, changeOf(6), NOW_MS)).toBeUndefined();
  });

  it('replaces what it knew with another snapshot, and names the cards missing from that', () => {
    const next = snapshot({ seq: 0, cards: [cardOf(2)] });
    expect(vanished(start, next)).toEqual([idOf(1)]);
    expect(withSnapshot(start, next, NOW_MS).seq).toBe(0);
  });

  it('shows a settled card until its time is over, counted from the first report', () => {
    const own = withSettled(start, cardOf(1, { status: 'completed' }), NOW_MS);
    const told = withChange(
      own,
      changeOf(5, { settled: [cardOf(1, { status: 'completed' })] }),
      NOW_MS + 900,
    );
    expect(told?.settled.get(idOf(1))?.atMs).toBe(NOW_MS);
    const gone = withoutSettled(own, (_id, { atMs }) => atMs <= NOW_MS);
    expect([gone.settled.size, withoutSettled(gone, () => true)]).toEqual([0, gone]);
  });

  it('is passed to a tab opened later as the server would send it', () => {
    const told = snapshotOf(start, NOW_MS);
    expect(told && withSnapshot(NOTHING_TOLD, told, NOW_MS)).toEqual(start);
    expect(snapshotOf(NOTHING_TOLD, NOW_MS)).toBeUndefined();
  });
});
