import { describe, expect } from 'vitest';
import { machine } from '../support/holdfast-binary.js';
import { ATTACKS } from '../support/hostile-text.js';
import { question } from '../support/question-world.js';
import { Pane, verifiesInTerminal } from '../support/tmux.js';

describe('holdfast answer at a terminal', () => {
  verifiesInTerminal('Q20', 'asks one question after the other, and the answer is given', async () => {
    await using world = await machine();
    const set = {
      questions: [
        question(),
        question({
          title: 'Parts',
          prompt: 'Which parts?',
          multiSelect: true,
          options: [{ label: 'A' }, { label: 'B' }],
        }),
      ],
    };
    const { stdout } = await world.run(['ask', '--no-wait', JSON.stringify(set)]);
    const id = stdout.trim();
    await using pane = await Pane.open(world, { columns: 100, rows: 40 });
    await pane.holdfast(`answer ${id}`);
    await pane.until(/Which database\?[\s\S]*arrow keys/); // keys are heard from then on
    await pane.press('Down', 'Enter');
    await pane.until(/Which parts\?[\s\S]*Space to choose/);
    await pane.press('Space', 'Enter');
    expect(await pane.exitCode()).toBe(0);
    expect(world.readFile(id, 'answers.json').answers).toMatchObject([
      { selectedOption: 'SQLite' },
      { selectedOptions: ['A'] },
    ]);
  });

  verifiesInTerminal(
    'Q20',
    'own words are kept as typed; leaving answers nothing and ends with 3',
    async () => {
      await using world = await machine();
      const { stdout } = await world.run(['ask', '--no-wait', JSON.stringify({ questions: [question()] })]);
      const id = stdout.trim();
      await using pane = await Pane.open(world, { columns: 100, rows: 40 });
      await pane.holdfast(`answer ${id}`);
      await pane.until('Other (in your own words)');
      await pane.press('C-c');
      expect(await pane.exitCode()).toBe(3);
      expect(world.readFile(id, 'status.json').status).toBe('pending');
      await pane.holdfast(`answer ${id}`);
      await pane.until('Other (in your own words)');
      await pane.press('Up', 'Enter');
      await pane.until('In your own words');
      await pane.type("it's\\ ok");
      await pane.press('Enter');
      expect(await pane.exitCode()).toBe(0);
      expect(world.readFile(id, 'answers.json').answers).toMatchObject([{ customText: "it's\\ ok" }]);
    },
  );

  verifiesInTerminal(
    'Q20',
    'text of the agent does nothing to the terminal, and colours are only ours',
    async () => {
      await using world = await machine();
      const text = ATTACKS.filter((attack) => attack.length < 80)
        .join(' ')
        .replaceAll('\0', '');
      const set = {
        questions: [
          question({
            prompt: text,
            title: text,
            options: [{ label: `1${text}`, description: text }, { label: '2' }],
          }),
        ],
      };
      const { stdout } = await world.run(['ask', '--no-wait'], { input: JSON.stringify(set) });
      await using pane = await Pane.open(world, { columns: 200, rows: 50 });
      const before = await pane.facts();
      await pane.holdfast(`questions show ${stdout.trim()}`);
      expect(await pane.exitCode()).toBe(0);
      await pane.holdfast('questions list');
      expect(await pane.exitCode()).toBe(0);
      await pane.holdfast(`answer ${stdout.trim()}`);
      await pane.until('Your answer');
      await pane.press('Down', 'Enter');
      expect(await pane.exitCode()).toBe(0);
      expect({ ...(await pane.facts()), historyLines: 0 }).toEqual({ ...before, historyLines: 0 });
    },
  );

  verifiesInTerminal(
    'Q20',
    'an error has colours at a terminal, none in a file, none with --no-color',
    async () => {
      await using world = await machine();
      await using pane = await Pane.open(world, { columns: 100, rows: 20 });
      await pane.holdfast('questions show zzzz');
      expect(await pane.exitCode()).toBe(2);
      expect(await pane.styled()).toMatch(/\u001b\[31mholdfast:/);
      await pane.holdfast('questions show zzzz --no-color');
      expect(await pane.exitCode()).toBe(2);
      expect(await pane.styled()).not.toMatch(/\u001b\[31mholdfast:/);
      await pane.holdfast('questions show zzzz 2> err.log; cat -v err.log');
      await pane.until(/is neither an id nor the first 4 or/);
      expect((await pane.screen()).join('\n')).not.toContain('^[[');
    },
  );
});
