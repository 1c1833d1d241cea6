import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import { keysOf } from '../../../test/support/inbox-world.js';
import {
  agent,
  iterationEnd,
  iterationStart,
  question,
  runStart,
  standing,
  toolCall,
} from '../../../test/support/run-events.js';
import type { RunViewEffect } from '../../models/run-view/index.js';
import type { RunEvent } from '../../run/index.js';
import { describeRunEvent } from '../../run/journal/describe-run.js';
import type { Size } from '../use-size.js';
import { widthOfRow } from './cells.js';
import { withWords } from './event-words.js';
import { liveRows, maxLiveRows } from './rows.js';
import { type TerminalEvent, updateTerminal } from './terminal-run.js';
import { initialRun, type TerminalRun } from './terminal-state.js';

const START_MS = Date.parse('2026-03-01T12:00:00.000Z');
const SIZE: Size = { columns: 80, rows: 24 };
const ID = '7b7d1682-0000-4000-8000-000000000000';

const happened = (event: RunEvent, atMs = 0): TerminalEvent =>
  withWords(event, (one) => describeRunEvent(one, true), START_MS + atMs);
const tick = (atMs: number): TerminalEvent => ({ type: 'tick', nowMs: START_MS + atMs });

function stateAfter(...events: (RunEvent | TerminalEvent)[]): TerminalRun {
  return play(...events).state;
}

function play(...events: (RunEvent | TerminalEvent)[]): { state: TerminalRun; effects: RunViewEffect[] } {
  let state = initialRun(START_MS);
  const effects: RunViewEffect[] = [];
  for (const event of events) {
    const [next, more] = updateTerminal(state, isOurs(event) ? event : happened(event));
    state = next;
    effects.push(...more);
  }
  return { state, effects };
}

const OURS = ['run', 'tick', 'key', 'stopping', 'left', 'question-read', 'question-settled', 'noted', 'told'];
const isOurs = (event: RunEvent | TerminalEvent): event is TerminalEvent => OURS.includes(event.type);
const press = (...names: string[]) => keysOf(...names).map((key): TerminalEvent => ({ type: 'key', key }));

function screen(state: TerminalRun, size: Size = SIZE): string {
  return liveRows(state, size)
    .map((row) => row.map(({ text }) => text).join(''))
    .join('\n');
}

const kept = (state: TerminalRun) => state.kept.map(({ text }) => text);

