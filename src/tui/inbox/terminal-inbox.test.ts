import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, asked, keysOf, setOf, settledAs } from '../../../test/support/inbox-world.js';
import { draftOf, type InboxEffect } from '../../models/inbox/index.js';
import type { Draft, QuestionView } from '../../sessions/question/index.js';
import { editorText } from '../text-editor.js';
import { faultInWords } from './fault-words.js';
import { type TerminalEvent, updateTerminal } from './terminal-inbox.js';
import { INITIAL_INBOX, type TerminalInbox } from './terminal-state.js';

const recommended = asked({
  title: 'Cache',
  options: [{ label: 'None' }, { label: 'Redis (Recommended)' }, { label: 'Memory' }],
});
const several = asked({
  title: 'Checks',
  options: [{ label: 'Unit' }, { label: 'Load' }],
  multiSelect: true,
});

const one = setOf(1);
const three = setOf(2, { questions: [asked(), recommended, several] });
const sets = [one, three, setOf(3)];

const listed = (pending: readonly QuestionView[]): TerminalEvent => ({
  type: 'listed',
  pending,
  departures: [],
});
const opened = (view: QuestionView, draft?: Draft): TerminalEvent => ({ type: 'opened', view, draft });

/** The state after some events, and the effects asked for on the way. */
function played(
  from: TerminalInbox,
  ...events: TerminalEvent[]
): { state: TerminalInbox; effects: InboxEffect[] } {
  const effects: InboxEffect[] = [];
  let state = from;
  for (const event of events) {
    const [next, more] = updateTerminal(state, event);
    state = next;
    effects.push(...more);
  }
  return { state, effects };
}

const press = (...presses: string[]) =>
  keysOf(...presses).map((key): TerminalEvent => ({ type: 'key', key }));

/** The place on screen in a few words: screen, question, highlighted row, what is typed. */
function place({ open, screen, editor, isHelpShown, isBusy }: TerminalInbox): string {
  const words: string[] = [isHelpShown ? 'help' : screen.name];
  if (open !== null && screen.name === 'question') {
    words.push(`q${open.questionIndex + 1}`, `row ${open.row + 1}`);
  }
  if (editor !== null) words.push(`typing "${editorText(editor)}"`);
  return [...words, ...(isBusy ? ['busy'] : [])].join(', ');
}

/** What the person sees about the answer. */
const fault = ({ open }: TerminalInbox) => (open?.fault == null ? null : faultInWords(open.fault));

const list = played(INITIAL_INBOX, listed(sets)).state;
const question = played(list, opened(three)).state;
const at = (...presses: string[]) => played(question, ...press(...presses)).state;

describe('the list', () => {
  it.each<[string[], number]>([
    [[], 0],
    [['down'], 1],
    [['j', 'j'], 2],
    [['jj'], 2],
    [['j', 'k'], 0],
    [['up'], 0],
    [['G'], 2],
    [['end', 'home'], 0],
    [['G', 'g'], 0],
    [['page-down'], 2],
    [['page-down', 'page-up'], 0],
    [['G', 'down'], 2],
    [['paste:jj'], 0],
    [['x', '1', 'unknown', 'ctrl-x'], 0],
  ])('after %j has set %i selected', (presses, index) => {
    const { state, effects } = played(list, ...press(...presses));
    expect(state.selectedId).toBe(sets[index]?.id);
    expect(effects).toEqual([]);
  });

  it.each([
    ['enter', { do: 'open', id: one.id }],
    ['right', { do: 'open', id: one.id }],
    ['q', { do: 'leave' }],
    ['escape', { do: 'leave' }],
    ['ctrl-d', { do: 'leave' }],
    ['ctrl-c', { do: 'leave' }],
  ])('does on %s: %j', (key, effect) => {
    expect(played(list, ...press(key)).effects).toEqual([effect]);
  });

  it('accepts an Enter that was typed before the terminal was ours', () => {
    expect(played(list, ...press('newline')).effects).toEqual(played(list, ...press('enter')).effects);
    expect(played(list, ...press('newline')).effects).not.toEqual([]);
  });

  it('opens nothing when it is empty', () => {
    expect(played(INITIAL_INBOX, ...press('enter', 'down', 'G')).effects).toEqual([]);
  });

  it('does nothing once the person has left', () => {
    expect(played(list, ...press('qqj')).effects).toEqual([{ do: 'leave' }]);
  });

  it('stays on its set when others come and go, and near it when that one goes', () => {
    const second = played(list, ...press('j')).state;
    expect(played(second, listed([setOf(9), ...sets])).state.selectedId).toBe(three.id);
    expect(played(second, listed([one, setOf(3)])).state.selectedId).toBe(setOf(3).id);
    expect(played(second, listed([one])).state.selectedId).toBe(one.id);
    expect(played(second, listed([])).state.selectedId).toBeNull();
  });

  it.each([
    ['completed', '00000001 is gone: it was answered elsewhere.'],
    ['rejected', '00000001 is gone: it was rejected elsewhere.'],
    ['abandoned', '00000001 is gone: it was withdrawn.'],
    ['timed_out', '00000001 is gone: it was not answered in time.'],
    ['gone', '00000001 is gone: it was removed.'],
  ] as const)('says why a set left: %s', (status, notice) => {
    const event = { type: 'listed', pending: [three], departures: [{ view: one, status }] } as const;
    expect(played(list, event).state.notice).toBe(notice);
    expect(played(question, event).state.notice).toBeNull();
  });

  it('says why several sets left', () => {
    const departures = [
      { view: one, status: 'completed' },
      { view: three, status: 'abandoned' },
    ] as const;
    expect(played(list, { type: 'listed', pending: [], departures }).state.notice).toBe(
      '2 are gone: answered elsewhere, withdrawn.',
    );
  });
});

