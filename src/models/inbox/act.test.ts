import { describe, expect, it } from 'vitest';
import { answer, asked, setOf } from '../../../test/support/inbox-world.js';
import type { InboxAction } from './act.js';
import {
  draftOf,
  INITIAL_STATE,
  type InboxEffect,
  type InboxState,
  listedSets,
  writtenText,
} from './state.js';
import { update } from './update.js';

const one = setOf(1);
const two = setOf(2, {
  questions: [asked(), asked({ options: [{ label: 'A' }, { label: 'B (Recommended)' }], multiSelect: true })],
});

/** The inbox after some actions, and the effects they ask for. */
function played(from: InboxState, ...actions: InboxAction[]): { state: InboxState; effects: InboxEffect[] } {
  const effects: InboxEffect[] = [];
  let state = from;
  for (const action of actions) {
    const [next, more] = update(state, { type: 'act', action });
    state = next;
    effects.push(...more);
  }
  return { state, effects };
}

const [list] = update(INITIAL_STATE, { type: 'listed', pending: [one, two], departures: [] });
const [open] = update(list, { type: 'opened', view: two, draft: undefined });

describe('a person at the inbox, on any surface', () => {
  it('opens the selected set, or any other by its id', () => {
    expect(played(list, { do: 'move', by: 1 }, { do: 'open' }).effects).toEqual([{ do: 'open', id: two.id }]);
    expect(played(list, { do: 'open', id: two.id }).effects).toEqual([{ do: 'open', id: two.id }]);
  });

  it('chooses option 2, moves to the next question, and sends: the whole way', () => {
    const { state, effects } = played(
      open,
      { do: 'choose', row: 1 },
      { do: 'go-to', question: 1 },
      { do: 'choose-recommended' },
      { do: 'submit' },
    );
    expect(state).toMatchObject({ screen: { name: 'review' }, isBusy: true });
    expect(effects.at(-1)).toEqual({ do: 'submit', set: state.open });
    expect(state.open?.answers).toEqual([
      answer({ selected: ['SQLite'] }),
      answer({ selected: ['B (Recommended)'], isConfirmed: true }),
    ]);
  });

  it('writes own words: the text is the state, and is kept as a draft with every change of it', () => {
    const writing = played(open, { do: 'write' }, { do: 'written', text: 'neither' });
    expect(writtenText(writing.state)).toBe('neither');
    expect(writing.effects).toEqual([{ do: 'save-draft' }, { do: 'save-draft' }]);
    if (writing.state.open === null) throw new Error('not open');
    expect(draftOf(writing.state.open).answers[0]).toEqual(answer({ isOther: true, text: 'neither' }));
    const [next] = [played(writing.state, { do: 'answer' }).state];
    expect([writtenText(next), next.open?.questionIndex]).toEqual([undefined, 1]);
  });

  it('gets a fault as data, not in words that name a key', () => {
    expect(played(open, { do: 'write' }, { do: 'answer' }).state.open?.fault).toBe('no-words');
    expect(played(open, { do: 'go-to', question: 2 }, { do: 'submit' }).state.open?.fault).toBe(
      'nothing-chosen',
    );
    const none = played(open, { do: 'go-to', question: 1 }, { do: 'answer' }).state;
    expect(none.open?.fault).toBe('none-not-confirmed');
    expect(played(none, { do: 'answer' }).state.screen.name).toBe('review');
  });

  it('rejects only after a yes, with a reason if there is one', () => {
    expect(played(open, { do: 'reject' }).effects).toEqual([]);
    const asks = played(open, { do: 'consider-rejecting' }, { do: 'reject' });
    expect([asks.state.screen.name, asks.effects]).toEqual(['reject', []]);
    const rejected = played(
      asks.state,
      { do: 'give-reason' },
      { do: 'written', text: ' not now ' },
      { do: 'reject' },
    );
    expect(rejected.effects.at(-1)).toEqual({ do: 'reject', id: two.id, reason: 'not now' });
  });

  it('does nothing with an action that does not fit: no such row, nothing open, busy', () => {
    expect(played(open, { do: 'choose', row: 7 }, { do: 'choose', row: -1 }, { do: 'submit' }).state).toBe(
      open,
    );
    expect(played(list, { do: 'choose', row: 0 }, { do: 'written', text: 'x' }, { do: 'close' }).state).toBe(
      list,
    );
    const busy = { ...open, isBusy: true };
    expect(played(busy, { do: 'choose', row: 0 }, { do: 'close' }).state).toBe(busy);
    expect(played(busy, { do: 'leave' }).effects).toEqual([{ do: 'leave' }]);
  });
});

describe('a long list', () => {
  const other = setOf(3, { workingDirectory: '/home/me/blog' });
  const [long] = update(INITIAL_STATE, { type: 'listed', pending: [one, two, other], departures: [] });

  it('is filtered by typing, and the selection moves from a hidden set to the first visible one', () => {
    const { state } = played(long, { do: 'filter' }, { do: 'filter-by', text: 'BLOG' });
    expect([listedSets(state), state.selectedId]).toEqual([[other], other.id]);
    expect(played(state, { do: 'keep-filter' }, { do: 'move', by: 1 }).state.selectedId).toBe(other.id);
    expect(listedSets(played(state, { do: 'clear-filter' }).state)).toHaveLength(3);
    expect(played(long, { do: 'filter-by', text: 'x' }).state).toBe(long);
  });

  it('is rejected together only after a yes, with one reason, and only what was listed', () => {
    const narrowed = played(long, { do: 'filter' }, { do: 'filter-by', text: 'blog' }, { do: 'keep-filter' });
    const asks = played(narrowed.state, { do: 'consider-rejecting-all' }, { do: 'reject' });
    expect([asks.state.screen.name, asks.effects]).toEqual(['reject-all', []]);
    expect(played(asks.state, { do: 'go-back' }).state.screen.name).toBe('list');
    const [arrived] = update(asks.state, { type: 'listed', pending: [one, other], departures: [] });
    const { state, effects } = played(
      arrived,
      { do: 'give-reason' },
      { do: 'written', text: ' not now ' },
      { do: 'reject' },
    );
    expect(effects).toEqual([{ do: 'reject-all', ids: [other.id], reason: 'not now' }]);
    expect(state.isBusy).toBe(true);
    expect(
      played(update(INITIAL_STATE, { type: 'listed', pending: [], departures: [] })[0], {
        do: 'consider-rejecting-all',
      }).state.screen.name,
    ).toBe('list');
  });
});