describe('how a run stands', () => {
  it('shows the plan, the agent and how long it has been running', () => {
    const state = stateAfter(runStart(), tick(754_000));
    expect(screen(state)).toMatch(/^── docs\/prps\/adder\.md with player ─+ 12m 34s ──$/m);
  });

  it('marks the phases done and the current one', () => {
    expect(screen(stateAfter(runStart(), standing()))).toContain('RED ✓ · GREEN ● · REFACTOR · DOCUMENT');
  });

  it('shows how many stories are done and the current one', () => {
    const state = stateAfter(
      runStart({ stories: 6, phases: ['STORY'], story: '1' }),
      standing({ story: '3', phase: 'STORY', completed: ['1', '2'] }),
      iterationStart({ story: '3', title: 'add-login: Sign in' }),
    );
    expect(screen(state)).toMatch(/^stories {4}███░+ 2 of 6 done · 3 ● add-login: Sign in$/m);
  });

  it('draws the tests over time, those before a restart included', () => {
    const state = stateAfter(
      runStart({
        tests: [
          { passing: 0, total: 9 },
          { passing: 3, total: 9 },
        ],
      }),
      standing(),
      iterationEnd(),
    );
    expect(screen(state)).toMatch(/^tests {6}▁▃▆ 7 of 9 /m);
  });

  it('says so when the checks gave no numbers, and then shows no old ones', () => {
    const state = stateAfter(
      runStart(),
      iterationEnd(),
      iterationStart(),
      { type: 'verify-end', command: 'npm test', exitCode: 2, tests: null, durationMs: 5 },
      iterationEnd({ tests: null }),
    );
    expect(screen(state)).toContain('exit code 2, no numbers');
    expect(screen(state)).not.toContain('7 of 9');
  });

  it.each([
    ['closed', {}],
    ['closed, no progress 2 of 3', { noProgress: { count: 2, limit: 3 } }],
    ['half open, same error 4 of 5', { state: 'HALF_OPEN', sameError: { count: 4, limit: 5 } }],
    ['open: no progress', { state: 'OPEN', reason: 'no progress' }],
  ] as const)('tells that the breaker is %s', (words, breaker) => {
    const usual = {
      state: 'CLOSED',
      reason: null,
      noProgress: { count: 0, limit: 3 },
      sameError: { count: 0, limit: 5 },
    } as const;
    expect(screen(stateAfter(standing({ breaker: { ...usual, ...breaker } })))).toContain(words);
  });

  it('has a gauge for the calls of the hour and for each budget that is set', () => {
    const budget = { iterations: 20, activeMs: 7_200_000, tokens: 1_000_000, costUsd: 10 };
    const shown = screen(stateAfter(runStart(), standing({ budget })));
    expect(shown).toContain('12 of 100 an hour');
    expect(shown).toMatch(/iterations █░+ 2 of 20/);
    expect(shown).toMatch(/time {7}█░+ 1m of 2h/);
    expect(shown).toMatch(/tokens {5}█░+ 120k of 1M/);
    expect(shown).toMatch(/cost {7}█░+ \$1\.20 of \$10/);
    expect(screen(stateAfter(runStart(), standing()))).not.toContain('cost');
  });

  it('counts the time of an iteration while it runs, but not while it waits for a person', () => {
    const budget = { activeMs: 7_200_000 };
    const before = [runStart(), standing({ budget }), happened(iterationStart(), 0)];
    const asked = happened(question(ID, 'Numbers'), 120_000);
    const settled = { type: 'question-settled', id: ID, outcome: 'completed', nowMs: START_MS + 900_000 };
    expect(screen(stateAfter(...before, tick(120_000)))).toContain('3m of 2h');
    expect(screen(stateAfter(...before, asked, tick(600_000)))).toContain('3m of 2h');
    const goesOn = stateAfter(...before, asked, settled as TerminalEvent, tick(960_000));
    expect(screen(goesOn)).toContain('4m of 2h');
  });

  it('knows how full the context is, from the agent or from the standing', () => {
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null };
    const told = agent({
      type: 'usage',
      usage: { ...usage, contextTokens: 50_000, contextWindow: 200_000 },
    });
    expect(screen(stateAfter(runStart(), standing()))).toContain('not known yet');
    expect(screen(stateAfter(runStart(), standing({ contextPercent: 34 })))).toContain('34 %');
    expect(screen(stateAfter(runStart(), standing(), told))).toContain('25 %');
  });
});

describe('what the agent does', () => {
  it('is shown in a line, with how long it has taken so far', () => {
    const state = stateAfter(
      runStart(),
      iterationStart(),
      happened(toolCall('Bash', 'npm test')),
      tick(12_000),
    );
    expect(screen(state)).toMatch(/^now {8}→ Bash npm test 12s$/m);
  });

  it('shows the last lines that it said, without its status block', () => {
    const said = 'First.\n\nSecond.\n---PRP_PHASE_STATUS---\nSTATUS: COMPLETE\n---END_PRP_PHASE_STATUS---\n';
    const shown = screen(stateAfter(runStart(), iterationStart(), agent({ type: 'text', text: said })));
    expect(shown).toMatch(/^says {7}First\.\n {11}Second\.$/m);
    expect(shown).not.toContain('STATUS');
  });

  it('joins what is streamed, and starts a line after something else', () => {
    const say = (text: string) => agent({ type: 'text', text });
    const shown = screen(
      stateAfter(
        runStart(),
        iterationStart(),
        say('One lo'),
        say('ng line.'),
        toolCall('Read', 'a'),
        say('Two.'),
      ),
    );
    expect(shown).toContain('One long line.\n           Two.');
  });

  it('keeps no more of a flood than a screen can show', () => {
    const text = 'x'.repeat(100_000);
    const events = Array.from({ length: 50 }, () => agent({ type: 'text', text }));
    expect(stateAfter(runStart(), ...events).said.length).toBeLessThan(10_000);
  });
});

