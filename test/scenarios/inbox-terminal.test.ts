import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { QuestionInput } from '../../src/sessions/question/index.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { elsewhere } from '../support/inbox-world.js';
import { multiplySet } from '../support/many-sets.js';
import { nextMillisecond, until } from '../support/processes.js';
import { Pane, verifiesInTerminal as verifies } from '../support/tmux.js';
import { verifies as verifiesAnywhere } from '../support/verifies.js';

const QUESTION = {
  title: 'Database',
  prompt: 'Which database?',
  options: [{ label: 'PostgreSQL', description: 'we run it already' }, { label: 'SQLite' }],
};
const CHECKS = { ...QUESTION, title: 'Checks', prompt: 'Which checks?', multiSelect: true };

/** Asks, and lets the clock go on: sets of one millisecond have no order. */
async function ask(world: Machine, ...questions: QuestionInput[]): Promise<string> {
  const { id } = await elsewhere(world).create(questions.length === 0 ? [QUESTION] : questions, {
    workingDirectory: world.project,
    asker: { agent: 'codex' },
  });
  await nextMillisecond();
  return id;
}

const outcomeOf = async (world: Machine, id: string) => (await elsewhere(world).get(id)).outcome;

/** Starts the inbox, opens the only set and begins to type. */
async function typeInto(pane: Pane, args = 'inbox'): Promise<void> {
  await pane.holdfast(args);
  await pane.until('1 waiting for you');
  await pane.press('Enter');
  await pane.until('Question 1 of 1');
  await pane.press('o');
  await pane.type('half a thought');
  await pane.until('half a thought');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process any more
  }
}

describe('leaving', () => {
  const ways: [string, (pane: Pane) => Promise<void>, number][] = [
    ['Ctrl+C', (pane) => pane.press('C-c'), 0],
    ['SIGTERM', async (pane) => void process.kill(await pane.program(), 'SIGTERM'), 143],
    ['SIGINT', async (pane) => void process.kill(await pane.program(), 'SIGINT'), 130],
  ];

  verifies('Q19', 'Ctrl+C and signals keep the draft and put the terminal back', async () => {
    await using world = await machine();
    const id = await ask(world);
    await using pane = await Pane.open(world);
    const before = await pane.facts();
    for (const [name, leave, code] of ways) {
      await typeInto(pane);
      expect(await pane.facts(), name).toMatchObject({
        isCursorShown: false,
        isAlternate: true,
        isWrapping: false,
      });
      await leave(pane);
      expect(await pane.exitCode(), name).toBe(code);
      await pane.until(([first = '']) => first.startsWith('prompt> '));
      expect(await pane.facts(), name).toEqual({ ...before, historyLines: expect.anything() });
      await pane.run('clear; stty -a');
      const settings = (await pane.until(/icanon/)).join(' ');
      expect(settings, name).not.toMatch(/-icanon|-echo |-isig|-icrnl/);
      const draft = JSON.parse(readFileSync(join(world.questions, id, 'draft.json'), 'utf8'));
      expect(draft.answers[0].text, name).toMatch(/half a thought$/);
    }
  });

  verifies('Q19', 'a terminal that is closed ends the inbox, with the draft kept', async () => {
    await using world = await machine();
    const id = await ask(world);
    await using pane = await Pane.open(world);
    await typeInto(pane);
    const pid = await pane.program();
    await pane.hangUp();
    await until(() => !isAlive(pid));
    const draft = JSON.parse(readFileSync(join(world.questions, id, 'draft.json'), 'utf8'));
    expect(draft.answers[0].text).toBe('half a thought');
  });
});

