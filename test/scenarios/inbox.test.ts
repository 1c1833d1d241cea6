import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { QuestionInput } from '../../src/sessions/question/index.js';
import { type Machine, machine } from '../support/holdfast-binary.js';
import { elsewhere } from '../support/inbox-world.js';
import { multiplySet } from '../support/many-sets.js';
import { connectAgent } from '../support/mcp-agent.js';
import { Pane, verifiesInTerminal as verifies } from '../support/tmux.js';

const question = (overrides: Partial<QuestionInput> = {}): QuestionInput => ({
  title: 'Database',
  prompt: 'Which **database** for the orders?',
  options: [{ label: 'PostgreSQL (Recommended)', description: 'we run it already' }, { label: 'SQLite' }],
  ...overrides,
});

const FAMILY = '👩‍👩‍👧‍👦';

/** Asks and does not wait; returns the id. */
async function ask(world: Machine, questions = [question()]): Promise<string> {
  const { id } = await elsewhere(world).create(questions, {
    workingDirectory: world.project,
    asker: { agent: 'codex' },
  });
  return id;
}

describe.each([
  ['as it is', {}],
  ['with the variables CI and DEV set', { CI: 'true', DEV: 'true' }],
])('the whole flow, %s', (_name, env) => {
  verifies('Q19', 'two agents ask, one gets the answer, the other the rejection, word for word', async () => {
    await using world = await machine();
    await using claude = await connectAgent(world, { name: 'claude-code' });
    await using codex = await connectAgent(world, { name: 'codex' });
    await using pane = await Pane.open(world, { env });
    const checks = question({
      title: 'Checks',
      prompt: 'Which checks?',
      options: [{ label: 'Unit tests' }, { label: 'Load test' }, { label: 'Dry run' }],
      multiSelect: true,
    });
    const asked = claude.ask({
      questions: [question(), checks, question({ title: 'Notes', prompt: 'Anything else?' })],
    });
    asked.catch(() => {}); // what the test waits for tells it
    await pane.holdfast('inbox');
    await pane.until(/1 waiting for you(.|\n)*claude-code .* 3\? {2}Which/);
    // The second one appears by itself.
    const refused = codex.ask({
      questions: [question({ title: 'Delete', prompt: 'May I delete `legacy/`?' })],
    });
    refused.catch(() => {});
    await pane.until(/2 waiting for you(.|\n)*codex /);

    await pane.press('Enter');
    await pane.until(
      new RegExp(`Question 1 of 3: Database .*claude-code in ${basename(world.project)}, now`),
    );
    await pane.until(/^› \( \) 1 ★ PostgreSQL \(Recommended\)$/m);
    await pane.press('Down', 'Enter');
    await pane.until('Question 2 of 3: Checks');
    await pane.press('Space', 'j', 'j', 'Space');
    await pane.until((rows) => rows.some((row) => row.startsWith('› [x] 3 Dry run')));
    await pane.press('Enter');
    await pane.until('Question 3 of 3: Notes');
    await pane.press('o');
    await pane.type('Ja, 日本語');
    await pane.paste(`one\n\ttwo ${FAMILY}\nq`);
    await pane.until(/│ q/);
    await pane.press('C-j');
    await pane.type('ende\u0301 👍🏽');
    await pane.press('Enter');
    await pane.until(/Review(.|\n)*→ SQLite(.|\n)*→ Unit tests\n +→ Dry run(.|\n)*→ Other: Ja, 日本語one/);
    await pane.press('Enter');
    await pane.until(/Answered [0-9a-f]{8}\./);
    const words = `Ja, 日本語one\n\ttwo ${FAMILY}\nq\nende\u0301 👍🏽`;
    expect((await asked).session.answers).toMatchObject([
      { questionIndex: 0, selectedOption: 'SQLite' },
      { questionIndex: 1, selectedOptions: ['Unit tests', 'Dry run'] },
      { questionIndex: 2, customText: words },
    ]);

    await pane.until(/^› .*codex .*May I delete/m);
    await pane.press('Enter');
    await pane.until('Question 1 of 1: Delete');
    await pane.press('Escape');
    await pane.until('Reject this question set?');
    await pane.press('y');
    await pane.until('Why?');
    await pane.type('Not before the release, bitte 🙏');
    await pane.press('Enter');
    await pane.until(/Rejected [0-9a-f]{8}\./);
    expect((await refused).text).toContain('Not before the release, bitte 🙏');
    await pane.until('Nothing is waiting for you');
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    expect((await pane.screen()).join('\n')).toContain('1 answered, 1 rejected.');
  });
});