describe('a question', () => {
  it.each<[string[], string]>([
    [[], 'question, q1, row 1'],
    [['down'], 'question, q1, row 2'],
    [['j', 'k'], 'question, q1, row 1'],
    [['up'], 'question, q1, row 3'],
    [['j', 'j', 'j'], 'question, q1, row 1'],
    [['2'], 'question, q1, row 2'],
    [['enter'], 'question, q2, row 2'],
    [['tab'], 'question, q2, row 2'],
    [['right'], 'question, q2, row 2'],
    [['tab', 'shift-tab'], 'question, q1, row 1'],
    [['tab', 'left'], 'question, q1, row 1'],
    [['shift-tab'], 'question, q1, row 1'],
    [['tab', 'tab', 'tab'], 'review'],
    [['tab', 'r'], 'question, q3, row 1'],
    [['r'], 'question, q1, row 1'],
    [['o'], 'question, q1, row 3, typing ""'],
    [['3'], 'question, q1, row 3, typing ""'],
    [['up', 'enter'], 'question, q1, row 3, typing ""'],
    [['up', ' '], 'question, q1, row 3, typing ""'],
    [['9', '0', 'x', 'unknown', 'backspace', 'paste:q'], 'question, q1, row 1'],
    [['?'], 'help, q1, row 1'],
    [['?', 'q'], 'question, q1, row 1'],
    [['escape'], 'reject'],
    [['escape', 'escape'], 'question, q1, row 1'],
    [['escape', 'n'], 'question, q1, row 1'],
    [['escape', 'x', 'enter'], 'reject'],
    [['escape', 'l'], 'list'],
    [['q'], 'list'],
    [['oabc'], 'question, q1, row 3, typing "abc"'],
    [['o', 'yes ?q1', 'newline', 'two'], 'question, q1, row 3, typing "yes ?q1\ntwo"'],
    [['o', 'paste:a\nb', 'backspace'], 'question, q1, row 3, typing "a\n"'],
    [['o', 'abc', 'escape'], 'question, q1, row 3'],
    [['o', 'abc', 'enter'], 'question, q2, row 2'],
    [['o', 'abc', 'tab'], 'question, q2, row 2'],
    [['o', 'enter'], 'question, q1, row 3, typing ""'],
    [['o', 'tab'], 'question, q2, row 2'],
    [['tab', 'o', 'shift-tab'], 'question, q1, row 1'],
    [['o', 'abc', 'escape', 'o'], 'question, q1, row 3, typing "abc"'],
  ])('after %j is at: %s', (presses, expected) => {
    expect(place(at(...presses))).toBe(expected);
  });

  it.each<[string[], ReturnType<typeof answer>]>([
    [['1'], answer({ selected: ['PostgreSQL'] })],
    [['1', '2'], answer({ selected: ['SQLite'] })],
    [['j', ' '], answer({ selected: ['SQLite'] })],
    [['j', 'enter'], answer({ selected: ['SQLite'], isConfirmed: true })],
    [['o', 'mine', 'enter'], answer({ isOther: true, text: 'mine', isConfirmed: true })],
    [['o', 'mine', 'escape', '1'], answer({ selected: ['PostgreSQL'], text: 'mine' })],
    [['1', 'o', 'mine'], answer({ isOther: true, text: 'mine' })],
  ])('after %j has the answer %j, and keeps a draft', (presses, expected) => {
    const { state, effects } = played(question, ...press(...presses));
    expect(state.open?.answers[0]).toEqual(expected);
    expect(effects).toContainEqual({ do: 'save-draft' });
  });

  it.each<[string[], ReturnType<typeof answer>]>([
    [['1', '2'], answer({ selected: ['Unit', 'Load'] })],
    [['1', '1'], answer()],
    [['1', 'o', 'mine', 'escape'], answer({ selected: ['Unit'], isOther: true, text: 'mine' })],
    [['o', 'mine', 'escape', 'o', '!'], answer({ isOther: true, text: 'mine!' })],
    [['o', 'mine', 'escape', '3'], answer({ text: 'mine' })],
    [['enter'], answer()],
    [['enter', 'enter'], answer({ isConfirmed: true })],
    [['1', 'enter'], answer({ selected: ['Unit'], isConfirmed: true })],
  ])('with several choices has after %j the answer %j', (presses, expected) => {
    expect(at('tab', 'tab', ...presses).open?.answers[2]).toEqual(expected);
  });

  it('takes the recommended option with one key, and does not clear it with the same key', () => {
    const both = asked({ options: [{ label: 'A (Recommended)' }, { label: 'B' }], multiSelect: true });
    const open = played(list, opened(setOf(5, { questions: [both] }))).state;
    const taken = played(open, ...press('r')).state;
    expect([place(taken), taken.open?.answers[0]?.selected]).toEqual(['review', ['A (Recommended)']]);
    const again = played(taken, ...press('n', 'r')).state;
    expect([place(again), again.open?.answers[0]?.selected]).toEqual(['review', ['A (Recommended)']]);
  });

  it('shows at once what is wrong, until the next try', () => {
    expect(fault(at('o', 'enter'))).toBe('Type your own words, or choose an option instead.');
    expect(fault(at('o', 'enter', 'x'))).toBeNull();
    expect(fault(at('tab', 'tab', 'enter'))).toMatch(/^Choose some/);
    expect(fault(at('tab', 'tab', 'enter', 'j'))).toBeNull();
  });

  it('comes back as it was left', () => {
    const before = at('j', 'enter', 'o', 'mine').open;
    if (before === null) throw new Error('not open');
    const back = played(list, opened(three, draftOf(before))).state;
    expect(back.open?.answers).toEqual(before.answers);
    expect([place(back), back.notice]).toEqual(['question, q2, row 4', 'Your draft is back.']);
  });

  it('is not reopened over what was typed since', () => {
    const typing = at('o', 'mine');
    expect(played(typing, opened(three), opened(one)).state).toBe(typing);
  });

  it('shows that its asker left', () => {
    const gone = { ...three, isAskerGone: true };
    expect(played(question, listed([one, gone])).state.open?.view.isAskerGone).toBe(true);
  });

  it('says that a draft is kept only when there is one', () => {
    expect(at('q').notice).toBeNull();
    expect(at('1', 'q').notice).toBe('Kept as a draft.');
  });

  it('scrolls, not beyond the end, and starts at the top elsewhere', () => {
    const shown = { type: 'scroll-limit', limit: 100, rows: 6 } as const;
    const down = played(at(), shown, ...press('page-down', 'page-down')).state;
    expect(down.scroll).toBe(10);
    const limited = played(down, { ...shown, limit: 7 }).state;
    expect(limited.scroll).toBe(7);
    expect(played(limited, ...press('page-up')).state.scroll).toBe(2);
    expect(played(limited, ...press('page-up', 'page-up')).state.scroll).toBe(0);
    expect(played(limited, ...press('j')).state.scroll).toBe(7);
    expect(played(limited, ...press('tab')).state.scroll).toBe(0);
    expect(played(limited, ...press('q')).state.scroll).toBe(0);
  });
});

