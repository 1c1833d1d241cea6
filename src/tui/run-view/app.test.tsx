import { stripVTControlCharacters } from 'node:util';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENT } from '../../../test/support/deadlines.js';
import { FakeTerminal } from '../../../test/support/fake-terminal.js';
import { ATTACKS } from '../../../test/support/hostile-text.js';
import { keysOf } from '../../../test/support/inbox-world.js';
import { type QuestionWorld, question, questionWorld } from '../../../test/support/question-world.js';
import {
  agent,
  question as asks,
  iterationEnd,
  iterationStart,
  runStart,
  standing,
  toolCall,
} from '../../../test/support/run-events.js';
import type { RunEvent } from '../../run/index.js';
import { describeRunEvent } from '../../run/journal/describe-run.js';
import type { LoopRequestInput } from '../../sessions/loop/index.js';
import { allowStyles } from '../colors.js';
import type { SizedStream } from '../use-size.js';
import { widthOf } from '../wrap.js';
import { RunViewApp } from './app.js';
import { RunViewController } from './controller.js';

allowStyles();
afterEach(cleanup);

/** The view over its own question sessions, as the run's process would have them. */
function show(world: QuestionWorld, options: { columns?: number; rows?: number; hasColor?: boolean } = {}) {
  const terminal = new FakeTerminal(options.columns ?? 80, options.rows ?? 24);
  const sent: LoopRequestInput[] = [];
  let interrupts = 0;
  const controller = new RunViewController({
    questions: world.other().sessions,
    clock: world.clock,
    send: async (request) => void sent.push(request),
    interrupt: () => {
      interrupts += 1;
    },
    describe: (event) => describeRunEvent(event, true),
  });
  onTestFinished(() => controller.stop());
  controller.start();
  const { lastFrame } = render(
    <RunViewApp
      controller={controller}
      clock={world.clock}
      terminal={terminal as unknown as SizedStream}
      hasColor={options.hasColor ?? true}
    />,
  );
  const text = () => stripVTControlCharacters(lastFrame() ?? '');
  const until = (prove: () => void) => vi.waitFor(prove, PATIENT);
  return {
    terminal,
    sent,
    until,
    interrupts: () => interrupts,
    raw: () => lastFrame() ?? '',
    text,
    lines: () => text().split('\n'),
    seen: (wanted: string | RegExp) => until(() => expect(text()).toMatch(wanted)),
    play: (...events: RunEvent[]) => {
      for (const event of events) controller.show(event);
    },
    press: (...names: string[]) => {
      for (const key of keysOf(...names)) controller.press(key);
    },
  };
}

const BUDGET = { iterations: 20, activeMs: 7_200_000, tokens: 1_000_000, costUsd: 10 };
const RUN = [runStart(), standing({ budget: BUDGET }), iterationStart(), toolCall('Bash', 'npm test')];

