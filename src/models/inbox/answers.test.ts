import { describe, expect, it } from 'vitest';
import { answer, asked } from '../../../test/support/inbox-world.js';
import {
  answersFromDraft,
  choose,
  chooseOther,
  EMPTY_ANSWER,
  faultIn,
  isTouched,
  recommendedIndex,
  toAnswerInputs,
} from './answers.js';

const single = asked();
const multi = asked({ multiSelect: true });

describe('answers from a draft', () => {
  it('are empty without one', () => {
    expect(answersFromDraft([single, multi], undefined)).toEqual([EMPTY_ANSWER, EMPTY_ANSWER]);
  });

  it('are one per question, whatever the draft holds', () => {
    const draft = { questionIndex: 0, rejectionReason: '', answers: [answer({ text: 'a' })] };
    expect(answersFromDraft([single, multi], draft)).toEqual([answer({ text: 'a' }), EMPTY_ANSWER]);
    expect(answersFromDraft([], draft)).toEqual([]);
  });

  it('keep only labels that exist, and all words', () => {
    const kept = answer({ selected: ['SQLite', 'MongoDB'], text: 'because', isOther: true });
    expect(answersFromDraft([single], { questionIndex: 0, rejectionReason: '', answers: [kept] })).toEqual([
      answer({ selected: ['SQLite'], text: 'because', isOther: true }),
    ]);
  });
});

describe('choosing', () => {
  it('replaces with single choice; own words stop counting and stay', () => {
    const before = answer({ selected: ['SQLite'], isOther: true, text: 'mine' });
    expect(choose(single, before, 'PostgreSQL')).toEqual(answer({ selected: ['PostgreSQL'], text: 'mine' }));
  });

  it('toggles with several', () => {
    const one = choose(multi, EMPTY_ANSWER, 'SQLite');
    expect(one).toEqual(answer({ selected: ['SQLite'] }));
    const two = choose(multi, one, 'PostgreSQL');
    expect(two).toEqual(answer({ selected: ['SQLite', 'PostgreSQL'] }));
    expect(choose(multi, two, 'SQLite')).toEqual(answer({ selected: ['PostgreSQL'] }));
  });

  it('own words replaces with single choice and adds with several', () => {
    const before = answer({ selected: ['SQLite'], text: 'mine' });
    expect(chooseOther(single, before)).toEqual(answer({ isOther: true, text: 'mine' }));
    expect(chooseOther(multi, before)).toEqual(answer({ selected: ['SQLite'], isOther: true, text: 'mine' }));
  });
});

describe('faults', () => {
  it.each([
    ['single, nothing', single, EMPTY_ANSWER, 'nothing-chosen'],
    ['single, confirmed nothing', single, answer({ isConfirmed: true }), 'nothing-chosen'],
    ['single, an option', single, answer({ selected: ['SQLite'] }), undefined],
    ['single, own words', single, answer({ isOther: true, text: 'x' }), undefined],
    ['own words without words', single, answer({ isOther: true, text: ' \n' }), 'no-words'],
    ['several, nothing', multi, EMPTY_ANSWER, 'none-not-confirmed'],
    ['several, confirmed nothing', multi, answer({ isConfirmed: true }), undefined],
    ['several, two', multi, answer({ selected: ['SQLite', 'PostgreSQL'] }), undefined],
    [
      'several, one and own words without words',
      multi,
      answer({ selected: ['SQLite'], isOther: true }),
      'no-words',
    ],
  ])('%s', (_name, question, given, expected) => {
    expect(faultIn(question, given)).toBe(expected);
  });
});

describe('answers as submitted', () => {
  it('say what was chosen, and own words only when they count', () => {
    expect(
      toAnswerInputs(
        [single, single, multi, multi],
        [
          answer({ selected: ['SQLite'], text: 'not this' }),
          answer({ isOther: true, text: 'mine' }),
          answer({ isConfirmed: true }),
          answer({ selected: ['SQLite'], isOther: true, text: ' kept as typed\n' }),
        ],
      ),
    ).toEqual([
      { questionIndex: 0, selectedOption: 'SQLite' },
      { questionIndex: 1, customText: 'mine' },
      { questionIndex: 2, selectedOptions: [] },
      { questionIndex: 3, selectedOptions: ['SQLite'], customText: ' kept as typed\n' },
    ]);
  });
});

describe('the recommended option', () => {
  it.each([
    [['A', 'B (Recommended)'], 1],
    [['A [recommended]', 'B'], 0],
    [['A', 'B ( RECOMMENDED )'], 1],
    [['가', '나 (추천)'], 1],
    [['Recommended', 'not recommended'], -1],
    [['A (Recommended)', 'B (Recommended)'], 0],
  ])('of %j is %i', (labels, expected) => {
    expect(recommendedIndex(asked({ options: labels.map((label) => ({ label })) }))).toBe(expected);
  });
});

describe('an answer', () => {
  it.each([
    [EMPTY_ANSWER, false],
    [answer({ selected: ['SQLite'] }), true],
    [answer({ isOther: true }), true],
    [answer({ text: 'x' }), true],
    [answer({ isConfirmed: true }), true],
  ])('%j is touched: %s', (given, expected) => {
    expect(isTouched(given)).toBe(expected);
  });
});