describe('the review', () => {
  const done = at('1', 'tab', '1', 'tab', '1', 'tab');

  it('sends when everything is there, and waits for the result', () => {
    const { state, effects } = played(done, ...press('enter'));
    expect(effects).toEqual([{ do: 'submit', set: state.open }]);
    expect(place(state)).toBe('review, busy');
    expect(played(state, ...press('q', 'enter', 'escape', '1', 'x')).state).toBe(state);
    expect(played(state, ...press('ctrl-c')).effects).toEqual([{ do: 'leave' }]);
  });

  it('otherwise goes to the first unanswered question, and says so there', () => {
    const { state, effects } = played(question, ...press('1', 'tab', 'tab', 'tab', 'enter'));
    expect(effects.filter((effect) => effect.do === 'submit')).toEqual([]);
    expect([place(state), fault(state)]).toEqual([
      'question, q2, row 2',
      'Choose one, or answer in your own words.',
    ]);
  });

  it.each<[string, string]>([
    ['n', 'question, q3, row 1'],
    ['left', 'question, q3, row 1'],
    ['shift-tab', 'question, q3, row 1'],
    ['up', 'question, q3, row 1'],
    ['backspace', 'question, q3, row 1'],
    ['1', 'question, q1, row 1'],
    ['2', 'question, q2, row 1'],
    ['4', 'review'],
    ['q', 'list'],
    ['escape', 'reject'],
    ['?', 'help'],
    ['paste:y', 'review'],
  ])('after %s is at: %s', (key, expected) => {
    expect(place(played(done, ...press(key)).state)).toBe(expected);
  });

  it('is where a cancelled rejection goes back to', () => {
    expect(place(played(done, ...press('escape', 'escape')).state)).toBe('review');
    expect(place(played(done, ...press('escape', 'y', 'why', 'escape')).state)).toBe('review');
  });

  it('shows what failed, and can be sent again', () => {
    const failed = played(done, ...press('enter'), { type: 'failed', message: 'The disk is full.' }).state;
    expect([place(failed), failed.notice]).toEqual(['review', 'The disk is full.']);
    expect(played(failed, ...press('enter')).effects).toHaveLength(1);
  });

  it('goes to a question whose answer was refused', () => {
    const refused = played(done, ...press('enter'), {
      type: 'refused',
      questionIndex: 1,
      fault: 'Too long.',
    }).state;
    expect([place(refused), fault(refused)]).toEqual(['question, q2, row 1', 'Too long.']);
  });
});

