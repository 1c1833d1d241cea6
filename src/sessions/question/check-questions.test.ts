import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { question } from '../../../test/support/question-world.js';
import { verifies } from '../../../test/support/verifies.js';
import { isHoldfastError } from '../../foundation/index.js';
import { checkQuestions, DEFAULT_LIMITS, OUTER_LIMITS, type QuestionLimits } from './check-questions.js';
import type { QuestionInput } from './schema.js';

function refusal(questions: readonly QuestionInput[], limits: QuestionLimits = DEFAULT_LIMITS) {
  try {
    checkQuestions(questions, limits);
    return undefined;
  } catch (error) {
    if (!isHoldfastError(error, 'INVALID_INPUT')) throw error;
    return error as typeof error & { place: string };
  }
}

function options(count: number) {
  return Array.from({ length: count }, (_, index) => ({ label: `Option ${index}` }));
}

describe('a set of questions', () => {
  verifies('Q02', 'an empty set is refused with the published words', () => {
    const error = refusal([]);
    expect(error?.message).toBe('At least one question is required to create a session');
    expect(error?.place).toBe('questions');
  });

  const BAD: readonly [string, QuestionInput[], string, string][] = [
    ['an empty prompt', [question({ prompt: '' })], 'questions[0].prompt', 'the prompt is empty'],
    ['a blank prompt', [question({ prompt: ' \t\n' })], 'questions[0].prompt', 'the prompt is empty'],
    ['an empty title', [question(), question({ title: '' })], 'questions[1].title', 'the title is empty'],
    ['a blank title', [question({ title: '  ' })], 'questions[0].title', 'the title is empty'],
    [
      'no options',
      [question({ options: [] })],
      'questions[0].options',
      'no options are not a choice: at least 2',
    ],
    [
      'one option',
      [question({ options: options(1) })],
      'questions[0].options',
      'one option is not a choice: at least 2',
    ],
    [
      'six options',
      [question({ options: options(6) })],
      'questions[0].options',
      '6 options are too many: at most 5',
    ],
    [
      'an empty label',
      [question({ options: [{ label: 'A' }, { label: '' }] })],
      'questions[0].options[1].label',
      'the label is empty',
    ],
    [
      'a blank label',
      [question({ options: [{ label: ' ' }, { label: 'B' }] })],
      'questions[0].options[0].label',
      'the label is empty',
    ],
    [
      'the same label twice',
      [question({ options: [{ label: 'A' }, { label: 'B' }, { label: 'A' }] })],
      'questions[0].options[2].label',
      'the label "A" appears twice',
    ],
    [
      'six questions',
      Array.from({ length: 6 }, () => question()),
      'questions',
      '6 questions are too many: at most 5',
    ],
  ];
  for (const [what, questions, place, reason] of BAD) {
    verifies('Q03', `${what} is refused with the reason and the place`, () => {
      const error = refusal(questions);
      expect(error?.place).toBe(place);
      expect(error?.message).toBe(`Invalid question set: ${place}: ${reason}`);
      expect(error?.hint).toMatch(/Nothing was created/);
    });
  }

  verifies('Q03', 'the outer bounds are 10 questions and 10 options, the default is 5 and 5', () => {
    const widest = Array.from({ length: 10 }, () => question({ options: options(10) }));
    expect(refusal(widest, OUTER_LIMITS)).toBeUndefined();
    expect(refusal([...widest, question()], OUTER_LIMITS)?.place).toBe('questions');
    expect(refusal([question({ options: options(11) })], OUTER_LIMITS)?.place).toBe('questions[0].options');
    expect(DEFAULT_LIMITS).toEqual({ maxQuestions: 5, maxOptions: 5 });
    expect(refusal(Array.from({ length: 5 }, () => question({ options: options(5) })))).toBeUndefined();
  });

  verifies('Q03', 'the configured maximum counts', () => {
    const limits = { maxQuestions: 2, maxOptions: 3 };
    expect(refusal([question(), question()], limits)).toBeUndefined();
    expect(refusal([question(), question(), question()], limits)?.message).toContain('at most 2');
    expect(refusal([question({ options: options(4) })], limits)?.message).toContain('at most 3');
  });

  verifies('Q03', 'a set too long to read is refused', () => {
    expect(refusal([question({ prompt: 'x'.repeat(300_000) })])?.message).toMatch(
      /longer than \d+ characters/,
    );
  });

  it('refused hostile labels are shown as visible text', () => {
    const label = '\u001b[2Jpwned\u202e';
    const error = refusal([question({ options: [{ label }, { label }] })]);
    expect(error?.message).toContain('"^[[2Jpwned\\u{202e}"');
  });

  it('whatever is accepted fits the limits, and whatever is refused names a place in the set', () => {
    const text = fc.constantFrom('', ' ', 'A', 'B', 'C', 'word');
    const set = fc.array(
      fc.record({
        prompt: text,
        title: text,
        options: fc.array(fc.record({ label: text }), { maxLength: 7 }),
      }),
      { maxLength: 7 },
    );
    fc.assert(
      fc.property(set, (questions) => {
        const error = refusal(questions);
        const isGood =
          questions.length >= 1 &&
          questions.length <= 5 &&
          questions.every(
            ({ prompt, title, options: { length }, options: labels }) =>
              prompt.trim() !== '' &&
              title.trim() !== '' &&
              length >= 2 &&
              length <= 5 &&
              labels.every(({ label }) => label.trim() !== '') &&
              new Set(labels.map(({ label }) => label)).size === length,
          );
        expect(error === undefined).toBe(isGood);
        if (error !== undefined)
          expect(error.place).toMatch(/^questions(\[\d]\.(prompt|title|options(\[\d]\.label)?))?$/);
      }),
    );
  });
});
