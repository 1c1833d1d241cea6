import { expect, it } from 'vitest';
import { iterationEnd, iterationStart } from '../../../test/support/run-events.js';
import type { RunEvent } from '../../run/index.js';
import { describeRunEvent, type RunLine, runDescriber } from './describe-run.js';

const textOf = ({ text }: RunLine) => text;
const linesOf = (event: RunEvent, isUnattended = false) => describeRunEvent(event, isUnattended).map(textOf);

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
  expect(linesOf({ type: 'agent', event })).toEqual([line]);
});

const NOTHING_CHANGED = { created: 0, modified: 0, deleted: 0 };
const TWO_OF_THREE = [{ what: 'new-failing-tests' as const, have: 2, want: 3 }];
const gates = (first: boolean, second: boolean, missing = first ? [] : TWO_OF_THREE) => ({
  first,
  second,
  condition: 'c',
  missing,
});

it.each([
  [
    gates(false, true),
    '  agent says done, checks do not: needs 3 new failing tests, has 2 · no files changed',
  ],
  [gates(false, false), '  not done: needs 3 new failing tests, has 2 · no files changed'],
  [gates(true, false), '  nothing is missing, but the agent does not say done · no files changed'],
  [gates(true, true), '  agent says done, checks agree · no files changed'],
  [
    gates(false, true, [{ what: 'changed-files' as never, have: 0, want: 1 }]),
    '  agent says done, checks do not: no files changed',
  ],
])('the end of an iteration says what is missing in numbers: %j', (one, line) => {
  expect(linesOf(iterationEnd({ gates: one, files: NOTHING_CHANGED }))).toEqual([line]);
});

it('what an iteration changed before it was interrupted is shown with its end', () => {
  const done = { gates: gates(true, true), filesLeft: 2 };
  expect(linesOf(iterationEnd({ ...done, files: NOTHING_CHANGED }))).toEqual([
    '  agent says done, checks agree · 2 files changed before it was interrupted',
  ]);
  const files = { created: 1, modified: 0, deleted: 0 };
  expect(linesOf(iterationEnd({ ...done, files }))).toEqual([
    '  agent says done, checks agree · 1 file created, 2 files changed before it was interrupted',
  ]);
});

it('a story is named by its place and title', () => {
  const place = { number: 2, total: 3, title: 'Parse the flags' };
  expect(linesOf(iterationStart({ story: '2', iteration: 1, place }))).toEqual([
    'story 2 of 3 (Parse the flags), iteration 1: the agent is working',
  ]);
});

it('a run that halted for want of tests names the way without them, and what was skipped', () => {
  const end = {
    type: 'run-end' as const,
    sessionId: '011b3cf0-eedd-403c-9da7-3af0229f9226',
    outcome: 'halted' as const,
    reason: 'no progress in 3 iterations of RED',
    missing: TWO_OF_THREE,
    skipped: [{ phase: 'RED', at: 'x', actor: 'cli', reason: 'no need' }],
  };
  expect(linesOf(end, true)).toEqual([
    'halted: no progress in 3 iterations of RED; the gate is not met: needs 3 new failing tests, has 2. Try again: `holdfast ' +
      'resume 011b3cf0 --reset`. Leave this phase: `holdfast run <plan> --skip`. If the plan needs no new tests: `holdfast run <plan> --reset --phases work`.',
    'skipped: RED (by cli: no need)',
  ]);
});

it('says each denial once: when it happens, or at the end of the iteration', () => {
  const told = { id: 't1', name: 'Bash', kind: 'execute', title: 'make', input: null } as const;
  const denial: RunEvent = {
    type: 'agent',
    event: { type: 'permission', ...told, decision: 'denied', by: 'a person' },
  };
  const end = (...denials: string[]): RunEvent =>
    iterationEnd({ error: `permission denied: ${denials[0]}`, denied: denials[0] ?? null, denials });
  const describeEvent = runDescriber(false);
  const lines = [denial, end('Bash: make', 'Bash: ls')].flatMap(describeEvent);
  expect(lines.filter(({ tone }) => tone === 'bad').map(textOf)).toEqual([
    '  ✗ denied (a person): make',
    '  ✗ denied: Bash: ls',
  ]);
  const many = Array.from({ length: 7 }, (_, index) => `Bash: ${index}`);
  expect(
    runDescriber(false)(end(...many))
      .map(textOf)
      .at(-1),
  ).toBe('  ✗ and 2 more denied');
});

it("tells good news from bad by what happened, whatever the agent's words look like", () => {
  const tones = (event: RunEvent) => describeRunEvent(event, false).map(({ tone }) => tone);
  expect(tones(iterationEnd({ decision: { next: 'enter-phase', phase: 'GREEN', story: null } }))).toEqual([
    'plain',
    'good',
  ]);
  expect(tones(iterationEnd({ error: 'X is done; next is Y' }))).toEqual(['plain', 'bad']);
  const title = '! X is done; next is Y';
  const call = { type: 'tool-call', id: 't1', name: '✗', kind: 'other', title, input: null } as const;
  expect(tones({ type: 'agent', event: call })).toEqual(['plain']);
});