describe('--once and --session', () => {
  verifies('Q19', '--once takes the next set and ends with its code: answered, rejected, left', async () => {
    await using world = await machine();
    const answered = await ask(world);
    const rejected = await ask(world);
    const left = await ask(world);
    await using pane = await Pane.open(world);
    await pane.holdfast('inbox --once');
    await pane.until('Question 1 of 1');
    await pane.type('2');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    expect(await pane.exitCode()).toBe(0);
    await pane.holdfast('inbox --once');
    await pane.until('Question 1 of 1');
    await pane.press('Escape');
    await pane.until('Reject this');
    await pane.press('y', 'Enter');
    expect(await pane.exitCode()).toBe(1);
    await pane.holdfast('inbox --once');
    await pane.until('Question 1 of 1');
    await pane.press('q');
    await pane.until('1 waiting for you');
    await pane.press('q');
    expect(await pane.exitCode()).toBe(3);
    expect(await outcomeOf(world, answered)).toMatchObject({ status: 'completed' });
    expect(await outcomeOf(world, rejected)).toMatchObject({ status: 'rejected' });
    expect(await outcomeOf(world, left)).toMatchObject({ status: 'pending' });
  });

  verifies('Q19', '--session opens one set by its id, and tells the outcome of a settled one', async () => {
    await using world = await machine();
    await ask(world);
    const id = await ask(world, { ...QUESTION, title: 'Second' });
    await using pane = await Pane.open(world);
    await pane.holdfast(`inbox --session ${id.slice(0, 8)}`);
    await pane.until('Question 1 of 1: Second');
    await pane.type('1');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    expect(await pane.exitCode()).toBe(0);
    await pane.holdfast(`inbox --session ${id.slice(0, 8)}`);
    expect(await pane.exitCode()).toBe(0);
    expect((await pane.screen()).join('\n')).toContain('→ PostgreSQL');
    await pane.holdfast('inbox --session ffffffff');
    expect(await pane.exitCode()).toBe(4);
  });
});

describe('without a terminal', () => {
  verifiesAnywhere(
    'Q19',
    'it says what is pending and how to answer, and ends with 3; with 0 when nothing is',
    async () => {
      await using world = await machine();
      expect(await world.run(['inbox'])).toMatchObject({ code: 0 });
      const id = await ask(world);
      const { code, stdout, stderr } = await world.run(['inbox']);
      expect(code).toBe(3);
      expect(stdout).toContain(id.slice(0, 8));
      expect(stderr).toContain(`holdfast answer ${id.slice(0, 8)} --option <label>`);
      expect(stdout + stderr).not.toContain('\x1b');
      expect(await world.run(['inbox', '--once'])).toMatchObject({ code: 3 });
      expect(await world.json(['inbox'])).toMatchObject({
        code: 3,
        data: [{ sessionId: id, status: 'pending' }],
      });
      const both = await ask(world, QUESTION, CHECKS);
      expect((await world.run(['inbox'])).stderr).toContain(
        `holdfast answer ${both.slice(0, 8)} --option 0=<label> --option 1=<label>`,
      );
      expect(await world.run(['inbox', '--json', '--plain'])).toMatchObject({ code: 2 });
    },
  );
});

