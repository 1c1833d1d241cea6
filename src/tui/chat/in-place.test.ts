import { describe, expect, it, vi } from 'vitest';
import { typedInput } from '../../../test/support/chat-world.js';
import { PATIENT } from '../../../test/support/deadlines.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { question, questionWorld } from '../../../test/support/question-world.js';
import type { QuestionInput } from '../../sessions/question/index.js';
import { InPlaceAnswers } from './in-place.js';

/** Questions answered within the chat: what is shown, typed and kept. */
async function asking(questions: readonly QuestionInput[], size = { columns: 80, rows: 40 }) {
  // Time stands still: changes from elsewhere are noticed because files change.
  const world = await questionWorld({ clock: new FakeClock() });
  const typed = typedInput(size.columns);
  const shown: string[] = [];
  const place = new InPlaceAnswers({
    questions: world.sessions,
    input: typed.input,
    screen: {
      say: (text) => shown.push(text),
      note: (text) => shown.push(text),
      warn: (text) => shown.push(`! ${text}`),
      rows: (rows) => shown.push(...rows),
      asking: (isAsking) => shown.push(isAsking ? '<' : '>'),
    },
    size: () => size,
    paint: undefined,
    onInterrupt: () => shown.push('interrupt'),
  });
  const { id } = await world.sessions.create(questions);
  return {
    world,
    shown,
    place,
    id,
    ask: async () => place.add(await world.sessions.get(id)),
    /** Types a line once this prompt is up, not before. */
    async reply(prompt: string, line: string) {
      await vi.waitFor(() => expect(typed.terminal.written).toContain(prompt), PATIENT);
      typed.terminal.type(line === 'ctrl-c' ? '\x03' : `${line}\r`);
      typed.terminal.written = ''; // the same prompt with what was typed after it
    },
    shows: (text: string) => vi.waitFor(() => expect(shown.join('\n')).toContain(text), PATIENT),
    outcome: async () => (await world.sessions.get(id)).outcome,
    async [Symbol.asyncDispose]() {
      await place.withdraw();
      typed.input[Symbol.dispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

const PARTS = question({
  title: 'Parts',
  prompt: 'Which parts?',
  multiSelect: true,
  options: [{ label: 'A' }, { label: 'B' }],
});

describe('a question answered in place', () => {
  it('is shown in full, answered by number, and taken off', async () => {
    await using talk = await asking([question()]);
    await talk.ask();
    await talk.reply('answer> ', '7');
    await talk.shows('! A number from 1 to 2');
    await talk.reply('answer> ', '2');
    await talk.shows('Answered: SQLite');
    await vi.waitFor(() => expect(talk.shown.at(-1)).toBe('>'), PATIENT);
    expect(talk.shown.join('\n')).toMatch(/Which database\?[\s\S]*1\. PostgreSQL: the usual one\n2\. SQLite/);
    expect(await talk.outcome()).toMatchObject({
      status: 'completed',
      answers: [{ questionIndex: 0, selectedOption: 'SQLite' }],
    });
  });

  it('takes own words, after o or on a separate line', async () => {
    for (const lines of [
      [['answer> ', 'o as you like']],
      [
        ['answer> ', 'o'],
        ['your own words> ', 'as you like'],
      ],
    ]) {
      await using talk = await asking([question()]);
      await talk.ask();
      for (const [prompt = '', line = ''] of lines) await talk.reply(prompt, line);
      await talk.shows('Answered: in your own words: as you like');
      expect(await talk.outcome()).toMatchObject({ answers: [{ customText: 'as you like' }] });
    }
  });

  it('is rejected, with a reason or without', async () => {
    for (const [typed, kept] of [
      ['not now', 'not now'],
      ['', null],
    ] as const) {
      await using talk = await asking([question()]);
      await talk.ask();
      await talk.reply('answer> ', 'r');
      await talk.reply('why (Enter for no reason)> ', typed);
      await talk.shows('Rejected.');
      expect(await talk.outcome()).toMatchObject({ status: 'rejected', reason: kept });
    }
  });

  it('is left for the inbox, and stays pending', async () => {
    await using talk = await asking([question()]);
    await talk.ask();
    await talk.reply('answer> ', 'l');
    await talk.shows(`It is waiting in the inbox: holdfast answer ${talk.id.slice(0, 8)}`);
    expect(await talk.outcome()).toMatchObject({ status: 'pending' });
  });

  it('cannot be answered before all of it was shown', async () => {
    const long = question({ prompt: [...Array(60).keys()].map((line) => `line-${line}`).join('\n') });
    await using talk = await asking([long], { columns: 80, rows: 20 });
    await talk.ask();
    await talk.reply('more> ', '1');
    await talk.shows('! There is more to read before it can be answered.');
    expect(talk.shown.join('\n')).not.toContain('line-59');
    expect(await talk.outcome()).toMatchObject({ status: 'pending' });
    await talk.reply('more> ', '');
    await talk.reply('more> ', 'a');
    await talk.reply('answer> ', '1');
    await talk.shows('Answered: PostgreSQL');
    expect(talk.shown.filter((row) => /line-\d+$/.test(row))).toHaveLength(60);
  });

  it('in a set of several is confirmed before it is sent, and going back is possible', async () => {
    await using talk = await asking([question(), PARTS]);
    await talk.ask();
    await talk.reply('answer> ', '1');
    await talk.reply('answer> ', 'b');
    await talk.reply('answer> ', '2');
    await talk.reply('answer> ', '2,1');
    await talk.reply('Enter sends, b goes back> ', 'b');
    await talk.reply('answer> ', '0');
    expect(await talk.outcome()).toMatchObject({ status: 'pending' });
    await talk.reply('Enter sends, b goes back> ', '');
    await talk.shows('Answered: SQLite');
    expect(await talk.outcome()).toMatchObject({
      answers: [{ selectedOption: 'SQLite' }, { selectedOptions: [] }],
    });
  });

  it('is taken off when it is answered elsewhere, and says what was answered', async () => {
    await using talk = await asking([question()]);
    await talk.ask();
    await talk.shows('A number; o and your own words');
    await talk.world.sessions.answer(talk.id, [{ questionIndex: 0, selectedOption: 'PostgreSQL' }]);
    await talk.shows('Answered elsewhere: PostgreSQL');
    await vi.waitFor(() => expect(talk.shown.at(-1)).toBe('>'), PATIENT);
  });

  it('is withdrawn with the turn: no answer is given, and the next question is not asked', async () => {
    await using talk = await asking([question()]);
    const { id } = await talk.world.sessions.create([PARTS]);
    await talk.ask();
    talk.place.add(await talk.world.sessions.get(id));
    await talk.shows('A number; o and your own words');
    await talk.place.withdraw();
    expect(talk.shown.at(-1)).toBe('>');
    expect(talk.shown.join('\n')).not.toContain('Which parts?');
    expect(await talk.outcome()).toMatchObject({ status: 'pending' });
  });

  it('Ctrl+C cancels the turn and answers nothing', async () => {
    await using talk = await asking([question()]);
    await talk.ask();
    await talk.reply('answer> ', 'ctrl-c');
    await talk.shows('interrupt');
    expect(await talk.outcome()).toMatchObject({ status: 'pending' });
  });

  it('that is already settled is not asked', async () => {
    await using talk = await asking([question()]);
    await talk.world.sessions.reject(talk.id, null);
    await talk.ask();
    expect(talk.shown).toEqual([]);
  });
});