describe('waits', () => {
  it('say for what and until when, and count down', () => {
    const until = new Date(START_MS + 3_600_000).toISOString();
    const waiting: RunEvent = {
      type: 'waiting',
      cause: 'quota',
      scope: 'weekly',
      words: 'soon',
      until,
    };
    const clock = new Date(until).toTimeString().slice(0, 8);
    const state = stateAfter(runStart(), standing(), waiting, tick(3_558_000));
    expect(screen(state)).toContain(`waits      42s, until ${clock}: the agent's weekly limit is used up`);
    expect(screen(stateAfter(runStart(), standing(), waiting, standing()))).not.toContain('waits ');
  });

  it('a pause says why and how to continue', () => {
    const paused = standing({ status: 'paused', reason: 'requested' });
    const waiting: RunEvent = { type: 'waiting', cause: 'paused', words: 'requested', until: null };
    expect(screen(stateAfter(runStart(), paused, waiting))).toContain('paused     requested; p continues');
  });

  it('a question says what it is about and which key answers it, until it is settled', () => {
    const asked = stateAfter(runStart(), standing(), iterationStart(), question(ID, 'Numbers'));
    expect(screen(asked)).toContain('waits      for your answer');
    expect(screen(asked)).toContain('question   Numbers   (press a)');
    const [settled] = updateTerminal(asked, {
      type: 'question-settled',
      id: ID,
      outcome: 'completed',
      nowMs: START_MS,
    });
    expect(screen(settled)).not.toContain('Numbers');
    expect(kept(settled).at(-1)).toBe('  question 7b7d1682 was answered');
  });

  it('an answer is told once: not again while the agent has yet to hear it, nor after a restart', () => {
    const open = standing({ openQuestions: [ID] });
    const asked = stateAfter(runStart(), standing(), iterationStart(), question(ID, 'Numbers'));
    const settle = { type: 'question-settled', id: ID, outcome: 'completed', nowMs: START_MS } as const;
    const [settled] = updateTerminal(asked, settle);
    const [again] = updateTerminal(settled, { type: 'run', event: open, lines: [], nowMs: START_MS });
    expect(again.questions).toEqual([]);
    const [restarted] = updateTerminal(stateAfter(runStart(), open), { ...settle, isOld: true });
    expect(restarted.questions).toEqual([]);
    expect(kept(restarted).join()).not.toContain('was answered');
  });

  it('a question from before a restart is known by its id until it was read', () => {
    const state = stateAfter(runStart(), standing({ openQuestions: [ID] }));
    expect(screen(state)).toContain('question   7b7d1682   (press a)');
    const [read] = updateTerminal(state, { type: 'question-read', question: { id: ID, prompt: 'Numbers' } });
    expect(screen(read)).toContain('question   Numbers   (press a)');
  });
});

describe('what stays in the scrollback', () => {
  it('is a few lines for each iteration, and nothing of what the agent says meanwhile', () => {
    const state = stateAfter(
      runStart(),
      iterationStart(),
      toolCall('Bash', 'npm test'),
      agent({ type: 'text', text: 'Hello' }),
      iterationEnd({ decision: { next: 'enter-phase', phase: 'REFACTOR', story: null } }),
    );
    expect(kept(state)).toEqual([
      'run 3f2a1b2c started: docs/prps/adder.md with player',
      'GREEN 2: 7 of 9 tests pass, 1m 3s',
      '  not done: all tests pass · 1 file created, 2 files modified',
      'GREEN is done; next is REFACTOR',
    ]);
  });

  it('has the warnings that were written across the screen, as visible text', () => {
    const state = stateAfter({ type: 'noted', text: 'warning \u001b[2J gone' });
    expect(kept(state)).toEqual(['warning ^[[2J gone']);
  });
});