describe('--plain', () => {
  verifiesAnywhere('Q19', 'answers by numbers and lines, with nothing redrawn', async () => {
    await using world = await machine();
    const id = await ask(world, QUESTION, CHECKS, QUESTION);
    const input = ['7', 'SQLite', '1,2', '2', '1, 9', '1,o', 'own 日本', 'o', '', 'o', 'mine', 'y', ''].join(
      '\n',
    );
    const { code, stdout, stderr } = await world.run(['inbox', '--plain'], { input });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/[\x1b\r\x07]/);
    expect(stdout).toContain('1. PostgreSQL: we run it already\n2. SQLite\n');
    expect(stdout.match(/That is not a number from 1 to 2\./g)).toHaveLength(3);
    expect(stdout.match(/That is not a list of numbers from 1 to 2\./g)).toHaveLength(1);
    expect(stdout).toContain('Checks: PostgreSQL, in your own words: own 日本\n');
    expect(stdout).toMatch(/Nothing else is waiting for you\.\n$/);
    expect(world.readFile(id, 'answers.json').answers).toMatchObject([
      { selectedOption: 'SQLite' },
      { selectedOptions: ['PostgreSQL'], customText: 'own 日本' },
      { customText: 'mine' },
    ]);
  });

  verifiesAnywhere(
    'Q19',
    'rejects with a reason or without, skips, leaves, and tells it by its code',
    async () => {
      await using world = await machine();
      const [first, second, third] = [await ask(world), await ask(world), await ask(world)];
      const all = await world.run(['inbox', '--plain'], { input: 'r\nb\nr\n too early \nr\n\ns\n' });
      expect(all.code).toBe(0);
      expect(await outcomeOf(world, first)).toMatchObject({
        status: 'rejected',
        reason: 'too early',
      });
      expect(await outcomeOf(world, second)).toMatchObject({ status: 'rejected', reason: null });
      expect(await outcomeOf(world, third)).toMatchObject({ status: 'pending' });
      const once = (input: string) => world.run(['inbox', '--plain', '--once'], { input });
      expect(await once('q\n')).toMatchObject({ code: 3 });
      expect(await once('1\nn\n')).toMatchObject({ code: 3 });
      expect(await once('')).toMatchObject({ code: 3 });
      expect(await once('r\n\n')).toMatchObject({ code: 1 });
      expect(await world.run(['inbox', '--plain'])).toMatchObject({
        code: 0,
        stdout: 'Nothing is waiting for you.\n',
      });
    },
  );

  verifiesAnywhere('Q19', 'keeps what was answered when the person leaves before the end', async () => {
    await using world = await machine();
    const id = await ask(world, QUESTION, CHECKS);
    await world.run(['inbox', '--plain'], { input: 'o\nmy own words\nq\n' });
    const again = await world.run(['inbox', '--plain'], { input: 'd\n2\ny\n' });
    expect(again.stdout).toContain('Your draft: in your own words: my own words\n');
    expect(world.readFile(id, 'answers.json').answers).toMatchObject([
      { customText: 'my own words' },
      { selectedOptions: ['SQLite'] },
    ]);
    expect(existsSync(join(world.questions, id, 'draft.json'))).toBe(false);
  });

  verifies('Q19', 'works line by line in a terminal, and Ctrl+C leaves', async () => {
    await using world = await machine();
    const id = await ask(world);
    await using pane = await Pane.open(world);
    const recorded = await pane.record();
    await pane.holdfast('inbox --plain');
    await pane.until('Your answer:');
    await pane.run('2');
    await pane.until('Send these answers?');
    await pane.run('y');
    expect(await pane.exitCode()).toBe(0);
    expect(await outcomeOf(world, id)).toMatchObject({ status: 'completed' });
    await ask(world);
    // By itself where the terminal can only do that.
    await pane.holdfast('inbox', 'TERM=dumb');
    await pane.until('Your answer:');
    expect((await pane.facts()).isAlternate).toBe(false);
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(130);
    // The shell's own clear apart, there is not one escape sequence.
    expect(recorded().replaceAll(/\x1b\[(?:H|[23]?J)/g, '')).not.toContain('\x1b');
  });
});

