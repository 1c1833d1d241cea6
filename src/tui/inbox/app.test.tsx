import { stripVTControlCharacters } from 'node:util';
import { cleanup, render } from 'ink-testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { FakeTerminal } from '../../../test/support/fake-terminal.js';
import { asked, keysOf, setOf, settledAs } from '../../../test/support/inbox-world.js';
import { countSegmented } from '../../../test/support/work.js';
import { permissionAsker, type QuestionView } from '../../sessions/question/index.js';
import { allowStyles } from '../colors.js';
import type { SizedStream } from '../use-size.js';
import { widthOf } from '../wrap.js';
import { InboxApp } from './app.js';
import { type TerminalEvent, updateTerminal } from './terminal-inbox.js';
import { INITIAL_INBOX, type TerminalInbox } from './terminal-state.js';

allowStyles();
afterEach(cleanup);

/** The app over a state into which a test plays events. */
function show(options: { columns?: number; rows?: number; hasColor?: boolean } = {}) {
  const terminal = new FakeTerminal(options.columns ?? 80, options.rows ?? 24);
  const listeners = new Set<() => void>();
  let state: TerminalInbox = INITIAL_INBOX;
  const play = (...events: TerminalEvent[]) => {
    for (const event of events) [state] = updateTerminal(state, event);
    for (const listener of listeners) listener();
  };
  const controller = {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot: () => state,
    limitScroll: (limit: number, rows: number) => {
      if (state.scroll > limit || state.pageRows !== rows) play({ type: 'scroll-limit', limit, rows });
    },
    noteRead: (id: string) => {
      if (state.open?.isRead === false) play({ type: 'read', id });
    },
  };
  const { lastFrame } = render(
    <InboxApp
      controller={controller}
      clock={new FakeClock({ now: '2026-03-01T12:00:00.000Z' })}
      terminal={terminal as unknown as SizedStream}
      hasColor={options.hasColor ?? true}
    />,
  );
  return {
    terminal,
    /** Plays events and waits for React. */
    async play(...events: TerminalEvent[]) {
      play(...events);
      await settle();
    },
    async press(...presses: string[]) {
      play(...keysOf(...presses).map((key): TerminalEvent => ({ type: 'key', key })));
      await settle();
    },
    raw: () => lastFrame() ?? '',
    lines: () => stripVTControlCharacters(lastFrame() ?? '').split('\n'),
    /** The same as one line. */
    words: () => stripVTControlCharacters(lastFrame() ?? '').replaceAll(/\s+/g, ' '),
    text: () => stripVTControlCharacters(lastFrame() ?? ''),
    state: () => state,
  };
}

/** React renders in a separate task. */
const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const listed = (pending: readonly QuestionView[]): TerminalEvent => ({
  type: 'listed',
  pending,
  departures: [],
});
const opened = (view: QuestionView): TerminalEvent => ({ type: 'opened', view, draft: undefined });

const LONG = 'A sentence that goes on about the load test, the tables and the backups at night. ';
const ABOUT = 'It is the one that the billing service runs on, with its own backups. '.repeat(3);
const two = setOf(2, {
  questions: [
    asked({
      title: 'Database for orders',
      prompt: `Which **database**?\n\n${LONG.repeat(12)}`,
      options: [
        { label: 'PostgreSQL (Recommended)', description: ABOUT },
        { label: 'SQLite', description: 'one file' },
        { label: LONG },
      ],
    }),
    asked({ title: 'Checks', options: [{ label: 'Unit' }, { label: '日本語' }], multiSelect: true }),
  ],
});
const answered = settledAs(two, {
  status: 'completed',
  answers: [
    { questionIndex: 0, selectedOption: 'SQLite', timestamp: two.createdAt },
    { questionIndex: 1, selectedOptions: ['Unit'], customText: LONG.repeat(4), timestamp: two.createdAt },
  ],
  at: two.createdAt,
  late: false,
});

