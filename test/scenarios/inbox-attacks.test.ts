import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Question } from '../../src/sessions/question/index.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { elsewhere } from '../support/inbox-world.js';
import { SeededRandom } from '../support/seeded-random.js';
import { Pane, verifiesInTerminal as verifies } from '../support/tmux.js';

const attacks = (
  JSON.parse(readFileSync(new URL('../fixtures/attack-strings.json', import.meta.url), 'utf8')) as {
    cases: { text: string }[];
  }
).cases.map(({ text }) => text);

/** Characters that terminals, fonts and our own counting may disagree about. */
const ODD = [
  '👩‍👩‍👧‍👦',
  '🏴‍☠️',
  '🇩🇪',
  '☺️',
  '☺',
  '1️⃣',
  '한',
  'ᄒ',
  'ᅡ',
  'ﷺ',
  'ﾊﾞ',
  '○',
  '¡',
  '\u0301',
  '\u20dd',
  '\u{1f3fd}',
  '\u{e0101}',
  '꧅',
  '𒐫',
];

/** Strings of random bytes, random code points and odd characters; the same ones every time. */
function randomStrings(count: number): string[] {
  const random = new SeededRandom(1_903);
  return Array.from({ length: count }, (_, index) => {
    const length = 1 + random.below(40);
    if (index % 3 === 0) return random.bytes(length).toString('latin1');
    if (index % 3 === 1) return random.bytes(length * 2).toString('utf8');
    return Array.from({ length }, () =>
      random.chance(0.5) ? random.pick(ODD) : String.fromCodePoint(random.below(0x11_0000)),
    ).join('');
  });
}

const STRINGS = [...attacks, ...randomStrings(300)];

interface Planted {
  readonly questions: readonly Question[];
  readonly agent: string;
  readonly project: string;
}

