import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { asked, REPORT_KEYS, SET } from '../../test/support/question-commands.js';
import { question } from '../../test/support/question-world.js';
import { verifies } from '../../test/support/verifies.js';

describe('holdfast ask', () => {
  verifies('Q20', 'takes the questions as an argument, from a file, from stdin and from -', async () => {
    await using world = await appWorld();
    writeFileSync(join(world.project, 'q.json'), SET);
    const ids = [
      await world.run(['ask', '--no-wait', SET]),
      await world.run(['ask', '--no-wait', '--file', 'q.json']),
      await world.run(['ask', '--no-wait'], { input: SET }),
      await world.run(['ask', '--no-wait', '-'], { input: SET }),
    ];
    for (const { code, stdout } of ids)
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
    expect((await world.json(['questions'])).data).toHaveLength(4);
  });

  verifies('Q20', 'asks one plain question with its options', async () => {
    await using world = await appWorld();
    const plain = ['ask', '--no-wait', 'Deploy now?', '--option', 'Yes', '--option', 'No'];
    expect((await world.run(plain)).code).toBe(0);
    expect((await world.run([...plain, '--title', 'Deploy'])).code).toBe(0);
    const options = [{ label: 'Yes' }, { label: 'No' }];
    const { data } = await world.json(['questions']);
    const asked = data.map(({ questions: [first] }: { questions: unknown[] }) => first);
    expect(asked).toMatchObject([
      { title: 'Question', prompt: 'Deploy now?', options },
      { title: 'Deploy', prompt: 'Deploy now?', options },
    ]);
    const bare = await world.run(['ask', '--no-wait', 'Deploy now?']);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining('--option Yes --option No')]);
    expect((await world.run(['ask', '--no-wait', SET, '--title', 'x'])).code).toBe(2);
  });

  verifies('Q20', '--no-wait --json prints the report of the new set', async () => {
    await using world = await appWorld();
    const { code, data } = await world.json([
      'ask',
      '--no-wait',
      SET,
      '--agent',
      'me',
      '--timeout',
      '10m',
      '--request-id',
      'r1',
    ]);
    expect(code).toBe(0);
    expect(Object.keys(data)).toEqual(REPORT_KEYS);
    expect(data).toMatchObject({
      status: 'pending',
      asker: { agent: 'me' },
      workingDirectory: world.project,
      isAskerGone: null,
      questions: [question()],
    });
    expect(Date.parse(data.expiresAt) - Date.parse(data.createdAt)).toBe(600_000);
    expect(
      (await world.json(['ask', '--no-wait', SET, '--agent', 'me', '--request-id', 'r1'])).data.sessionId,
    ).toBe(data.sessionId);
  });

  const WAITED: readonly [string, string[], number, string][] = [
    [
      'an answer',
      ['--option', 'SQLite'],
      0,
      "Here are the user's answers:\n\n1. Which database?\n→ SQLite\n",
    ],
    ['a rejection', ['--reject'], 1, 'The person rejected this question set and gave no reason.\n'],
    [
      'a rejection with a reason',
      ['--reject', '--reason', 'no "way"'],
      1,
      'The person rejected this question set. Reason: "no \\"way\\""\n',
    ],
  ];
  for (const [what, answer, code, text] of WAITED) {
    verifies('Q20', `blocks until ${what} and ends with ${code}`, async () => {
      await using world = await appWorld();
      const asking = world.run(['ask', SET]);
      const { questions } = world.services();
      while (questions.ids().length === 0) await new Promise((resolve) => setImmediate(resolve));
      await world.run(['answer', questions.ids()[0] ?? '', ...answer]);
      expect(await asking).toMatchObject({
        code,
        stdout: text,
        stderr: expect.stringMatching(/^Waiting for an answer to /),
      });
      // It was delivered: nothing is new any more.
      expect((await world.run(['questions', 'collect'])).stdout).toBe('');
    });
  }

  verifies('Q20', 'that times out ends with 3, and a late answer is new', async () => {
    await using world = await appWorld();
    const { code, stdout } = await world.run(['ask', SET, '--timeout', '10ms', '--quiet']);
    expect([code, stdout]).toEqual([3, 'Nobody answered in time. A late answer is still accepted.\n']);
    const [id = ''] = world.services().questions.ids();
    await world.run(['answer', id, '--option', '1']);
    expect((await world.json(['questions', 'collect'])).data).toMatchObject({
      isNew: true,
      status: 'completed',
      late: true,
    });
  });

  it.each([
    ['a question as it is said', ['Deploy now?'], '"Deploy now?" is a question without options'],
    ['nothing', [], 'No questions given'],
  ])('tells who gives it %s what would work', async (_, args, message) => {
    await using world = await appWorld();
    const { code, stderr } = await world.run(['ask', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    const [, json = ''] = /such as: holdfast ask '(.+)'\n$/.exec(stderr) ?? [];
    expect(await world.run(['ask', '--no-wait', json])).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([
    ['a list of questions', [question()]],
    ['one question', question()],
    ['options that are labels', { ...question(), options: ['PostgreSQL', 'SQLite'] }],
  ])('takes %s as it is', async (_, given) => {
    await using world = await appWorld();
    const id = await asked(world, JSON.stringify(given));
    const { data } = await world.json(['questions', 'show', id]);
    expect(data.questions).toMatchObject([
      { title: 'Database', options: [{ label: 'PostgreSQL' }, { label: 'SQLite' }] },
    ]);
  });

  const BAD: readonly [string, string[], RegExp][] = [
    ['not JSON', ['{'], /^holdfast: Invalid JSON input for the questions: /],
    ['an empty list', ['[]'], /At least one question is required to create a session/],
    ['an object without questions', ['{}'], /questions: is missing; a list is expected/],
    [
      'an option that is a number',
      ['{"title":"t","prompt":"p","options":[1,2]}'],
      /options\[0\]: an object is/,
    ],
    ['no questions', ['{"questions":[]}'], /At least one question is required to create a session/],
    ['a key that nobody knows', ['{"questions":[],"x":1}'], /unknown key "x"/],
    [
      'a missing title',
      [JSON.stringify({ questions: [{ prompt: 'p', options: [] }] })],
      /questions\[0\]\.title/,
    ],
    ['a bad duration', [SET, '--timeout', 'soon'], /Not a duration: "soon"/],
    ['a duration beyond the calendar', [SET, '--timeout', '999999999d'], /timeoutMs/],
    ['a file that is not there', ['--file', 'none.json'], /There is no file none\.json/],
    ['a file and an argument', [SET, '--file', 'q.json'], /not both/],
    ['an unknown option', ['--nowait'], /unknown option '--nowait'/],
    ['too many arguments', [SET, SET], /too many arguments/],
  ];
  for (const [what, args, message] of BAD) {
    verifies('Q20', `refuses ${what} with 2 and creates nothing`, async () => {
      await using world = await appWorld();
      const { code, stdout, stderr } = await world.run(['ask', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(message);
      expect(world.services().questions.ids()).toEqual([]);
    });
  }

  verifies('Q20', 'that is called off says how to go on, ends with 130, and the question stays', async () => {
    await using world = await appWorld();
    const controller = new AbortController();
    const asking = world.run(['ask', SET], { signal: controller.signal });
    const { questions } = world.services();
    while (questions.ids().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const [id = ''] = questions.ids();
    while ((await questions.get(id)).isAskerGone !== false)
      await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const { code, stderr } = await asking;
    expect(code).toBe(130);
    expect(stderr).toContain(`holdfast questions collect ${id.slice(0, 8)}`);
    expect(await questions.get(id)).toMatchObject({ outcome: { status: 'pending' }, isAskerGone: true });
  });

  it('without a terminal and without input says that there is nothing to ask', async () => {
    await using world = await appWorld();
    expect((await world.run(['ask'])).code).toBe(2);
  });
});