describe('a rejection', () => {
  it('needs a yes, takes a reason, and keeps the reason in the draft', () => {
    const { state, effects } = played(question, ...press('escape', 'y', 'not ', 'now', 'enter'));
    expect(effects).toEqual([
      { do: 'save-draft' },
      { do: 'save-draft' },
      { do: 'reject', id: three.id, reason: 'not now' },
    ]);
    expect(place(state)).toBe('reject, typing "not now", busy');
    expect(state.open?.rejectionReason).toBe('not now');
  });

  it('goes without a reason', () => {
    expect(played(question, ...press('escape', 'y', ' ', 'enter')).effects.at(-1)).toEqual({
      do: 'reject',
      id: three.id,
      reason: null,
    });
  });

  it('comes back with the reason that was typed', () => {
    expect(place(at('escape', 'y', 'why', 'escape', 'escape', 'y'))).toBe('reject, typing "why"');
  });

  it.each(['enter', ' ', 'q', 'x', 'paste:y', 'page-down'])('is not done by %s', (key) => {
    expect(played(question, ...press('escape', key, 'enter')).effects).toEqual([]);
  });
});

describe('what others do to the open set', () => {
  const answered = settledAs(three, { status: 'completed', answers: [], at: three.createdAt, late: false });

  it('is shown with the reason, even in the middle of typing', () => {
    const typing = at('o', 'mine');
    const { state } = played(typing, { type: 'settled-elsewhere', view: answered });
    expect(state.open).toBeNull();
    expect(state.screen).toMatchObject({
      name: 'settled',
      why: 'It was answered elsewhere while you had it open; what you typed is kept in its draft.json.',
    });
  });

  it('stays on screen while the person keeps typing, until Enter or Esc', () => {
    const settled = played(at('o'), { type: 'settled-elsewhere', view: answered }).state;
    expect(played(settled, ...press('quit?', ' ', 'x', 'paste:\n', 'backspace', 'tab')).state).toBe(settled);
    expect(place(played(settled, ...press('enter')).state)).toBe('list');
    expect(place(played(settled, ...press('escape')).state)).toBe('list');
    expect(played(settled, ...press('ctrl-c')).effects).toEqual([{ do: 'leave' }]);
  });

  it.each([
    ['rejected', { status: 'rejected', reason: null, at: '', late: false }, 'rejected elsewhere'],
    ['abandoned', { status: 'abandoned', reason: 'done' }, 'withdrawn'],
    ['timed out', { status: 'timed_out', at: '' }, 'not answered in time'],
  ] as const)('is shown when it was %s', (_name, outcome, words) => {
    const { state } = played(question, { type: 'settled-elsewhere', view: settledAs(three, outcome) });
    expect(state.screen).toMatchObject({ why: `It was ${words} while you had it open.` });
  });

  it('is shown when the set was removed', () => {
    const { state } = played(question, { type: 'settled-elsewhere', view: null });
    expect([place(state), state.notice]).toEqual(['list', 'That set was removed.']);
  });

  it('waits while our own answer is on its way, and a lost race shows the winner', () => {
    const busy = played(at('1', 'tab', '1', 'tab', '1', 'tab'), ...press('enter')).state;
    expect(played(busy, { type: 'settled-elsewhere', view: answered }).state).toBe(busy);
    const lost = played(busy, { type: 'lost-race', view: answered }).state;
    expect(place(lost)).toBe('settled');
    expect(lost.screen).toMatchObject({
      outcome: answered.outcome,
      why: 'Somebody else was first. This outcome counts; what you typed is kept in its draft.json.',
    });
  });

  it('closes the help, so that the reason is seen', () => {
    expect(place(played(at('?'), { type: 'settled-elsewhere', view: answered }).state)).toBe('settled');
  });
});

