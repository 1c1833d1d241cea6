import type { ModelTurn, Rule, Script } from '../support/fake-model/server.mjs';
import { CHECK, CODE, status, TESTS } from '../support/run-world.js';

export const STORIES = 6;
export const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers should the adder know?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};

export const DONE: ModelTurn = { text: `Done.\n\n${status(true)}\n` };
export const NOT_DONE: ModelTurn = { text: `Not yet.\n\n${status(false)}\n` };
const CHECKS = runs(CHECK);
const WRITES_TESTS = writes({ 'test/adder.test.mjs': TESTS });
const WRITES_CODE = writes({ 'adder.mjs': CODE });
const WRITES_DOCUMENTS = writes({
  'README.md': '# Adder\n',
  'docs/usage.md': '# Usage\n',
  'docs/decisions/0001-plain-numbers.md': '# Plain numbers\n',
});
/** A command that nobody told it to run. */
const IMPROVES_IN_SHELL = runs("sed -i '1i // Plain sums.' adder.mjs && node --test");
const IMPROVES_BY_FILE = writes({ 'sums.mjs': "export { add as sum } from './adder.mjs';\n" });

/** All four phases, in files and in the shell. */
export const WHOLE_WAY = script(...phases(IMPROVES_IN_SHELL));

/** The code is there and checked, and then the answer stalls; asked again it has only to check. */
export const STALLS_IN_GREEN = script(
  ...answers(interrupted('GREEN'), CHECKS, DONE),
  ...answers(prompts('GREEN'), WRITES_CODE, CHECKS, { ...DONE, chunkChars: 8, fault: { type: 'stall' } }),
  ...phases(IMPROVES_BY_FILE),
);

/** It asks before it begins, and begins when it has been told the answer. */
export const ASKS_FIRST = script(
  ...answers(interrupted('RED'), WRITES_TESTS, DONE),
  ...answers(prompts('RED'), asks(), NOT_DONE),
  ...phases(IMPROVES_BY_FILE),
);

/** It asks before it begins, and begins in the same turn when it is told the answer. */
export const ASKS_AND_BEGINS = script(
  ...answers(prompts('RED'), asks(), WRITES_TESTS, DONE),
  ...phases(IMPROVES_BY_FILE),
);

/** Each story as the prompt wants it: look, do, tick, learn. `ralphtool` is how the agent starts that program. */
export function allStories(ralphtool: string): Script {
  const stories = Array.from({ length: STORIES }, (_, index) => storyRules(index + 1, `${ralphtool} agent`));
  return script(...stories.flat());
}

function storyRules(story: number, agent: string): Rule[] {
  return answers(
    prompts(`story ${story}`),
    runs(`${agent} context`),
    writes({ [`story-${story}.txt`]: 'x\n' }),
    runs(`${agent} task done ${story}.1 && ${agent} task done ${story}.2`),
    runs(`${agent} learn "learned in story ${story}"`),
    DONE,
  );
}

function phases(improves: ModelTurn): Rule[] {
  return [
    ...answers(prompts('RED'), WRITES_TESTS, DONE),
    ...answers(prompts('GREEN'), WRITES_CODE, DONE),
    ...answers(prompts('REFACTOR'), improves, DONE),
    ...answers(prompts('DOCUMENT'), WRITES_DOCUMENTS, DONE),
  ];
}

/** By rules alone: agents ask on the side, and after a kill nobody knows which reply is due. */
export function script(...rules: readonly Rule[]): Script {
  return { turns: [], rules, onExhausted: 'error' };
}

/** What the model answers to prompts like this, reply by reply. */
export function answers(lastUser: string, ...turns: readonly ModelTurn[]): Rule[] {
  return turns.map((turn, step) => ({ when: { lastUser, step }, turn }));
}

export function prompts(unit: string, iteration = '\\d+'): string {
  return `Iteration ${iteration} of ${unit}, begun \\S+\\. The plan`;
}

/** Those that tell of an iteration that was cut short. */
export function interrupted(unit: string): string {
  return `${prompts(unit)}.*was interrupted`;
}

/** RED and GREEN, with another number of tokens for each reply; in GREEN it stalls, and asked again it only checks. */
export const FIGURES = script(
  ...answers(interrupted('GREEN'), used(CHECKS, 6), used(DONE, 7)),
  ...answers(prompts('RED'), used(WRITES_TESTS, 1), used(CHECKS, 2), used(DONE, 3)),
  ...answers(prompts('GREEN', '1'), used(WRITES_CODE, 4), used(CHECKS, 5), {
    ...used(DONE, 8),
    chunkChars: 8,
    fault: { type: 'stall' },
  }),
  ...answers(prompts('GREEN'), used(CHECKS, 9), used(DONE, 10)),
);

/** The same without the stall. */
export const SMOOTH_FIGURES = script(
  ...answers(prompts('RED'), used(WRITES_TESTS, 1), used(CHECKS, 2), used(DONE, 3)),
  ...answers(prompts('GREEN', '1'), used(WRITES_CODE, 4), used(CHECKS, 5), used(DONE, 8)),
);

function used(turn: ModelTurn, n: number): ModelTurn {
  const usage = { input: 1_000 + 7 * n, output: 30 + n, cacheRead: 200 + 3 * n, cacheWrite: 10 + n };
  return { ...turn, usage };
}

export function writes(files: Readonly<Record<string, string>>): ModelTurn {
  const toolCalls = Object.entries(files).map(
    ([path, content]) => ({ action: 'write_file', path, content }) as const,
  );
  return { text: 'I write it.', toolCalls };
}

function runs(command: string): ModelTurn {
  return { toolCalls: [{ action: 'bash', command }] };
}

export function asks(question: typeof QUESTION = QUESTION): ModelTurn {
  const input = { questions: [question] };
  return { toolCalls: [{ action: 'mcp', server: 'holdfast', tool: 'ask_user_questions', input }] };
}