describe('keys', () => {
  it('p pauses, and resumes when paused', () => {
    expect(play(runStart(), standing(), ...press('p')).effects).toEqual([
      { do: 'request', request: { kind: 'pause' } },
    ]);
    const paused = standing({ status: 'paused' });
    expect(play(runStart(), paused, ...press('p')).effects).toEqual([
      { do: 'request', request: { kind: 'resume' } },
    ]);
  });

  it('p pressed again before the run has taken it asks for the opposite', () => {
    expect(play(runStart(), standing(), ...press('p', 'p')).effects).toEqual([
      { do: 'request', request: { kind: 'pause' } },
      { do: 'request', request: { kind: 'resume' } },
    ]);
  });

  it('g sends what is typed, and nothing when it is left or empty', () => {
    expect(play(runStart(), ...press('g', 'use s', 'q', 'lite', 'enter')).effects).toEqual([
      { do: 'request', request: { kind: 'guidance', text: 'use sqlite' } },
    ]);
    expect(play(runStart(), ...press('g', 'x', 'escape', 'g', 'enter')).effects).toEqual([]);
  });

  it('letters that arrive together are separate keys', () => {
    expect(play(runStart(), ...press('sny', 'gp'), ...press('enter')).effects).toEqual([
      { do: 'request', request: { kind: 'guidance', text: 'p' } },
    ]);
  });

  it('s stops only after a yes', () => {
    expect(play(runStart(), ...press('s', 'n', 's', 'escape', 'y')).effects).toEqual([]);
    expect(play(runStart(), ...press('s', 'y')).effects).toEqual([
      { do: 'request', request: { kind: 'stop' } },
    ]);
  });

  it('a opens the first question, and says so when there is none', () => {
    expect(play(runStart(), question(ID, 'Numbers'), ...press('a')).effects).toEqual([
      { do: 'answer', id: ID },
    ]);
    expect(screen(stateAfter(runStart(), ...press('a')))).toContain('No question is open.');
  });

  it('says when the process of a run is gone, and stops the clock', () => {
    const killed = [runStart(), standing(), iterationStart(), { type: 'left' } as const];
    const later = stateAfter(...killed, tick(60_000));
    expect(screen(later)).toMatch(/^── .* left ──$/m);
    expect(screen(later)).toMatch(/^now {8}no process runs it; p resumes it$/m);
    expect(screen(later)).toContain('p resume · g guide');
    expect(screen(later)).toBe(screen(stateAfter(...killed)));
  });

  it('the clock of a run that has ended stands still', () => {
    const ended = { type: 'run-end', sessionId: ID, outcome: 'completed', reason: null } as const;
    const events = [runStart(), standing(), iterationStart(), happened(ended)];
    expect(screen(stateAfter(...events, tick(600_000)))).toBe(screen(stateAfter(...events)));
  });

  it('Ctrl+C interrupts whatever the keyboard is for', () => {
    for (const before of [[], ['g', 'x'], ['s'], ['?']])
      expect(play(runStart(), ...press(...before, 'ctrl-c')).effects).toEqual([{ do: 'interrupt' }]);
    expect(play({ type: 'stopping' }, ...press('p', 'ctrl-c')).effects).toEqual([{ do: 'interrupt' }]);
  });

  it('? shows what they do, and hides it', () => {
    expect(screen(stateAfter(runStart(), ...press('?')))).toContain('p pauses');
    const small = screen(stateAfter(runStart(), standing(), ...press('?')), { columns: 60, rows: 12 });
    expect(small).toMatch(/^keys {7}a answers(?:.|\n)*s stops(?:.|\n)*\? hide$/m);
    expect(screen(stateAfter(runStart(), ...press('?', '?')))).not.toContain('p pauses');
  });

  it('a notice about a key disappears after a moment', () => {
    const told = stateAfter(runStart(), standing(), ...press('p'));
    expect(screen(told)).toContain('Pausing …');
    const [later] = updateTerminal(told, tick(10_000));
    expect(screen(later)).toContain('p continue');
  });
});

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  fc.constantFrom(
    '\u001b[2J',
    '\u202e\u0007\r\n',
    '漢字'.repeat(200),
    '👩‍👩‍👧‍👦'.repeat(50),
    'x'.repeat(100_000),
  ),
);
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  fc
    .record({
      plan: hostile,
      agent: hostile,
      phases: fc.array(hostile, { maxLength: 8 }),
      stories: fc.option(fc.nat(20)),
    })
    .map(runStart),
  fc
    .record({ phase: hostile, story: fc.option(hostile), reason: fc.option(hostile) })
    .map(({ reason, ...rest }) =>
      standing({ ...rest, reason, status: reason === null ? 'running' : 'paused' }),
    ),
  fc.record({ title: hostile, story: fc.option(hostile) }).map(iterationStart),
  fc.record({ phase: hostile, error: fc.option(hostile), denials: fc.array(hostile) }).map(iterationEnd),
  hostile.map((text) => agent({ type: 'text', text })),
  hostile.map((text) => toolCall(text, text)),
  hostile.map((message) => agent({ type: 'error', message, status: null })),
  hostile.map((command): RunEvent => ({ type: 'verify-start', command })),
  fc
    .record({ words: hostile, scope: hostile, until: fc.constantFrom('2026-03-01T13:00:00.000Z', 'never') })
    .map((wait): RunEvent => ({ type: 'waiting', cause: 'quota', ...wait })),
  hostile.map((words): RunEvent => ({ type: 'waiting', cause: 'paused', words, until: null })),
  fc.tuple(fc.uuid(), hostile).map(([id, title]) => question(id, title)),
  hostile.map((reason): RunEvent => ({ type: 'run-end', sessionId: ID, outcome: 'halted', reason })),
);
const anyKey = fc
  .constantFrom(
    'p',
    'g',
    'a',
    's',
    '?',
    'y',
    'enter',
    'escape',
    'paste:\u001b[2J\u0007漢字\nx',
    'newline',
    'left',
  )
  .map((name) => press(name)[0] as TerminalEvent);
