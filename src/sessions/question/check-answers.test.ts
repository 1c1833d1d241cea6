import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { question } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { isHoldfastError } from '../../foundation/index.js';
import { checkAnswers, isSameAnswer } from './check-answers.js';
import type { AnswerInput, Question, UserAnswer } from './schema.js';

const NOW = '2026-03-01T12:00:00.000Z';
const SINGLE = question();
const MULTI = question({ multiSelect: true, options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }] });

function check(questions: readonly Question[], answers: readonly AnswerInput[]): UserAnswer[] {
  return checkAnswers(questions, answers, NOW);
}

function refusal(questions: readonly Question[], answers: readonly AnswerInput[]) {
  try {
    check(questions, answers);
    return undefined;
  } catch (error) {
    if (!isHoldfastError(error, 'INVALID_ANSWER')) throw error;
    return {
      message: error.message,
      questionIndex: (error as unknown as { questionIndex: unknown }).questionIndex,
    };
  }
}

describe('answers', () => {
  const BAD: readonly [string, Question[], AnswerInput[], string, number | null][] = [
    ['none at all', [SINGLE], [], 'No answers provided', null],
    [
      'an index that is not there',
      [SINGLE],
      [{ questionIndex: 1, selectedOption: 'SQLite' }],
      'Answer references invalid question index: 1',
      1,
    ],
    [
      'a label that is not there',
      [SINGLE],
      [{ questionIndex: 0, selectedOption: 'MySQL' }],
      'Answer for question 1 references non-existent option: MySQL',
      0,
    ],
    [
      'a label in another case',
      [SINGLE],
      [{ questionIndex: 0, selectedOption: 'sqlite' }],
      'Answer for question 1 references non-existent option: sqlite',
      0,
    ],
    [
      'one wrong label among several',
      [MULTI],
      [{ questionIndex: 0, selectedOptions: ['A', 'D'] }],
      'Answer for question 1 references non-existent option: D',
      0,
    ],
    [
      'nothing in the answer',
      [SINGLE],
      [{ questionIndex: 0 }],
      'Answer for question 1 has neither selectedOption, selectedOptions, nor customText',
      0,
    ],
    [
      'an empty text alone',
      [MULTI],
      [{ questionIndex: 0, customText: '' }],
      'Answer for question 1 has neither selectedOption, selectedOptions, nor customText',
      0,
    ],
    [
      'a question without an answer',
      [SINGLE, SINGLE],
      [{ questionIndex: 0, selectedOption: 'SQLite' }],
      'Question 2 has no answer',
      1,
    ],
    [
      'two answers to one question',
      [SINGLE],
      [
        { questionIndex: 0, selectedOption: 'SQLite' },
        { questionIndex: 0, customText: 'x' },
      ],
      'Question 1 is answered twice',
      0,
    ],
    [
      'several options where one is asked for',
      [SINGLE],
      [{ questionIndex: 0, selectedOptions: ['SQLite'] }],
      'Question 1 takes one option: use selectedOption',
      0,
    ],
    [
      'one and several at once',
      [MULTI],
      [{ questionIndex: 0, selectedOption: 'A', selectedOptions: ['B'] }],
      'Question 1 has both selectedOption and selectedOptions',
      0,
    ],
    [
      'a text beyond measure',
      [SINGLE],
      [{ questionIndex: 0, customText: 'x'.repeat(262_145) }],
      'Question 1 has a text longer than 262144 characters',
      0,
    ],
  ];
  for (const [what, questions, answers, message, questionIndex] of BAD) {
    verifies('Q05', `refused: ${what}`, () => {
      expect(refusal(questions, answers)).toEqual({ message, questionIndex });
    });
  }

  const GOOD: readonly [string, Question[], AnswerInput[], AnswerInput[]][] = [
    [
      'one option',
      [SINGLE],
      [{ questionIndex: 0, selectedOption: 'SQLite' }],
      [{ questionIndex: 0, selectedOption: 'SQLite' }],
    ],
    [
      'own words',
      [SINGLE],
      [{ questionIndex: 0, customText: ' none\n' }],
      [{ questionIndex: 0, customText: ' none\n' }],
    ],
    [
      'an option and own words',
      [SINGLE],
      [{ questionIndex: 0, selectedOption: 'SQLite', customText: 'for now' }],
      [{ questionIndex: 0, selectedOption: 'SQLite', customText: 'for now' }],
    ],
    [
      'several options, in the order of the question',
      [MULTI],
      [{ questionIndex: 0, selectedOptions: ['C', 'A'] }],
      [{ questionIndex: 0, selectedOptions: ['A', 'C'] }],
    ],
    [
      'the same option twice counts once',
      [MULTI],
      [{ questionIndex: 0, selectedOptions: ['B', 'B'] }],
      [{ questionIndex: 0, selectedOptions: ['B'] }],
    ],
    [
      'several options and own words',
      [MULTI],
      [{ questionIndex: 0, selectedOptions: ['A'], customText: 'and more' }],
      [{ questionIndex: 0, selectedOptions: ['A'], customText: 'and more' }],
    ],
    [
      'nothing chosen of several',
      [MULTI],
      [{ questionIndex: 0, selectedOptions: [] }],
      [{ questionIndex: 0, selectedOptions: [] }],
    ],
    [
      'only own words where several may be chosen',
      [MULTI],
      [{ questionIndex: 0, customText: 'x' }],
      [{ questionIndex: 0, selectedOptions: [], customText: 'x' }],
    ],
    [
      'one option where several may be chosen',
      [MULTI],
      [{ questionIndex: 0, selectedOption: 'B' }],
      [{ questionIndex: 0, selectedOptions: ['B'] }],
    ],
    [
      'answers in any order',
      [SINGLE, MULTI],
      [
        { questionIndex: 1, selectedOptions: ['A'] },
        { questionIndex: 0, selectedOption: 'SQLite' },
      ],
      [
        { questionIndex: 0, selectedOption: 'SQLite' },
        { questionIndex: 1, selectedOptions: ['A'] },
      ],
    ],
  ];
  for (const [what, questions, answers, accepted] of GOOD) {
    verifies('Q05', `accepted: ${what}`, () => {
      expect(check(questions, answers)).toEqual(accepted.map((answer) => ({ ...answer, timestamp: NOW })));
    });
  }

  it('a set by AUQ with a duplicate label can be answered, once', () => {
    const doubled: Question = {
      prompt: '?',
      title: 't',
      options: [{ label: 'A' }, { label: 'A' }],
      multiSelect: true,
    };
    expect(check([doubled], [{ questionIndex: 0, selectedOptions: ['A'] }])).toEqual([
      { questionIndex: 0, selectedOptions: ['A'], timestamp: NOW },
    ]);
  });

  verifies('Q06', 'the same answer is the same in any order and at any time', () => {
    const first = check([MULTI], [{ questionIndex: 0, selectedOptions: ['C', 'A'], customText: 'x' }]);
    const again = checkAnswers(
      [MULTI],
      [{ questionIndex: 0, customText: 'x', selectedOptions: ['A', 'C'] }],
      '2026-04-01T00:00:00.000Z',
    );
    expect(isSameAnswer(first, again)).toBe(true);
  });

  verifies('Q06', 'another option, another text or a missing text is a different answer', () => {
    const base = check([MULTI], [{ questionIndex: 0, selectedOptions: ['A'], customText: 'x' }]);
    for (const other of [
      { questionIndex: 0, selectedOptions: ['B'], customText: 'x' },
      { questionIndex: 0, selectedOptions: ['A'], customText: 'y' },
      { questionIndex: 0, selectedOptions: ['A'] },
    ]) {
      expect(isSameAnswer(base, check([MULTI], [other]))).toBe(false);
    }
  });

  it('accepted answers have one entry per question in order, only labels of the question, and are accepted again unchanged', () => {
    const label = fc.constantFrom('A', 'B', 'C', 'D', '');
    const answer = fc.record(
      {
        questionIndex: fc.integer({ min: -1, max: 3 }),
        selectedOption: label,
        selectedOptions: fc.array(label, { maxLength: 4 }),
        customText: fc.string(),
      },
      { requiredKeys: ['questionIndex'] },
    );
    const shapes = fc.array(fc.boolean(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(shapes, fc.array(answer, { maxLength: 4 }), (multi, answers) => {
        const questions = multi.map((multiSelect) => ({ ...MULTI, multiSelect }));
        if (refusal(questions, answers) !== undefined) return;
        const accepted = check(questions, answers);
        expect(accepted.map(({ questionIndex }) => questionIndex)).toEqual(
          questions.map((_, index) => index),
        );
        for (const { selectedOption, selectedOptions = [], customText } of accepted) {
          for (const chosen of [selectedOption ?? 'A', ...selectedOptions])
            expect(['A', 'B', 'C']).toContain(chosen);
          expect(customText).not.toBe('');
        }
        const again = check(
          questions,
          accepted.map(({ timestamp: _, ...bare }) => bare as AnswerInput),
        );
        expect(again).toEqual(accepted);
        expect(isSameAnswer(again, accepted)).toBe(true);
      }),
    );
  });
});
