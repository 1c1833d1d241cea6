import { expect, it } from 'vitest';
import type { RunEvent } from '../../runner/index.js';
import { describeRunEvent, runDescriber } from './run.js';

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

it('says each denial once: when it happens, or at the end of the iteration', () => {
  const told = { id: 't1', name: 'Bash', kind: 'execute', title: 'make', input: null } as const;
  const denial: RunEvent = {
    type: 'agent',
    event: { type: 'permission', ...told, decision: 'denied', by: 'a person' },
  };
  const end = (...denials: string[]): RunEvent => ({
    type: 'iteration-end',
    phase: 'RED',
    story: null,
    iteration: 1,
    run: 'answered',
    error: `permission denied: ${denials[0]}`,
    tests: null,
    files: { created: 0, modified: 0, deleted: 0 },
    denials,
    exitSignal: false,
    gates: { first: false, second: false, condition: '' },
    breaker: 'CLOSED',
    decision: { next: 'iterate' },
    activeMs: 0,
    overheadMs: 0,
  });
  const describeEvent = runDescriber(false);
  const lines = [denial, end('Bash: make', 'Bash: ls')].flatMap(describeEvent);
  expect(lines.filter((line) => line.includes('denied'))).toEqual([
    '  ✗ denied (a person): make',
    '  ✗ denied: Bash: ls',
  ]);
  const many = Array.from({ length: 7 }, (_, index) => `Bash: ${index}`);
  expect(runDescriber(false)(end(...many)).at(-1)).toBe('  ✗ and 2 more denied');
});
