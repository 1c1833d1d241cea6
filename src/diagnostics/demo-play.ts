import type { QuestionInput } from '../sessions/question/index.js';

/** The project of the demo: a plan, and what the scripted agent does about it, turn by turn. */
export const DEMO_PLAN = 'docs/prps/greeter.md';

const PRP = `# PRP: Greeter

A function that greets people.

### Success Criteria

- [ ] greets a person by name
- [ ] greets nobody in particular when there is no name
`;

const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';

const greet = async (name) => (await import('../greet.mjs')).greet(name);

test('greets a person by name', async () => assert.equal(await greet('Ada'), 'Hello, Ada!'));
test('greets nobody in particular', async () => assert.equal(await greet(), 'Hello!'));
`;

const CODE = `export function greet(name) {
  if (name === undefined) return 'Hello!';
  return 'Hello, ' + name + '!';
}
`;

const TIDIED = `/** Greets a person, or nobody in particular. */
export function greet(name) {
  return name === undefined ? 'Hello!' : \`Hello, \${name}!\`;
}
`;

const QUESTION: QuestionInput = {
  title: 'Tone',
  prompt: 'The plan does not say how formal the greeting is. Which one?',
  options: [
    { label: 'Hello (Recommended)', description: 'plain and short' },
    { label: 'Good day', description: 'for a bank' },
  ],
};

/** Long enough for the demo to kill the run in the middle of it. */
const WORK_MS = 20_000;

const status = (exitSignal: boolean) => ({
  say: `\n---PRP_PHASE_STATUS---\nSTATUS: ${exitSignal ? 'COMPLETE' : 'IN_PROGRESS'}\nEXIT_SIGNAL: ${exitSignal}\n---END_PRP_PHASE_STATUS---\n`,
});
const write = (path: string, content: string) => ({ write: { path, content } });

/** A turn for each prompt; the second one is never finished, because the run is killed in it. */
const TURNS = [
  { steps: [{ ask: { questions: [QUESTION] } }, write('test/greet.test.mjs', TESTS), status(true)] },
  { steps: [{ say: 'I begin with the function.' }, { delay: WORK_MS }, status(false)] },
  { steps: [write('greet.mjs', CODE), status(true)] },
  { steps: [write('greet.mjs', TIDIED), status(true)] },
  {
    steps: [
      write('README.md', '# Greeter\n\n`greet(name)` greets.\n'),
      write('docs/usage.md', '# Usage\n\nImport `greet` and call it.\n'),
      write('docs/decisions/0001-plain-tone.md', '# A plain tone\n\nThe person chose it.\n'),
      status(true),
    ],
  },
];

/** The files of the project, by their paths. */
export const DEMO_FILES: Readonly<Record<string, string>> = { [DEMO_PLAN]: PRP };
/** What the scripted agent plays. */
export const DEMO_SCRIPT = JSON.stringify({ turns: TURNS });
