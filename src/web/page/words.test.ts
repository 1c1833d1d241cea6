import { describe, expect, it } from 'vitest';
import { cardOf } from '../../../test/support/page-world.js';
import {
  actorWords,
  answersInWords,
  cardName,
  connectionNews,
  connectionWords,
  lateWords,
  timeOfDay,
  waitWords,
} from './words.js';

const me = { device: 'd1', name: 'Chrome on Linux', can: 'answer' } as const;
const AT_MS = new Date(2026, 10, 16, 14, 2, 59).getTime();

describe('the words of the page', () => {
  it('show the connection, but nothing that changes every second to a screen reader', () => {
    const lost = { name: 'reconnecting', sinceMs: AT_MS, nextMs: AT_MS + 3_400 } as const;
    expect(connectionWords({ name: 'live' }, AT_MS)).toBe('live');
    expect(connectionWords(lost, AT_MS)).toBe('reconnecting in 4 s');
    expect(connectionNews(lost)).toBe('reconnecting');
    expect(connectionWords({ ...lost, name: 'offline' }, AT_MS)).toBe('offline since 14:02');
    expect(timeOfDay(AT_MS)).toBe('14:02');
  });

  it.each([
    ['page:d1', 'you, here'],
    ['page:Chrome on Linux', 'you, here'],
    ['page:Safari on iPhone', 'you, on Safari on iPhone'],
    ['cli', 'you, in a terminal'],
    ['inbox', 'you, in the terminal inbox'],
    ['mcp:x\u202ey', 'x\\u{202e}y'],
    ['outside', 'somebody else'],
    [null, 'somebody else'],
  ])('say who decided: %s', (actor, words) => {
    expect(actorWords(actor, me)).toBe(words);
  });

  it('say what waiting costs, and when a late answer arrives', () => {
    expect([true, false, null].map((isAskerGone) => waitWords({ isAskerGone }, true))).toEqual([
      'asker is gone',
      'run waiting',
      'agent moved on',
    ]);
    expect(waitWords({ isAskerGone: false }, false)).toBe('agent waiting');
    expect(lateWords({ status: 'pending', isAskerGone: false })).toBeNull();
    expect(lateWords({ status: 'timed_out', isAskerGone: null })).toContain('when it asks again');
  });

  it('repeat an answer as given, its labels first', () => {
    const { set } = cardOf(1, {
      questions: [
        { title: 'A', prompt: '?', options: [] },
        { title: 'B', prompt: '?', options: [], multiSelect: true },
      ],
      answers: [
        { questionIndex: 1, selectedOptions: [], timestamp: '2026-11-16T11:00:00.000Z' },
        { questionIndex: 0, selectedOption: 'x', customText: 'but', timestamp: '2026-11-16T11:00:00.000Z' },
      ],
    });
    expect(answersInWords(set).map(({ said }) => said)).toEqual(['x, “but”', 'none']);
  });

  it('name a card by who asks what', () => {
    expect(cardName(cardOf(1).set)).toBe('claude asks: Database');
    expect(cardName(cardOf(1, { asker: { agent: 'codex', asks: 'permission' } }).set)).toBe(
      'codex asks for permission: Database',
    );
    expect(cardName(cardOf(1, { machine: 'workstation' }).set)).toBe('claude asks on workstation: Database');
  });
});