/** Puts sets on disk as any program could have; the n-th has the id 0000000n-…, and the next time. */
function plant(world: Machine, sets: readonly Planted[]): string[] {
  return sets.map(({ questions, agent, project }, index) => {
    const sessionId = `${(index + 1).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const time = new Date(Date.now() - 60_000 + index).toISOString();
    const files = {
      'request.json': {
        sessionId,
        questions,
        status: 'pending',
        timestamp: time,
        workingDirectory: `/home/ada/${project.replaceAll('/', '')}`,
        version: 1,
        asker: { agent },
      },
      'status.json': {
        sessionId,
        status: 'pending',
        createdAt: time,
        lastModified: time,
        totalQuestions: questions.length,
        version: 1,
      },
    };
    mkdirSync(join(world.questions, sessionId), { recursive: true, mode: 0o700 });
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(world.questions, sessionId, name), JSON.stringify(content), { mode: 0o600 });
    return sessionId;
  });
}

/** What the inbox itself sends: alternate screen, paste, wrap, cursor, frames, styles, and moving over its own lines. */
const OURS = /\x1b\[(?:\?(?:1049|2004|2026|25|7)[hl]|[0-9;]*m|[0-9]*[AGK]|2J|H)/g;

/** What is left of the recorded bytes that is neither text nor a sequence of ours. */
function strangersIn(recorded: string): string[] {
  const text = Buffer.from(recorded, 'latin1').toString('utf8').replaceAll(OURS, '').replaceAll('\r\n', '');
  return text.match(/[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029].{0,20}/gs) ?? [];
}

const LIST_KEYS = '↑↓ choose · Enter open · q leave · / filter · R reject all · ? keys';
const QUESTION_KEYS = '↑↓ Space choose · Enter next · o own words · Esc reject · q list · ? keys';
const SETTLED_KEYS = 'Enter or Esc: back';

/**
 * The frame as it must be: a title, the keys in the last row but one, nothing below. It is waited for whole: a terminal
 * may be looked at while a frame is being drawn.
 */
async function untilFrame(
  pane: Pane,
  title: RegExp,
  keys: string | RegExp,
  hasMore: (rows: readonly string[]) => boolean = () => true,
): Promise<string[]> {
  const areKeys = (row: string) => (typeof keys === 'string' ? row === keys : keys.test(row));
  return pane.until((rows) => {
    const [first = '', last = '', below] = [rows[0], rows[22], rows[23]];
    return rows.length === 24 && title.test(first) && areKeys(last) && below === '' && hasMore(rows);
  });
}

async function open(
  world: Machine,
): Promise<{ pane: Pane; recorded: () => string; expectCalm(): Promise<void> }> {
  const pane = await Pane.open(world);
  const { title } = await pane.facts();
  await pane.run('clear');
  await pane.until((rows) => rows.join('') === 'prompt>');
  const recorded = await pane.record();
  await pane.run(`${pane.command('inbox')}; echo "exit code $?"`);
  return {
    pane,
    recorded: () => {
      const all = recorded();
      const from = all.indexOf('\x1b[?1049h');
      const to = all.lastIndexOf('\x1b[?1049l');
      return all.slice(Math.max(0, from), to === -1 ? undefined : to);
    },
    expectCalm: async () =>
      expect(await pane.facts()).toMatchObject({
        title,
        isCursorShown: false,
        isAlternate: true,
        hasMouse: false,
        isWrapping: false,
      }),
  };
}

describe('attack strings and random bytes in a real terminal', () => {
  verifies('Q19', 'change nothing outside their text in the list', async () => {
    await using world = await machine();
    const sets = STRINGS.map((text) => ({
      agent: text,
      project: text,
      questions: [{ title: text, prompt: text, options: [{ label: 'a' }, { label: 'b' }] }],
    }));
    const ids = plant(world, sets);
    const { pane, recorded, expectCalm } = await open(world);
    await using _ = pane;
    await pane.until(`${ids.length} waiting for you`);
    for (let at = 0; at < ids.length; at += 20) {
      const id = ids[at] ?? '';
      await untilFrame(
        pane,
        /^Holdfast inbox +\d+ waiting for you · \d+–\d+ of \d+$/,
        LIST_KEYS,
        (rows) =>
          rows[21]?.startsWith(id.slice(0, 8)) === true &&
          rows.slice(1, 21).every((row) => /^[› ] (now|\d+ min) {2}/.test(row)) &&
          rows.filter((row) => row.startsWith('›')).length === 1,
      );
      await expectCalm();
      await pane.press('NPage', 'NPage');
    }
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    expect(strangersIn(recorded())).toEqual([]);
    expect(recorded().split('\x1b[2J')).toHaveLength(2);
  });

  verifies('Q19', 'change nothing outside their text in a question, the review and the outcome', async () => {
    await using world = await machine();
    const sets = groups(STRINGS, 45).map((strings) => ({
      agent: strings[0] ?? '',
      project: strings[1] ?? '',
      questions: groups(strings, 9).map(
        ([title = '', prompt = '', ...options]): Question => ({
          title,
          prompt: `${prompt}\n${options.join('\n')}`,
          options: options.map((text, index) => ({ label: `${index}${text}`, description: text })),
          multiSelect: true,
        }),
      ),
    }));
    const ids = plant(world, sets);
    const { pane, recorded, expectCalm } = await open(world);
    await using _ = pane;
    await pane.until(`${ids.length} waiting for you`);
    for (const [index, id] of ids.entries()) {
      const questions = sets[index]?.questions ?? [];
      const total = questions.length;
      await pane.until((shown) => shown[21]?.startsWith(id.slice(0, 8)) === true);
      await pane.press('Enter');
      for (let number = 1; number <= total; number++) {
        const start = `Question ${number} of ${total}: `;
        await pane.until((shown) => shown[0]?.startsWith(start) === true);
        await pane.press('1', '2', 'End', 'Down');
        await untilFrame(
          pane,
          new RegExp(`^${start}`),
          QUESTION_KEYS,
          (rows) =>
            rows.some((row) => /^› \[ \] 3 /.test(row)) &&
            !rows.slice(2, 22).some((row) => /^(Question|Holdfast)/.test(row)),
        );
        await pane.press('Tab');
      }
      await untilFrame(pane, /^Review/, /Enter send$/);
      await expectCalm();
      const answers = questions.map(({ options, prompt }, questionIndex) => ({
        questionIndex,
        selectedOptions: [options[0]?.label ?? ''],
        customText: `${prompt}.`,
      }));
      if (index % 2 === 0) await elsewhere(world).answer(id, answers);
      else await elsewhere(world).reject(id, answers.map(({ customText }) => customText).join(' '));
      const what = index % 2 === 0 ? /^Answered elsewhere/ : /^Rejected elsewhere/;
      await untilFrame(pane, what, SETTLED_KEYS);
      await expectCalm();
      await pane.press('Enter');
    }
    await pane.until('Nothing is waiting for you');
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    expect(strangersIn(recorded())).toEqual([]);
    expect(recorded().split('\x1b[2J')).toHaveLength(2);
  });

  verifies('Q19', 'hide no end of an option, whatever stands before it', async () => {
    await using world = await machine();
    // Letters that ask to be shown as emoji, and halves of flags, are what renderers count differently.
    const odd = [...ODD, 'a\ufe0f', '\u{1f1e9}', '🇩🇪🇫🇷'];
    const sets = groups(odd, 4).map((some) => ({
      agent: 'codex',
      project: 'here',
      questions: [
        {
          title: 'Which?',
          prompt: 'One of them.',
          options: some.map((text, index) => ({
            label: `${index}${text.repeat(9)} ENDS`,
            description: `${text.repeat(9)} and ENDS`,
          })),
        },
      ],
    }));
    const ids = plant(world, sets);
    const { pane } = await open(world);
    await using _ = pane;
    for (const [index, id] of ids.entries()) {
      const ends = 2 * (sets[index]?.questions[0]?.options.length ?? 0);
      await pane.until((shown) => shown[21]?.startsWith(id.slice(0, 8)) === true);
      await pane.press('Enter');
      await pane.until((shown) => shown.filter((row) => / ENDS$/.test(row)).length === ends);
      await pane.press('q', 'Down');
    }
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
  });
});

function groups<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
