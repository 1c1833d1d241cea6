import { describe, expect, it } from 'vitest';
import { obeyPlainWords } from './plain-words.js';
import type { Step } from './script.js';

const say = (value: string) => ({ name: 'say', value });

describe('an agent without a script', () => {
  it.each<[string, readonly unknown[]]>([
    ['hello', [say('You said: {{prompt}}')]],
    ['Remember this word: kelp.', [say('You said: {{prompt}}')]],
    ['Which word did I ask you to remember?', [say('Earlier you said: {{earlier}}')]],
    ['What did I say before?', [say('Earlier you said: {{earlier}}')]],
    ['Please wait.', [say('I wait.'), { name: 'hang', value: true }]],
    ['Await the result', [say('You said: {{prompt}}')]],
  ])('takes %j as %j', (prompt, steps) => {
    expect(obeyPlainWords(prompt)).toEqual({ steps, end: 'completed', exit: null });
  });

  it.each([
    ['Count from 3 to 5.', ['3\n', '4\n', '5\n']],
    ['count from 5 to 3', []],
  ])('counts as it is told: %j', (prompt, said) => {
    expect(textOf(obeyPlainWords(prompt).steps)).toEqual(said);
  });

  it('does not count forever', () => {
    expect(textOf(obeyPlainWords('count from 1 to 999999999').steps)).toHaveLength(10_000);
  });

  it.each([
    [
      'Ask me a question with the title "Colour", the prompt "Which?" and the options "Red", "Green" and "Blue".',
      {
        title: 'Colour',
        prompt: 'Which?',
        options: [{ label: 'Red' }, { label: 'Green' }, { label: 'Blue' }],
      },
    ],
    [
      'ask me something',
      { title: 'Question', prompt: 'Which one?', options: [{ label: 'Yes' }, { label: 'No' }] },
    ],
  ])('asks what it is told to ask: %j', (prompt, question) => {
    expect(obeyPlainWords(prompt).steps).toEqual([
      { name: 'ask', value: { questions: [question] } },
      say('{{output}}'),
    ]);
  });
});

function textOf(steps: readonly Step[]): unknown[] {
  return steps.filter(({ name }) => name === 'say').map(({ value }) => value);
}