describe('drafts', () => {
  verifies('Q19', 'what is being typed is there again after kill -9 of the inbox', async () => {
    await using world = await machine();
    const id = await ask(world);
    await using pane = await Pane.open(world);
    await pane.holdfast('inbox');
    await pane.until('1 waiting for you');
    await pane.press('Enter');
    await pane.until('Question 1 of 1');
    await pane.press('o');
    await pane.type(`half a thought about 日本 ${FAMILY} and`);
    await pane.until('thought about 日本');
    await pane.until(() => readDraft(world, id)?.endsWith(' and') === true);
    process.kill(await pane.program(), 'SIGKILL');
    expect(await pane.exitCode()).toBe(137);
    await pane.makeSane();
    await pane.holdfast('inbox --once');
    await pane.until('Your draft is back.');
    await pane.press('o');
    await pane.type(' more');
    await pane.press('Enter');
    await pane.until('Review');
    await pane.press('Enter');
    expect(await pane.exitCode()).toBe(0);
    expect(world.readFile(id, 'answers.json').answers).toMatchObject([
      { customText: `half a thought about 日本 ${FAMILY} and more` },
    ]);
    expect(existsSync(join(world.questions, id, 'draft.json'))).toBe(false);
  });
});

function readDraft(world: Machine, id: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(world.questions, id, 'draft.json'), 'utf8')).answers[0].text;
  } catch {
    return undefined; // not there yet
  }
}

describe('what happens elsewhere', () => {
  verifies(
    'Q19',
    'a set answered elsewhere leaves the screen with a word why, even while it is open',
    async () => {
      await using world = await machine();
      const id = await ask(world);
      const second = await ask(world);
      const third = await ask(world);
      await using pane = await Pane.open(world);
      await pane.holdfast('inbox');
      await pane.until('3 waiting for you');
      await elsewhere(world).answer(third, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
      await pane.until(`${third.slice(0, 8)} is gone: it was answered elsewhere.`);
      await elsewhere(world).cancel(second, 'changed my mind');
      await pane.until(`${second.slice(0, 8)} is gone: it was withdrawn.`);
      await pane.press('Enter');
      await pane.until('Question 1 of 1');
      await pane.press('o');
      await pane.type('quite a long answer');
      await pane.until('quite a long answer');
      expect((await world.run(['answer', id, '--option', 'SQLite'])).code).toBe(0);
      await pane.until(/Answered elsewhere(.|\n)*while you had it open(.|\n)*SQLite/);
      // Somebody who types on does not lose the reason.
      await pane.type('quit');
      await pane.press('Enter');
      await pane.until('Nothing is waiting for you');
      await pane.press('q');
      expect(await pane.exitCode()).toBe(0);
    },
  );

  verifies('Q19', 'a set whose asker died is marked, and can still be answered', async () => {
    await using world = await machine();
    const asker = world.start(['ask', JSON.stringify({ questions: [question()] })]);
    await asker.printed('stderr', /Waiting for an answer to ([0-9a-f-]+)/);
    asker.child.kill('SIGKILL');
    await asker.ended;
    await using pane = await Pane.open(world);
    await pane.holdfast('inbox');
    await pane.until('(gone) Which');
    await pane.press('Enter');
    await pane.until(/holdfast ask \(gone; the/);
    await pane.press('r');
    await pane.until('Review');
    await pane.press('Enter');
    await pane.until(/Answered [0-9a-f]{8}/);
    await pane.press('q');
    expect(await pane.exitCode()).toBe(0);
    const [id = ''] = world.ids();
    expect((await world.json(['questions', 'collect', id])).data).toMatchObject({ status: 'completed' });
  });
});

describe('500 pending sets', () => {
  verifies('Q19', 'scroll without lag and show only what fits', async () => {
    await using world = await machine();
    const first = await ask(world, [question({ prompt: 'Number 1 of all' })]);
    multiplySet(world.questions, first, 500);
    await using pane = await Pane.open(world);
    await pane.holdfast('inbox');
    await pane.until('500 waiting for you');
    await pane.press('-N', '200', 'j');
    await pane.until((rows) => rows.some((row) => row.startsWith('›') && row.includes('Number 201 ')));
    await pane.press('-N', '20', 'NPage');
    await pane.until((rows) => rows.some((row) => row.startsWith('›') && row.includes('Number 401 ')));
    await pane.press('G');
    const rows = await pane.until((shown) =>
      shown.some((row) => row.startsWith('›') && row.includes('Number 500 ')),
    );
    expect(rows.filter((row) => row.includes('Number ')).length).toBe(20);
    // Not by the clock: the machine may be busy with other things. What a key sends is one screen, not the list.
    const recorded = await pane.record();
    for (let at = 499; at > 490; at--) {
      await pane.press('k');
      await pane.until((shown) => shown.some((row) => row.startsWith('›') && row.includes(`Number ${at} `)));
    }
    expect(recorded().length / 9, 'bytes per key').toBeLessThan(8_000);
    await pane.press('g', 'Enter');
    await pane.until('Number 1 of all');
    await pane.press('C-c');
    expect(await pane.exitCode()).toBe(0);
  });
});