const SIZES = [
  [80, 24],
  [40, 10],
  [20, 8],
] as const;

/** Every screen: how to get there, how its first line starts, how its last one ends, what must be seen. */
const SCREENS: [string, TerminalEvent[], string[], { title: string; keys: string; seen: RegExp }][] = [
  [
    'the empty list',
    [listed([])],
    [],
    { title: 'Holdfast inbox', keys: '? keys', seen: /Nothing is waiting/ },
  ],
  ['the list', [listed([setOf(1), two])], ['j'], { title: 'Holdfast inbox', keys: '? keys', seen: / › 1 h/ }],
  ['a question', [opened(two)], ['j'], { title: 'Question 1', keys: '? keys', seen: / › \( \) 2 SQLite/ }],
  [
    'a question with several',
    [opened(two)],
    ['tab', '2'],
    { title: 'Question 2', keys: '? keys', seen: / › \[x\] 2 日本語/ },
  ],
  [
    'own words',
    [opened(two)],
    ['o', 'mine, in my own words'],
    { title: 'Question 1', keys: 'Esc stop typing', seen: /n words / },
  ],
  [
    'a fault',
    [opened(two)],
    ['o', 'enter'],
    { title: 'Question 1', keys: 'Esc stop typing', seen: /Type your own/ },
  ],
  [
    'the review',
    [opened(two)],
    ['1', 'tab', '1', 'tab'],
    { title: 'Review', keys: 'Enter send', seen: / 1 Database/ },
  ],
  [
    'a rejection',
    [opened(two)],
    ['escape'],
    { title: 'Reject this question', keys: 'y reject', seen: /rejected it/ },
  ],
  [
    'its reason',
    [opened(two)],
    ['escape', 'y', 'too early'],
    { title: 'Reject this question', keys: 'Enter reject', seen: /│ too early/ },
  ],
  [
    'what became of it',
    [opened(two), { type: 'settled-elsewhere', view: answered }],
    [],
    { title: 'Answered elsewhere', keys: 'Enter or Esc: back', seen: /while you/ },
  ],
  ['the help', [listed([two])], ['?'], { title: 'Keys', keys: 'back', seen: /move between/ }],
];

it('the review of a permission says that own words deny it', async () => {
  const options = [{ label: 'Allow once' }, { label: 'Deny' }];
  const asker = permissionAsker({ agent: 'claude' });
  const app = show();
  await app.play(opened(setOf(3, { questions: [asked({ title: 'Permission', options })], asker })));
  await app.press('o', 'yes, go on', 'tab');
  expect(app.text()).toMatch(/^ *→ Denied, and told: yes, go on$/m);
});

