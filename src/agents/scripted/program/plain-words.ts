import type { ScriptTurn, Step } from './script.js';

/** More than anybody wants to read. */
const MAX_COUNT = 10_000;
const COUNT_DELAY_MS = 5;

interface Rule {
  readonly words: RegExp;
  readonly steps: (prompt: string, found: RegExpExecArray) => readonly Step[];
}

/** What it understands of a prompt; the first match counts. The README next door puts it in words. */
const RULES: readonly Rule[] = [
  { words: /\bask me\b|\bask_user_questions\b/i, steps: (prompt) => [ask(prompt), say('{{output}}')] },
  {
    words: /\bcount from (\d{1,9}) to (\d{1,9})\b/i,
    steps: (_, [, from, to]) => count(Number(from), Number(to)),
  },
  {
    words: /\b(?:what|which)\b.*\b(?:say|said|tell|told|remember)\b/i,
    steps: () => [say('Earlier you said: {{earlier}}')],
  },
  { words: /\bwait\b/i, steps: () => [say('I wait.'), { name: 'hang', value: true }] },
];

/** What an agent without a script does with a prompt: obeys it if the words are simple enough, otherwise repeats it. */
export function obeyPlainWords(prompt: string): ScriptTurn {
  for (const { words, steps } of RULES) {
    const found = words.exec(prompt);
    if (found !== null) return turnOf(steps(prompt, found));
  }
  return turnOf([say('You said: {{prompt}}')]);
}

function turnOf(steps: readonly Step[]): ScriptTurn {
  return { steps, end: 'completed', exit: null };
}

function say(text: string): Step {
  return { name: 'say', value: text };
}

function count(from: number, to: number): Step[] {
  const length = Math.min(Math.max(to - from + 1, 0), MAX_COUNT);
  return Array.from({ length }, (_, index) => index).flatMap((index) => [
    say(`${from + index}\n`),
    { name: 'delay', value: COUNT_DELAY_MS },
  ]);
}

/** Takes the title, the prompt and the options from the quotes after those words. */
function ask(prompt: string): Step {
  const options = [...(/\boptions? (.*)$/is.exec(prompt)?.[1] ?? '').matchAll(/"([^"]+)"/g)];
  const labels = options.length < 2 ? ['Yes', 'No'] : options.map(([, label]) => label);
  return {
    name: 'ask',
    value: {
      questions: [
        {
          title: quotedAfter('title', prompt) ?? 'Question',
          prompt: quotedAfter('prompt', prompt) ?? 'Which one?',
          options: labels.map((label) => ({ label })),
        },
      ],
    },
  };
}

function quotedAfter(word: string, prompt: string): string | undefined {
  return new RegExp(`\\b${word} "([^"]+)"`, 'i').exec(prompt)?.[1];
}
