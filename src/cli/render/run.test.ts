import { expect, it } from 'vitest';
import { describeRunEvent } from './run.js';

it.each([
  [
    'mcp__holdfast__ask_user_questions',
    'mcp__holdfast__ask_user_questions',
    '  → mcp__holdfast__ask_user_questions',
  ],
  ['Write', 'Write greet.mjs', '  → Write greet.mjs'],
  ['Bash', 'make', '  → Bash make'],
])('a line of a run names the tool %s with the title %j once', (name, title, line) => {
  const event = { type: 'tool-call', id: 't1', name, kind: 'other', title, input: null } as const;
  expect(describeRunEvent({ type: 'agent', event }, false)).toEqual([line]);
});