describe('the live view', () => {
  it.each([
    [60, 12],
    [80, 24],
    [120, 30],
    [200, 50],
  ])('fits %i columns and %i rows, with the keys at its end', async (columns, rows) => {
    await using world = await questionWorld();
    const view = show(world, { columns, rows });
    view.play(...RUN, agent({ type: 'text', text: 'a\nb\nc\nd\ne' }));
    await view.seen('the agent is writing');
    const live = view.lines().slice(view.lines().findIndex((line) => line.startsWith('──')));
    expect(live.length).toBeLessThan(rows);
    for (const line of live) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(widthOf(live[0] ?? '')).toBe(columns);
    expect(live.at(-1)).toBe('p pause · g guide · s stop · ? keys');
    expect(view.text()).toContain('RED ✓ · GREEN ● · REFACTOR · DOCUMENT');
  });

  it('writes finished events above itself, once', async () => {
    await using world = await questionWorld();
    const view = show(world);
    view.play(...RUN, iterationEnd());
    await view.seen('GREEN 2: 7 of 9 tests pass, 1m 3s');
    view.play(iterationStart({ iteration: 3 }), iterationEnd({ iteration: 3 }));
    await view.seen('GREEN 3: 7 of 9 tests pass');
    expect(view.text().match(/GREEN 2:/g)).toHaveLength(1);
    const [first = 0, second = 0] = ['GREEN 3:', '── docs'].map((start) =>
      view.lines().findIndex((line) => line.startsWith(start)),
    );
    expect(first).toBeLessThan(second);
  });

  it('follows the size of the terminal', async () => {
    await using world = await questionWorld();
    const view = show(world, { columns: 120, rows: 40 });
    view.play(...RUN);
    await view.seen('npm test');
    view.terminal.columns = 60;
    view.terminal.rows = 12;
    view.terminal.emit('resize');
    await view.until(() => {
      const live = view.lines().slice(view.lines().findIndex((line) => line.startsWith('──')));
      expect(widthOf(live[0] ?? '')).toBe(60);
      expect(live.length).toBeLessThan(12);
    });
  });

  it('uses no colour if none is wanted', async () => {
    await using world = await questionWorld();
    const view = show(world, { hasColor: false });
    view.play(...RUN);
    await view.seen('GREEN ●');
    expect(view.raw()).not.toMatch(/\u001b\[(?:3\d|9\d|38;)/);
  });

  it('shows hostile text as text, in its row', async () => {
    await using world = await questionWorld();
    const view = show(world);
    view.play(...RUN);
    for (const text of ATTACKS) {
      view.play(agent({ type: 'text', text: `${text}\n` }), toolCall(text, text));
      view.play(asks('7b7d1682-0000-4000-8000-000000000000', text), iterationEnd({ error: text }));
    }
    await view.seen('GREEN 2:');
    expect(view.raw().replaceAll(/\u001b\[[\d;]*m/g, '')).not.toMatch(/[^\P{Cc}\n]/u);
    for (const line of view.lines()) expect(widthOf(line)).toBeLessThanOrEqual(80);
  });
});

describe('a question in the live view', () => {
  it('is answered in place, and the run is back on the screen', async () => {
    await using world = await questionWorld();
    const view = show(world);
    view.play(...RUN);
    const { id } = await world.sessions.create([question()]);
    view.play(asks(id, 'Which database?'));
    await view.seen('question   Which database?   (press a)');
    view.press('a');
    await view.seen('Question 1 of 1: Database');
    expect(view.text()).toContain('q run');
    view.press('2', 'enter');
    await view.seen('Review');
    view.press('enter');
    await view.seen(`question ${id.slice(0, 8)} was answered`);
    await view.seen(/^now /m);
    expect((await world.sessions.get(id)).outcome).toMatchObject({
      status: 'completed',
      answers: [{ selectedOption: 'SQLite' }],
    });
    expect(view.sent).toEqual([]);
  });

  it('that is left is kept as a draft, and keeps waiting', async () => {
    await using world = await questionWorld();
    const view = show(world);
    view.play(...RUN);
    const { id } = await world.sessions.create([question()]);
    view.play(asks(id, 'Which database?'));
    view.press('a');
    await view.seen('Question 1 of 1');
    view.press('o', 'half a thought', 'escape', 'q');
    await view.seen('question   Which database?   (press a)');
    expect(world.sessions.readDraft(id)?.answers[0]?.text).toBe('half a thought');
  });

  it('that was settled elsewhere leaves, with a line that says so', async () => {
    await using world = await questionWorld();
    const view = show(world);
    const { id } = await world.sessions.create([question({ prompt: 'Earlier?' })]);
    view.play(runStart({ isResumed: true }), standing({ openQuestions: [id] }));
    await view.seen('question   Earlier?   (press a)');
    await world.sessions.reject(id, 'no');
    await view.seen(`question ${id.slice(0, 8)} was rejected`);
    expect(view.text()).not.toContain('(press a)');
  });

  it('Ctrl+C is meant for the run even while one is open', async () => {
    await using world = await questionWorld();
    const view = show(world);
    const { id } = await world.sessions.create([question()]);
    view.play(...RUN, asks(id, 'Database'));
    view.press('a');
    await view.seen('Question 1 of 1');
    view.press('ctrl-c');
    expect(view.interrupts()).toBe(1);
  });
});

describe('a request to the run', () => {
  it('is sent as the commands send it', async () => {
    await using world = await questionWorld();
    const view = show(world);
    view.play(...RUN);
    view.press('p', 'g', 'be short', 'enter', 's', 'y');
    expect(view.sent).toEqual([{ kind: 'pause' }, { kind: 'guidance', text: 'be short' }, { kind: 'stop' }]);
  });
});