describe('any order of events', () => {
  const views = [one, three, setOf(3, { questions: [several, asked()] })];
  const names = [
    'enter',
    'escape',
    'tab',
    'shift-tab',
    'up',
    'down',
    'left',
    'right',
    'home',
    'end',
    'backspace',
  ];
  const presses = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...names,
        'newline',
        'delete',
        'page-up',
        'page-down',
        'unknown',
        'ctrl-u',
        'ctrl-w',
        'ctrl-k',
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'o',
        'q',
        'j',
        'k',
        ' ',
        '1',
        '2',
        '3',
        '4',
        'y',
        'n',
        'l',
        'r',
        '?',
        'g',
        'G',
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('paste:words\nmore', 'own words', 'oabc', '日本', '👍🏽', '\u0301', ''),
    },
  );
  const outcome = fc.constantFrom<QuestionView['outcome']>(
    { status: 'completed', answers: [], at: '', late: false },
    { status: 'rejected', reason: null, at: '', late: false },
    { status: 'abandoned', reason: 'x' },
  );
  type Move =
    | { press: string }
    | { other: 'settled' | 'gone' | 'listed' | 'reply' | 'told' | 'limit'; outcome: QuestionView['outcome'] };
  const move: fc.Arbitrary<Move> = fc.oneof(
    { weight: 9, arbitrary: presses.map((name) => ({ press: name })) },
    {
      weight: 1,
      arbitrary: fc.record({
        other: fc.constantFrom('settled', 'gone', 'listed', 'reply', 'told', 'limit'),
        outcome,
      }),
    },
  );

  /** What a person typed into the open set. */
  const wordsOf = ({ open }: TerminalInbox) =>
    open === null
      ? null
      : { id: open.view.id, words: [...open.answers.map(({ text }) => text), open.rejectionReason] };

  it('never throws, keeps one answer per question, and loses nothing that was typed', () => {
    let [runs, runsWithWords, runsWithSeveral] = [0, 0, 0];
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60, size: 'max' }), (moves) => {
        const disk = new Map<string, Draft>();
        runs += 1;
        let state = played(INITIAL_INBOX, listed(views), opened(three)).state;
        const apply = (event: TerminalEvent, mayEdit: boolean) => {
          const before = wordsOf(state);
          const [next, effects] = updateTerminal(state, event);
          state = next;
          if (next.open !== null) {
            expect(next.open.answers).toHaveLength(next.open.view.questions.length);
            expect(next.open.questionIndex).toBeLessThan(next.open.view.questions.length);
            const options = next.open.view.questions[next.open.questionIndex]?.options.length ?? 0;
            expect(next.open.row).toBeLessThanOrEqual(options);
          }
          if (effects.some((effect) => effect.do === 'save-draft') && next.open !== null)
            disk.set(next.open.view.id, draftOf(next.open));
          const now = wordsOf(next);
          if (before !== null && now?.id === before.id) {
            const changed = before.words.filter((words, index) => words !== now.words[index]);
            expect(changed.length).toBeLessThanOrEqual(mayEdit ? 1 : 0);
          }
          // The open set is on disk in its current state as soon as there is anything to keep.
          if (now?.words.some((words) => words !== '')) {
            const draft = disk.get(now.id);
            expect([...(draft?.answers ?? []).map(({ text }) => text), draft?.rejectionReason]).toEqual(
              now.words,
            );
          }
          for (const effect of effects) {
            const view = views.find(({ id }) => 'id' in effect && id === effect.id);
            if (effect.do === 'open' && view !== undefined) apply(opened(view, disk.get(view.id)), false);
          }
        };
        for (const one of moves) {
          if ('press' in one) for (const key of keysOf(one.press)) apply({ type: 'key', key }, true);
          else if (one.other === 'listed') apply(listed(views.slice(moves.length % 3)), false);
          else if (one.other === 'told') apply({ type: 'told', message: 'hm' }, false);
          else if (one.other === 'limit') apply({ type: 'scroll-limit', limit: 3, rows: 5 }, false);
          else if (one.other === 'reply' && state.isBusy && state.open !== null) {
            const view = settledAs(state.open.view, one.outcome);
            apply(
              one.outcome.status === 'completed'
                ? { type: 'lost-race', view }
                : one.outcome.status === 'rejected'
                  ? { type: 'submitted', notice: 'ok' }
                  : { type: 'refused', questionIndex: 0, fault: 'no' },
              false,
            );
          } else if (state.open !== null && !state.isBusy && one.other !== 'reply')
            apply(
              {
                type: 'settled-elsewhere',
                view: one.other === 'gone' ? null : settledAs(state.open.view, one.outcome),
              },
              false,
            );
        }
        const words = [...disk.values()].filter(({ answers }) => answers.some(({ text }) => text !== ''));
        if (words.length > 0) runsWithWords += 1;
        if (disk.size > 1) runsWithSeveral += 1;
      }),
      { numRuns: 600, seed: 21 },
    );
    expect(runsWithWords / runs).toBeGreaterThan(0.4);
    expect(runsWithSeveral / runs).toBeGreaterThan(0.03);
  });
});