const anySize = fc.record({
  columns: fc.integer({ min: 20, max: 220 }),
  rows: fc.integer({ min: 8, max: 60 }),
});

describe('whatever happens', () => {
  it('shows its keys on the smallest screen, whatever else has no room', () => {
    const questions = [1, 2, 3].map((number) => question(`${number}${ID.slice(1)}`, 'Numbers'));
    const crowded = stateAfter(runStart(), standing(), ...questions, ...press('g', 'words '.repeat(40)));
    const rows = screen(crowded, { columns: 40, rows: 8 }).split('\n');
    expect(rows).toHaveLength(7);
    expect(rows.at(-1)).toBe('Enter sends it · Esc does not');
  });

  it('no row is wider than the screen or has a control character, and the frame leaves a row free', () => {
    const property = fc.property(
      fc.array(fc.oneof(anyEvent, anyKey), { maxLength: 12 }),
      anySize,
      (events, size) => {
        const state = stateAfter(...events);
        const rows = liveRows(state, size);
        expect(rows.length).toBeLessThanOrEqual(maxLiveRows(size.rows));
        for (const row of rows) {
          expect(widthOfRow(row)).toBeLessThanOrEqual(size.columns);
          expect(row.map(({ text }) => text).join('')).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
        }
        for (const { text } of state.kept) expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

describe('the gate of the phase', () => {
  it('says in numbers what is missing, and whether the agent says done', () => {
    const missing = [{ what: 'new-failing-tests' as const, have: 2, want: 3 }];
    const shown = (gate: { missing: typeof missing; isSignalled: boolean } | null) =>
      screen(stateAfter(runStart(), standing({ gate })));
    expect(shown({ missing, isSignalled: true })).toMatch(
      /^gate +agent says done, checks do not: needs 3 new failing tests, has 2$/m,
    );
    expect(shown({ missing, isSignalled: false })).toMatch(
      /^gate +not met: needs 3 new failing tests, has 2$/m,
    );
    expect(shown(null)).not.toMatch(/^gate/m);
  });

  it('of a phase that was skipped is not said to be met', () => {
    const skipped = ['RED'];
    expect(screen(stateAfter(runStart(), standing({ completed: [], skipped })))).toContain(
      'RED skipped · GREEN ●',
    );
  });

  it('a story is shown by its place and title', () => {
    const place = { number: 2, total: 3, title: 'Parse the flags' };
    const events = [runStart({ stories: 3 }), standing({ story: '2', completed: ['1'] })];
    expect(screen(stateAfter(...events, iterationStart({ story: '2', place })))).toMatch(
      /^stories .*1 of 3 done · story 2 of 3 ● Parse the flags$/m,
    );
  });
});