describe.each(SIZES)('at %i columns and %i rows', (columns, rows) => {
  it.each(SCREENS)('%s fits, with its frame whole', async (_name, events, presses, { title, keys, seen }) => {
    const app = show({ columns, rows });
    await app.play(...events);
    await app.press(...presses);
    const lines = app.lines();
    expect(lines.length, 'one row stays free').toBe(rows - 1);
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
    expect(lines[0]?.startsWith(title.slice(0, Math.floor(columns / 2) - 1)), lines[0]).toBe(true);
    expect(lines.at(-1)?.trimEnd().endsWith(keys.slice(-columns)) ?? false, lines.at(-1)).toBe(true);
    expect(app.words()).toMatch(seen);
  });

  it('shows the end of what is being typed, and the cursor', async () => {
    const app = show({ columns, rows });
    await app.play(opened(two));
    await app.press('o', `paste:${LONG.repeat(4)}\n\nthe end`);
    expect(app.text()).toContain('the end');
    expect(app.raw()).toMatch(/the end.*\x1b\[7m \x1b\[27m/);
    await app.press('left', 'left', 'left');
    expect(app.raw()).toMatch(/\x1b\[7me\x1b\[27m/);
  });

  it('scrolls the prompt, the review, the outcome and the help to their ends, and back at once', async () => {
    const app = show({ columns, rows });
    await app.play(opened(two));
    const down = Array.from({ length: 40 }, () => 'page-down');
    await app.press(...down);
    expect(app.text()).toMatch(/night\./);
    const end = app.state().scroll;
    await app.press('page-up');
    const { scroll, pageRows } = app.state();
    expect(end - scroll, 'nearly a page').toBeGreaterThanOrEqual(Math.min(end, pageRows - 1));
    await app.press('1', 'tab', 'o', LONG.repeat(6), 'tab', ...down);
    expect(app.text()).toMatch(/night\. *$/m);
    await app.press('?', ...down);
    expect(app.words()).toMatch(/a word forward/);
  });
});

describe('the list', () => {
  it('shows who asks, from where, since when, how much, and whether the asker is gone', async () => {
    const app = show();
    await app.play(
      listed([
        setOf(1, { createdAt: '2026-03-01T11:59:30.000Z' }),
        setOf(2, {
          createdAt: '2026-03-01T11:18:00.000Z',
          asker: { agent: 'codex', session: 's-77' },
          isAskerGone: true,
        }),
        setOf(3, {
          createdAt: '2026-02-25T11:18:00.000Z',
          asker: null,
          workingDirectory: null,
          isAskerGone: false,
        }),
      ]),
    );
    expect(app.lines().slice(0, 4)).toEqual([
      'Holdfast inbox                                                 3 waiting for you',
      '› now    claude-code    shop          1?  Which database?                       ',
      '  42 min codex          shop          1?  (gone) Which database?',
      '  4 d    unknown        -             1?  Which database?',
    ]);
    expect(app.lines().at(-2)).toBe('00000001 · claude-code · /home/ada/shop');
    await app.press('j');
    expect(app.lines().at(-2)).toBe('00000002 · codex · session s-77 · /home/ada/shop');
  });

  it('of 500 renders only the visible rows', async () => {
    const touched = new Set<number>();
    const sets = Array.from({ length: 500 }, (_, index) =>
      Object.defineProperty(setOf(index), 'questions', {
        get: () => {
          touched.add(index);
          return [asked({ prompt: `Number ${index}?` })];
        },
      }),
    );
    const app = show();
    await app.play(listed(sets));
    touched.clear();
    await app.press(...Array.from({ length: 250 }, () => 'j'));
    expect(app.text()).toContain('Number 250?');
    expect(touched.size).toBeLessThanOrEqual(20);
    await app.press('G');
    expect(app.lines()[20]).toContain('› 1 h');
    expect(app.lines()[20]).toContain('Number 499?');
  });

  it('of 500 with endless prompts reads only the beginnings that it shows', async () => {
    const prompt = '日本語の長い文章 '.repeat(20_000);
    const app = show();
    await app.play(
      listed(Array.from({ length: 500 }, (_, index) => setOf(index, { questions: [asked({ prompt })] }))),
    );
    using segmented = countSegmented();
    for (let index = 0; index < 20; index++) await app.press('j');
    expect(segmented.total / 20, 'of 90 million characters').toBeLessThan(60_000);
  });
});

describe('a question', () => {
  it('marks what is recommended, chosen and highlighted', async () => {
    const app = show();
    await app.play(opened(two));
    await app.press('2', 'j');
    expect(
      app
        .lines()
        .filter((line) => /^[› ] \(/.test(line))
        .map((line) => line.trimEnd()),
    ).toEqual([
      '  ( ) 1 ★ PostgreSQL (Recommended)',
      '  (•) 2 SQLite',
      `› ( ) 3 ${'A sentence that goes on about the load test, the tables and the backups'}`,
      '  ( ) 4 Other (in your own words)',
    ]);
  });

  it('shows a long label and a long description in full when highlighted', async () => {
    const app = show();
    await app.play(opened(two));
    expect(app.words()).toContain(ABOUT.trim());
    await app.press('j', 'j');
    expect(app.words()).not.toContain(ABOUT.trim());
    expect(app.words()).toMatch(/the billing service.* …/);
    expect(app.words()).toContain(`3 ${LONG.trim()}`);
  });

  it('shows what is wrong right above the options', async () => {
    const app = show();
    await app.play(opened(setOf(1, { questions: [asked({ multiSelect: true })] })));
    await app.press('enter');
    const lines = app.lines();
    const at = lines.findIndex((line) => line.includes('! Choose some with Space'));
    expect(lines[at + 1]).toMatch(/^› \[ \] 1 PostgreSQL/);
  });

  it('says who asks, however long the title is', async () => {
    const app = show();
    await app.play(opened(setOf(1, { questions: [asked({ title: 'trust me '.repeat(40) })] })));
    expect(app.lines()[0]).toMatch(/claude-code in shop, 1 h$/);
  });

  it('has digits for ten rows only', async () => {
    const options = Array.from({ length: 10 }, (_, index) => ({ label: `Choice ${index + 1}` }));
    const app = show();
    await app.play(opened(setOf(1, { questions: [asked({ options })] })));
    expect(app.text()).toMatch(/\( \) 0 Choice 10\n/);
    expect(app.text()).toMatch(/\( \) {3}Other/);
  });

  it('does not lay out an endless prompt anew for every key', async () => {
    const prompt = '日本語の長い文章 '.repeat(20_000);
    const app = show();
    await app.play(opened(setOf(1, { questions: [asked({ prompt })] })));
    using segmented = countSegmented();
    for (let index = 0; index < 20; index++) await app.press('j');
    expect(segmented.total / 20, 'of 180,000 characters').toBeLessThan(20_000);
  });
});

describe('a failure', () => {
  it.each([
    ['a question', [], 'Question 1'],
    ['the review', ['1', 'tab', '1', 'tab'], 'Review'],
    ['a rejection', ['escape', 'y'], 'Reject this'],
  ])('is shown on %s', async (_name, presses, title) => {
    const app = show();
    await app.play(opened(two));
    await app.press(...presses);
    await app.play({ type: 'failed', message: 'The disk is full.' });
    expect(app.lines()[0]).toContain(title);
    expect(app.lines().at(-2)).toBe('The disk is full.');
  });
});

describe('colours', () => {
  const COLOR = /\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/;
  const markdown = setOf(1, { questions: [asked({ prompt: '# Plan\n\nRun `npm test` **now**' })] });

  it.each(SCREENS)('are not used on %s without them', async (_name, events, presses) => {
    const app = show({ hasColor: false });
    await app.play(...events);
    await app.press(...presses);
    expect(app.raw()).not.toMatch(COLOR);
  });

  it('are used with them; the highlight and the cursor are seen without', async () => {
    const colored = show();
    await colored.play(opened(markdown));
    expect(colored.raw()).toMatch(COLOR);
    const plain = show({ hasColor: false });
    await plain.play(listed([markdown, two]));
    expect(plain.raw()).toContain('\x1b[7m› 1 h');
    await plain.play(opened(markdown));
    expect(plain.raw()).not.toMatch(COLOR);
    await plain.press('o', 'x');
    expect(plain.raw()).toContain('x\x1b[7m \x1b[27m');
  });
});

describe('a resize', () => {
  it('is followed at once, in both directions', async () => {
    const app = show();
    await app.play(opened(two));
    for (const [columns, rows] of [
      [40, 12],
      [120, 40],
      [20, 8],
      [80, 24],
    ] as const) {
      app.terminal.resize(columns, rows);
      await settle();
      const lines = app.lines();
      expect(lines).toHaveLength(rows - 1);
      expect(widthOf(lines[0] ?? '')).toBe(columns);
    }
    app.terminal.resize(5, 2);
    await settle();
    expect(app.lines()[0]).toMatch(/^Question/);
  });
});
