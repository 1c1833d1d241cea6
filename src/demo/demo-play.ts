import type { AnswerInput, QuestionInput } from '../sessions/question/index.js';

/** The project of the demo: a plan, and what the scripted agent does with it, turn by turn. */
export const DEMO_PLAN = 'docs/prps/greeter.md';

const PRP = `# PRP: Greeter

A function that greets people.

### Success Criteria

- [ ] greets a person by name
- [ ] greets nobody in particular when there is no name
`;

/** Stands for the greeting until it is known: in the turn that asks, the agent takes it from the answer. */
const ANSWER = '{{answer}}';

const testsFor = (greeting: string) => `import assert from 'node:assert/strict';
import test from 'node:test';

const greet = async (name) => (await import('../greet.mjs')).greet(name);

test('greets a person by name', async () => assert.equal(await greet('Ada'), '${greeting}, Ada!'));
test('greets nobody in particular', async () => assert.equal(await greet(), '${greeting}!'));
`;

const codeFor = (greeting: string) => `export function greet(name) {
  if (name === undefined) return '${greeting}!';
  return '${greeting}, ' + name + '!';
}
`;

const tidiedFor = (greeting: string) => `/** Greets a person, or nobody in particular. */
export function greet(name) {
  return name === undefined ? '${greeting}!' : \`${greeting}, \${name}!\`;
}
`;

const decisionFor = (greeting: string) => `# The greeting is "${greeting}"

The plan did not say how formal it is. The person chose "${greeting}".
`;

/** The files in which the demo shows what became of the answer. */
export const DEMO_CODE = 'greet.mjs';
export const DEMO_DECISION = 'docs/decisions/0001-greeting.md';

const QUESTION: QuestionInput = {
  title: 'Tone',
  prompt: 'The plan does not say how formal the greeting is. Which one?',
  options: [
    { label: 'Hello', description: 'plain and short' },
    { label: 'Good day', description: 'for a bank' },
  ],
};

/** Long enough for the demo to kill the run in the middle of it. */
const WORK_MS = 20_000;

const status = (exitSignal: boolean) => ({
  say: `\n---PRP_PHASE_STATUS---\nSTATUS: ${exitSignal ? 'COMPLETE' : 'IN_PROGRESS'}\nEXIT_SIGNAL: ${exitSignal}\n---END_PRP_PHASE_STATUS---\n`,
});
const write = (path: string, content: string) => ({ write: { path, content } });

/** A turn for each prompt; the second one never finishes, because the run is killed during it. */
const turnsFor = (greeting: string) => [
  {
    steps: [{ ask: { questions: [QUESTION] } }, write('test/greet.test.mjs', testsFor(ANSWER)), status(true)],
  },
  { steps: [{ say: 'I begin with the function.' }, { delay: WORK_MS }, status(false)] },
  { steps: [write(DEMO_CODE, codeFor(greeting)), status(true)] },
  { steps: [write(DEMO_CODE, tidiedFor(greeting)), status(true)] },
  {
    steps: [
      write('README.md', '# Greeter\n\n`greet(name)` greets.\n'),
      write('docs/usage.md', '# Usage\n\nImport `greet` and call it.\n'),
      write(DEMO_DECISION, decisionFor(greeting)),
      status(true),
    ],
  },
];

/** The files of the project, by their paths. */
export const DEMO_FILES: Readonly<Record<string, string>> = { [DEMO_PLAN]: PRP };
/** Settings without a limit on how long the person may think. */
export const DEMO_SETTINGS = JSON.stringify({ mcp: { handBackSeconds: { other: 0 } } });

/** What the scripted agent plays once the greeting is known; before that only the first two turns matter. */
export function demoScript(greeting: string): string {
  return JSON.stringify({ turns: turnsFor(greeting) });
}

/** The greeting in an answer, as the agent understands it: without quotes, because it goes into source code. */
export function greetingIn([answer]: readonly AnswerInput[]): string {
  return (answer?.selectedOption ?? answer?.customText ?? '').replace(/['"`\\$\r\n]/g, '');
}

/** The same play in two parts, one for each agent: before the plug is pulled, and after. */
export function fleetScripts(greeting: string): { readonly before: string; readonly after: string } {
  const turns = turnsFor(greeting);
  return {
    before: JSON.stringify({ turns: turns.slice(0, 2) }),
    after: JSON.stringify({ turns: turns.slice(2) }),
  };
}