describe('the terminal', () => {
  verifies(
    'Q19',
    'the bell rings for what arrives, not for what was there, and not with --no-bell',
    async () => {
      await using world = await machine();
      await ask(world);
      await using pane = await Pane.open(world);
      const recorded = await pane.record();
      const bells = () => recorded().split('\x07').length - 1;
      await pane.holdfast('inbox');
      await pane.until('1 waiting for you');
      expect(bells()).toBe(0);
      await ask(world);
      await pane.until('2 waiting for you');
      await pane.until(() => bells() === 1);
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
      await pane.holdfast('inbox --no-bell');
      await pane.until('2 waiting for you');
      await ask(world);
      await pane.until('3 waiting for you');
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
      expect(bells()).toBe(1);
    },
  );

  verifies('Q19', 'the first frame starts in the first cell, wherever the cursor was', async () => {
    await using world = await machine();
    await ask(world);
    await using pane = await Pane.open(world);
    await pane.run(`seq 10; printf 'no line break'; ${pane.command('inbox')}; echo "exit code $?"`);
    const rows = await pane.until('1 waiting for you');
    expect(rows[0]).toMatch(/^Holdfast inbox/);
    expect(rows[22]).toMatch(/\? keys$/);
    await pane.press('q');
    await pane.until(/^10\nno line breakexit code 0$/m);
  });

  verifies('Q19', 'a resize leaves one whole frame, and the scrollback as it was', async () => {
    await using world = await machine();
    await ask(world, { ...QUESTION, prompt: 'A long prompt. '.repeat(60) }, CHECKS);
    await using pane = await Pane.open(world);
    await pane.run('seq 100 1 160');
    await pane.until('160');
    await pane.run(`${pane.command('inbox')}; echo "exit code $?"`);
    await pane.until('1 waiting for you');
    await pane.press('Enter');
    await pane.until('Question 1 of 2');
    const sizes = [
      [40, 10],
      [100, 30],
      [20, 8],
      [80, 12],
      [81, 40],
      [80, 24],
    ] as const;
    for (const [columns, rows] of sizes) {
      await pane.resize(columns, rows);
      // The keys stand in the last row but one, the title in the first, and both only once.
      await pane.until(
        (lines) =>
          lines.length === rows &&
          /^Question/.test(lines[0] ?? '') &&
          /\? keys$/.test(lines[rows - 2] ?? '') &&
          lines.filter((line) => /^Question|\? keys$/.test(line)).length === 2,
      );
    }
    await pane.press('q');
    await pane.until('1 waiting for you');
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    expect(await pane.history()).toContain('\n101\n102\n103\n');
  });

  verifies('Q19', 'NO_COLOR and --no-color have no colours, and the highlight is still seen', async () => {
    await using world = await machine();
    await ask(world, { ...QUESTION, prompt: 'Run `npm test`?' });
    const COLOR = /\x1b\[(?:[0-9]+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]/;
    await using pane = await Pane.open(world);
    const looks = async (args: string, variables = '') => {
      await pane.holdfast(args, variables);
      await pane.until('1 waiting for you');
      const list = await pane.styled();
      await pane.press('Enter');
      await pane.until('Question 1 of 1');
      const question = await pane.styled();
      await pane.press('C-c');
      await pane.exitCode();
      return list + question;
    };
    expect(await looks('inbox')).toMatch(COLOR);
    expect(await looks('inbox', 'NO_COLOR=1')).not.toMatch(COLOR);
    expect(await looks('inbox --color', 'NO_COLOR=1')).toMatch(COLOR);
    const plain = await looks('inbox --no-color');
    expect(plain).not.toMatch(COLOR);
    expect(plain).toMatch(/\x1b\[(0;)?7m[^\n]*› now/);
  });

  verifies('Q19', 'warnings do not run across the screen; they are told behind it', async () => {
    await using world = await machine();
    const id = await ask(world);
    writeFileSync(join(world.questions, id, 'draft.json'), '{ damaged', { mode: 0o600 });
    await using pane = await Pane.open(world);
    await pane.holdfast('inbox');
    await pane.until('1 waiting for you');
    await pane.press('Enter');
    const shown = await pane.until('Question 1 of 1');
    expect(shown.join('\n')).not.toContain('holdfast:');
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(0);
    expect((await pane.screen()).join('\n')).toContain('draft.json of question');
  });
});

describe('a long list in a terminal', () => {
  verifies('Q19', 'says which rows of how many are seen, and follows the keys', async () => {
    await using world = await machine();
    const first = await ask(world, { ...QUESTION, prompt: 'Which database is number-1?' });
    multiplySet(world.questions, first, 40);
    await using pane = await Pane.open(world, { columns: 100, rows: 25 });
    await pane.holdfast('inbox');
    await pane.until(/40 waiting for you · 1–(\d+) of 40/);
    const shown = (await pane.until(/› .*number-1\?/)).join('\n');
    const room = Number(/1–(\d+) of 40/.exec(shown)?.[1]);
    expect(shown.match(/Which database is number-/g)).toHaveLength(room);
    await pane.press('End');
    await pane.until(new RegExp(`· ${41 - room}–40 of 40`));
    await pane.until(/› .*number-40\?/);
    await pane.type('/number-3');
    await pane.until(/^Holdfast inbox: number-3 .*11 waiting for you/m);
    await pane.press('Escape');
    await pane.until(/40 waiting for you/);
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
  });

  verifies('Q19', 'rejects what is listed, and only that, after a yes and with one reason', async () => {
    await using world = await machine();
    const listed = [await ask(world), await ask(world)];
    const other = await ask(world, { ...QUESTION, title: 'Colour', prompt: 'Which colour?' });
    await using pane = await Pane.open(world);
    await pane.holdfast('inbox');
    await pane.until('3 waiting for you');
    await pane.type('/database');
    await pane.until(/^Holdfast inbox: database .*2 waiting/m);
    await pane.press('Enter');
    await pane.until(/^↑↓ choose/m);
    await pane.type('R');
    await pane.until('Reject all 2 question sets on the list?');
    await pane.type('n');
    await pane.until('2 waiting for you');
    await pane.type('R');
    await pane.until('Reject all 2 question sets on the list?');
    await pane.type('y');
    await pane.until('Why? Every agent reads it.');
    await pane.type('not this week');
    await pane.until('not this week');
    await pane.press('Enter');
    await until(async () => (await outcomeOf(world, listed[1] ?? '')).status === 'rejected');
    for (const id of listed)
      expect(await outcomeOf(world, id)).toMatchObject({ status: 'rejected', reason: 'not this week' });
    expect(await outcomeOf(world, other)).toMatchObject({ status: 'pending' });
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(0);
  });
});