describe('a permission', () => {
  const card = setOf(7, {
    asker: { agent: 'claude', asks: 'permission' },
    questions: [asked({ options: [{ label: 'Allow once' }, { label: 'Deny' }] })],
  });
  const shown = { type: 'scroll-limit', limit: 40, rows: 6 } as const;
  const unread = played(INITIAL_INBOX, listed([card]), opened(card), shown).state;
  const read = played(unread, { type: 'read', id: card.id }).state;

  it.each([['1'], ['enter'], [' ']])('cannot be allowed with %j before its end was on screen', (key) => {
    const { state } = played(unread, ...press(key));
    expect(fault(state)).toBe('Read to the end first: PgDn.');
    expect(state).toMatchObject({ open: { answers: [{ selected: [] }] }, screen: { name: 'question' } });
  });

  it('cannot be allowed by a draft either', () => {
    const draft = { questionIndex: 0, answers: [answer({ selected: ['Allow once'] })], rejectionReason: '' };
    const { state, effects } = played(
      INITIAL_INBOX,
      listed([card]),
      opened(card, draft),
      ...press('tab', 'enter'),
    );
    expect(effects).not.toContainEqual(expect.objectContaining({ do: 'submit' }));
    expect(fault(state)).toBe('Read to the end first: PgDn.');
  });

  it('can be denied unread, and allowed once read', () => {
    const denied = played(unread, ...press('2', 'enter')).state;
    expect(denied).toMatchObject({ screen: { name: 'review' }, open: { answers: [{ selected: ['Deny'] }] } });
    const allowed = played(read, ...press('1', 'enter', 'enter'));
    expect(allowed.effects).toContainEqual(expect.objectContaining({ do: 'submit' }));
  });

  it('is not read because another set was', () => {
    expect(played(unread, { type: 'read', id: 'other' }).state.open?.isRead).toBe(false);
  });
});
