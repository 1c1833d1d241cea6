import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AppWorld, appWorld } from '../../test/support/app-world.js';
import { question } from '../../test/support/question-world.js';
import { verifies } from '../../test/support/verifies.js';
import { systemIds } from '../foundation/index.js';

const SET = JSON.stringify({ questions: [question()] });
const TWO = JSON.stringify({
  questions: [
    question(),
    question({
      title: 'Parts',
      prompt: 'Which parts?',
      multiSelect: true,
      options: [{ label: 'A' }, { label: 'B' }, { label: 'C' }],
    }),
  ],
});

async function asked(world: AppWorld, set = SET, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run(['ask', '--no-wait', set, ...more]);
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** The keys of a report, as scripts depend on them. */
const REPORT_KEYS = [
  'sessionId',
  'status',
  'questions',
  'answers',
  'rejectionReason',
  'abandonedReason',
  'late',
  'createdAt',
  'lastActivityAt',
  'expiresAt',
  'collectedAt',
  'actor',
  'workingDirectory',
  'asker',
  'isAskerGone',
  'faults',
];

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
      // It was delivered, so nothing is new.
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

  verifies('Q20', 'when interrupted says how to go on, ends with 130, and the question stays', async () => {
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

describe('holdfast answer', () => {
  verifies('Q20', '--option by label, --text, and the number of an option', async () => {
    await using world = await appWorld();
    const first = await asked(world);
    expect(await world.run(['answer', first, '--option', 'SQLite'])).toEqual({
      code: 0,
      stdout: `Answered ${first}\n\n  Database → SQLite\n`,
      stderr: '',
    });
    const second = await asked(world);
    const { data } = await world.json(['answer', second, '--option', '1', '--text', 'for now']);
    expect(Object.keys(data)).toEqual(['success', ...REPORT_KEYS]);
    expect(data).toMatchObject({
      success: true,
      status: 'completed',
      answers: [{ selectedOption: 'PostgreSQL', customText: 'for now' }],
    });
    const third = await asked(world);
    expect((await world.json(['answer', third, '--text', 'neither'])).data.answers).toMatchObject([
      { customText: 'neither' },
    ]);
  });

  verifies('Q20', 'several questions by index, several options of one', async () => {
    await using world = await appWorld();
    const id = await asked(world, TWO);
    const { data } = await world.json([
      'answer',
      id,
      '--option',
      '1=SQLite',
      '--option',
      '2=C',
      '--option',
      '2=1',
      '--text',
      '2=a=b',
    ]);
    expect(data.answers).toMatchObject([
      { questionIndex: 0, selectedOption: 'SQLite' },
      { questionIndex: 1, selectedOptions: ['A', 'C'], customText: 'a=b' },
    ]);
  });

  it('numbers questions from 1 as `questions show` does: --option 1=… is the first', async () => {
    await using world = await appWorld();
    const id = await asked(world, TWO);
    const { stdout } = await world.run(['questions', 'show', id]);
    expect(stdout).toMatch(/^1\. Database$/m);
    const { data } = await world.json(['answer', id, '--option', '1=2', '--option', '2=1']);
    expect(data.answers).toMatchObject([{ selectedOption: 'SQLite' }, { selectedOptions: ['A'] }]);
  });

  it('takes the number of the question for a set of one, too', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    const { data } = await world.json(['answer', id, '--option', '1=SQLite']);
    expect(data.answers).toMatchObject([{ questionIndex: 0, selectedOption: 'SQLite' }]);
  });

  it('offers the set that has an option of that number when only a number was typed', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    const { code, data } = await world.json(['answer', '2']);
    expect([code, data.hint]).toEqual([2, expect.stringContaining(`answer ${id.slice(0, 8)} '2'`)]);
  });

  it('answers the one waiting set when one of its labels was typed alone, and none when two are waiting', async () => {
    await using world = await appWorld();
    const first = await asked(world);
    const { code, data } = await world.json(['answer', 'SQLite']);
    expect([code, data.sessionId, data.answers]).toMatchObject([0, first, [{ selectedOption: 'SQLite' }]]);
    const [second, third] = [await asked(world), await asked(world)];
    const refused = await world.json(['answer', 'SQLite']);
    expect(refused).toMatchObject({ code: 2, data: { code: 'INVALID_SESSION_ID' } });
    for (const id of [second, third]) expect(refused.data.hint).toContain(id.slice(0, 8));
  });

  it.each(['Oracle', 'zzzz'])('says what is waiting when %s is not an id', async (typed) => {
    await using world = await appWorld();
    const nothing = await world.json(['answer', typed]);
    expect(nothing).toMatchObject({
      code: 2,
      data: { code: 'INVALID_SESSION_ID', hint: 'Nothing is waiting for an answer.' },
    });
    expect(nothing.data.error).toContain(
      `${typed} is neither an id nor the first 4 or more characters of one`,
    );
    const id = await asked(world);
    const { data } = await world.json(['answer', typed]);
    expect(data.hint).toBe(
      `  ${id.slice(0, 8)}  Which database?\nFor example: holdfast answer ${id.slice(0, 8)}`,
    );
  });

  it('takes the option as a second word, and the only waiting set without a first one', async () => {
    await using world = await appWorld();
    const nothing = await world.json(['answer', '--option', '1']);
    expect(nothing).toMatchObject({ code: 2, data: { error: 'Nothing is waiting for an answer' } });
    const first = await asked(world);
    const second = await asked(world);
    const both = await world.json(['answer', '--option', '1']);
    expect(both.data).toMatchObject({ error: '2 question sets are waiting for an answer: say which' });
    expect(both.data.hint).toContain(first.slice(0, 8));
    expect(both.data.hint).toContain(second.slice(0, 8));
    expect((await world.json(['answer', first, 'SQLite'])).data).toMatchObject({
      sessionId: first,
      answers: [{ selectedOption: 'SQLite' }],
    });
    expect((await world.json(['answer', '--option', '1'])).data).toMatchObject({ sessionId: second });
    const third = await asked(world);
    expect((await world.json(['answer', 'SQLite', '--text', 'for now'])).data).toMatchObject({
      sessionId: third,
      answers: [{ selectedOption: 'SQLite', customText: 'for now' }],
    });
  });

  it('says that it is late if the set was withdrawn or timed out', async () => {
    await using world = await appWorld();
    const withdrawn = await asked(world);
    await world.run(['questions', 'cancel', withdrawn, '--reason', 'decided otherwise']);
    const { stdout } = await world.run(['answer', withdrawn, 'SQLite']);
    expect(stdout).toContain(`Answered ${withdrawn}, late: the set had been withdrawn (decided otherwise).`);
    const late = await asked(world, SET, '--timeout', '1ms');
    while ((await world.json(['questions', 'show', late])).data.status === 'pending');
    expect((await world.run(['answer', late, 'SQLite'])).stdout).toContain('late: the set had timed out.');
  });

  it('an empty reason is none, by answer --reject, reject and questions reject', async () => {
    await using world = await appWorld();
    for (const words of [['answer', '--reject'], ['reject'], ['questions', 'reject']]) {
      const id = await asked(world);
      const { code, data } = await world.json([...words, id, '--reason', '']);
      expect({ code, data }).toMatchObject({ code: 0, data: { status: 'rejected', rejectionReason: null } });
      expect((await world.run(['questions', 'show', id])).stdout).toContain('gave no reason');
    }
    const id = await asked(world);
    expect((await world.json(['reject', id, '--reason', 'later'])).data.rejectionReason).toBe('later');
  });

  verifies('Q20', '--answers as JSON keyed by index', async () => {
    await using world = await appWorld();
    const id = await asked(world, TWO);
    const { code, data } = await world.json([
      'answer',
      id,
      '--answers',
      '{"0":{"selectedOption":"SQLite"},"1":{"selectedOptions":[]}}',
    ]);
    expect(code).toBe(0);
    expect(data.answers).toMatchObject([{ selectedOption: 'SQLite' }, { selectedOptions: [] }]);
  });

  verifies('Q20', '--reject with and without a reason', async () => {
    await using world = await appWorld();
    const first = await asked(world);
    expect(await world.run(['answer', first, '--reject'])).toMatchObject({
      code: 0,
      stdout: `Rejected ${first}\n`,
    });
    const second = await asked(world);
    expect((await world.json(['answer', second, '--reject', '--reason', 'later'])).data).toMatchObject({
      success: true,
      status: 'rejected',
      rejectionReason: 'later',
    });
  });

  const BAD: readonly [string, string[], string, RegExp][] = [
    ['nothing', [], 'USAGE', /No answer given/],
    ['an answer and --reject', ['--option', 'SQLite', '--reject'], 'USAGE', /^Answer, or use --reject/],
    ['--reason alone', ['--reason', 'x'], 'USAGE', /--reason goes with --reject/],
    ['an unknown label', ['--option', 'MySQL'], 'INVALID_ANSWER', /no option "MySQL"\. Options: 1 \w+, 2 /],
    ['a number that is no option', ['--option', '9'], 'INVALID_ANSWER', /no option "9"\. Options: 1 \w+/],
    ['two options of one', ['--option', '1', '--option', '2'], 'USAGE', /Question 1 takes one option/],
    ['two texts', ['--text', 'a', '--text', 'b'], 'USAGE', /Two texts for question 1/],
    [
      '--answers and --option',
      ['--answers', '{}', '--option', '1'],
      'USAGE',
      /leave --option and --text out/,
    ],
    ['--answers that is not JSON', ['--answers', '{'], 'INVALID_INPUT', /Invalid JSON input for --answers/],
    ['--answers that is a list', ['--answers', '[]'], 'INVALID_INPUT', /an object is expected/],
    [
      '--answers with a bad index',
      ['--answers', '{"__proto__":{}}'],
      'USAGE',
      /"__proto__" is not a question index/,
    ],
    [
      '--answers with an index too many',
      ['--answers', '{"0":{"selectedOption":"SQLite"},"7":{"customText":"x"}}'],
      'INVALID_ANSWER',
      /invalid question index: 7/,
    ],
    [
      '--answers with an unknown key',
      ['--answers', '{"0":{"option":"SQLite"}}'],
      'USAGE',
      /question index 0: /,
    ],
    [
      '--answers with a text in place of an object',
      ['--answers', '{"0":"SQLite"}'],
      'USAGE',
      /question index 0/,
    ],
    [
      '--answers with a list in place of an object',
      ['--answers', '{"0":["SQLite"]}'],
      'USAGE',
      /question index 0/,
    ],
    ['--answers of the wrong type', ['--answers', '{"0":{"selectedOption":5}}'], 'USAGE', /selectedOption/],
    [
      '--answers with an index of its own',
      ['--answers', '{"0":{"questionIndex":1,"selectedOption":"SQLite"}}'],
      'USAGE',
      /question index 0/,
    ],
  ];
  for (const [what, args, code, message] of BAD) {
    verifies('Q20', `refuses ${what} with 2 and changes nothing`, async () => {
      await using world = await appWorld();
      const id = await asked(world);
      const refused = await world.json(['answer', id, ...args]);
      expect(refused).toMatchObject({ code: 2, data: { success: false, code } });
      expect(refused.data.error).toMatch(message);
      expect((await world.json(['questions', 'show', id])).data.status).toBe('pending');
    });
  }

  verifies('Q20', 'a second question without its index is refused', async () => {
    await using world = await appWorld();
    const id = await asked(world, TWO);
    expect((await world.json(['answer', id, '--option', 'SQLite'])).data.error).toMatch(
      /Which question does "SQLite" answer\?/,
    );
    expect((await world.json(['answer', id, '--option', '5=SQLite'])).data.error).toMatch(
      /There is no question 5/,
    );
    expect((await world.json(['answer', id, '--option', '0=SQLite'])).data.error).toBe(
      'There is no question 0: they are numbered from 1 to 2',
    );
    expect((await world.json(['answer', id, '--option', '1=SQLite'])).data.error).toMatch(
      /Question 2 has no answer/,
    );
  });

  verifies(
    'Q20',
    'a losing answer ends with 1 and shows the one that won; the same again with 0',
    async () => {
      await using world = await appWorld();
      const id = await asked(world);
      await world.run(['answer', id, '--option', 'SQLite']);
      const lost = await world.run(['answer', id, '--option', 'PostgreSQL']);
      expect(lost.code).toBe(1);
      expect(lost.stderr).toMatch(/was answered already \(.*\): 1\. SQLite; that outcome stands/);
      expect((await world.run(['answer', id, '--option', 'SQLite'])).code).toBe(0);
      expect((await world.json(['answer', id, '--reject'])).data).toMatchObject({
        success: false,
        code: 'ALREADY_SETTLED',
      });
    },
  );

  verifies('Q20', 'an unknown session ends with 4, no id with 2', async () => {
    await using world = await appWorld();
    const id = systemIds.uuid();
    const { code, stderr } = await world.run(['answer', id, '--option', 'x']);
    expect([code, stderr]).toEqual([4, expect.stringContaining(`holdfast: Session not found: ${id}\n`)]);
    expect((await world.run(['answer', 'not-an-id', '--option', 'x'])).code).toBe(2);
    expect((await world.run(['answer'])).code).toBe(2);
  });
});

describe('holdfast questions', () => {
  verifies(
    'Q20',
    'lists what is pending by default, with --all everything, as a table and as JSON',
    async () => {
      await using world = await appWorld();
      expect(await world.run(['questions'])).toEqual({
        code: 0,
        stdout: 'Nothing is waiting for an answer.\n',
        stderr: '',
      });
      const pending = await asked(world, SET, '--agent', 'claude');
      const done = await asked(world);
      await world.run(['answer', done, '--option', '1']);
      const { stdout } = await world.run(['questions', 'list']);
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^ID +STATUS +AGE +QUESTIONS +ASKER +PROJECT +FIRST QUESTION$/);
      expect(lines[1]).toMatch(
        new RegExp(`^${pending.slice(0, 8)} +pending +\\d+ s +1 +claude +project +Which database\\?$`),
      );
      expect((await world.run(['questions'])).stdout).toBe(stdout);
      expect((await world.run(['questions', '--all'])).stdout.trimEnd().split('\n')).toHaveLength(3);
      const { data } = await world.json(['questions', 'list', '--all']);
      expect(data.map((report: object) => Object.keys(report))).toEqual([REPORT_KEYS, REPORT_KEYS]);
    },
  );

  verifies('Q20', 'shows one set in full', async () => {
    await using world = await appWorld();
    const id = await asked(world, TWO, '--agent', 'claude', '--timeout', '1h');
    const { code, stdout } = await world.run(['questions', 'show', id.slice(0, 6)]);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      `${id}  pending`,
      expect.stringMatching(/^asked .* by claude$/),
      `in ${world.project}`,
      expect.stringMatching(/^times out /),
      '',
      '1. Database',
      '   │ Which database?',
      '   1) PostgreSQL — the usual one',
      '   2) SQLite',
      '',
      '2. Parts  (several)',
      '   │ Which parts?',
      '   1) A',
      '   2) B',
      '   3) C',
      '',
    ]);
    expect(Object.keys((await world.json(['questions', 'show', id])).data)).toEqual(REPORT_KEYS);
    await world.run(['answer', id, '--reject', '--reason', 'no']);
    expect((await world.run(['questions', 'show', id])).stdout).toContain(
      'The person rejected this question set. Reason: "no"',
    );
  });

  verifies(
    'Q20',
    'collects one outcome, the same however often, with the exit code of its state',
    async () => {
      await using world = await appWorld();
      const id = await asked(world);
      const pending = await world.json(['questions', 'collect', id]);
      expect(pending).toMatchObject({ code: 3, data: { isNew: false, status: 'pending' } });
      expect((await world.run(['questions', 'collect', id])).stdout).toBe(
        `[Session: ${id} | Status: pending]\n\nNo answers yet.\n`,
      );
      await world.run(['answer', id, '--option', '2']);
      const first = await world.json(['questions', 'collect', id]);
      const second = await world.json(['questions', 'collect', id]);
      expect(first).toMatchObject({ code: 0, data: { isNew: true, status: 'completed' } });
      expect(Object.keys(first.data)).toEqual(['isNew', ...REPORT_KEYS]);
      expect(second.data).toEqual({ ...first.data, isNew: false, collectedAt: expect.any(String) });
      expect((await world.run(['questions', 'collect', id])).stdout).toBe(
        `[Session: ${id} | Status: completed]\n\nHere are the user's answers:\n\n1. Which database?\n→ SQLite\n`,
      );
      const rejected = await asked(world);
      await world.run(['answer', rejected, '--reject']);
      expect((await world.run(['questions', 'collect', rejected])).code).toBe(1);
      const cancelled = await asked(world);
      await world.run(['questions', 'cancel', cancelled]);
      expect((await world.run(['questions', 'collect', cancelled])).code).toBe(1);
    },
  );

  verifies('Q20', 'collects everything new once, a JSON line each', async () => {
    await using world = await appWorld();
    const ids = [await asked(world), await asked(world), await asked(world)];
    await world.run(['answer', ids[0] ?? '', '--option', '1']);
    await world.run(['answer', ids[2] ?? '', '--reject']);
    const { code, stdout } = await world.run(['questions', 'collect', '--json']);
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { sessionId: ids[0], isNew: true, status: 'completed' },
      { sessionId: ids[2], isNew: true, status: 'rejected' },
    ]);
    expect(await world.run(['questions', 'collect'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing new.\n',
    });
    expect(await world.run(['questions', 'collect', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  verifies('Q20', 'collect --wait waits, and its patience ends with 3', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    const waiting = world.run(['questions', 'collect', id, '--wait']);
    const { questions } = world.services();
    await questions.answer(id, [{ questionIndex: 0, selectedOption: 'SQLite' }]);
    expect((await waiting).code).toBe(0);
    const other = await asked(world);
    expect((await world.run(['questions', 'collect', other, '--wait', '--timeout', '10ms'])).code).toBe(3);
    expect((await world.run(['questions', 'collect', '--wait'])).code).toBe(2);
  });

  verifies('Q20', 'cancel withdraws a pending set and leaves a settled one', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    expect(await world.run(['questions', 'cancel', id])).toMatchObject({
      code: 0,
      stdout: `Withdrew ${id}\n`,
    });
    expect((await world.json(['questions', 'show', id])).data).toMatchObject({
      status: 'abandoned',
      abandonedReason: 'withdrawn',
    });
    const done = await asked(world);
    await world.run(['answer', done, '--option', '1']);
    expect((await world.json(['questions', 'cancel', done])).data).toMatchObject({
      success: false,
      code: 'ALREADY_SETTLED',
    });
    expect(
      (await world.json(['questions', 'cancel', await asked(world), '--reason', 'x'])).data,
    ).toMatchObject({ success: true, abandonedReason: 'x' });
  });

  verifies('Q20', 'verify names every fault and ends with 8; listing stays 0', async () => {
    await using world = await appWorld();
    const good = await asked(world);
    expect(await world.run(['questions', 'verify'])).toEqual({
      code: 0,
      stdout: '1 checked, 0 with faults\n',
      stderr: '',
    });
    const bad = await asked(world);
    const base = world.services().config.layout.questions;
    writeFileSync(join(base, bad, 'status.json'), '{');
    const odd = systemIds.uuid();
    symlinkSync(join(base, good), join(base, odd));
    const { code, stdout } = await world.run(['questions', 'verify']);
    expect(code).toBe(8);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).toMatch(/^3 checked, 2 with faults$/m);
    expect(stdout).toContain(`${bad}: status.json: it is not JSON\n`);
    expect(stdout).toMatch(new RegExp(`^${odd}: Refusing to use .*: it is a symbolic link$`, 'm'));
    expect((await world.json(['questions', 'verify', good])).data).toEqual([{ sessionId: good, faults: [] }]);
    expect((await world.run(['questions', 'verify', bad])).code).toBe(8);
    expect((await world.run(['questions', 'verify', systemIds.uuid()])).code).toBe(4);
    const listed = await world.run(['questions', 'list']);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('pending (damaged)')]);
  });

  it('are found by the singular, by their state, and waited for', async () => {
    await using world = await appWorld();
    const answered = await asked(world);
    await asked(world);
    await world.run(['answer', answered, 'SQLite']);
    expect((await world.json(['question', 'list'])).data).toHaveLength(1);
    const { data } = await world.json(['questions', 'list', '--status', 'completed']);
    expect(data).toMatchObject([{ sessionId: answered }]);
    expect((await world.run(['questions', '--status', 'rejected'])).stdout).toBe(
      'No question set is rejected.\n',
    );
    expect((await world.json(['questions', '--status', 'open'])).data.error).toMatch(
      /^--status is pending, /,
    );
    expect((await world.json(['questions', 'wait', answered])).data).toMatchObject({ status: 'completed' });
  });

  it('name the command that does it elsewhere, and what was nearly typed', async () => {
    await using world = await appWorld();
    const hint = async (...words: string[]) => (await world.json(words)).data.hint;
    expect(await hint('questions', 'delete', 'abcd')).toBe('Did you mean: holdfast sessions delete <id>?');
    expect(await hint('questions', 'colect')).toBe('Did you mean: questions collect?');
    expect((await world.json(['answer', '7e1', 'Yes'])).data.error).toBe(
      'Invalid session id: 7e1 is too short',
    );
  });

  verifies('Q20', 'clean tells what it did, and --dry-run what it would do', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    await world.run(['answer', id, '--reject']);
    const pending = await asked(world);
    expect((await world.run(['questions', 'clean'])).stdout).toBe(
      '0 moved to the trash, 0 removed from it permanently\n',
    );
    await new Promise((resolve) => setTimeout(resolve, 2));
    const kept = await world.run(['questions', 'clean', '--older-than', '0']);
    expect(kept.stdout).toBe('0 moved to the trash, 0 removed from it permanently\n');
    expect(kept.stderr).toContain('1 answer or rejection that nobody has collected');
    const old = ['questions', 'clean', '--older-than', '0', '--uncollected'];
    expect((await world.run([...old, '--dry-run'])).stdout).toBe(
      '1 would be moved to the trash (1 of them never collected), 0 removed from it permanently\n',
    );
    expect((await world.json(old)).data).toEqual({
      retired: [id],
      purged: [],
      uncollected: [id],
      skipped: [],
    });
    expect(world.services().questions.ids()).toEqual([pending]);
    expect((await world.run(['questions', 'clean', '--older-than', 'x'])).code).toBe(2);
    expect((await world.run(['questions', 'clean', '--older-than', '-1'])).code).toBe(2);
  });

  verifies('Q20', 'ids by prefix: 4 or more characters, ambiguity lists the candidates', async () => {
    await using world = await appWorld();
    const base = world.services().config.layout.questions;
    const twins = ['abcd1111-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'abcd2222-aaaa-4aaa-8aaa-aaaaaaaaaaaa'];
    for (const id of twins) mkdirSync(join(base, id), { recursive: true, mode: 0o700 });
    expect((await world.run(['questions', 'show', 'abcd1'])).code).toBe(0);
    const { code, stderr } = await world.run(['questions', 'show', 'abcd']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`abcd fits 2 sessions: `)]);
    for (const id of twins) expect(stderr).toContain(id);
    expect((await world.run(['questions', 'show', 'abc'])).code).toBe(2);
    expect((await world.run(['questions', 'show', 'ffff'])).code).toBe(4);
  });

  verifies('Q20', 'more than the configured maximum ends with 7', async () => {
    await using world = await appWorld();
    world.configure({ question: { maxSessions: 1 } });
    await asked(world);
    const { code, stderr } = await world.run(['ask', '--no-wait', SET]);
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining('1 question sets are pending already, which is the limit'),
    ]);
  });

  verifies('Q20', 'a locked set ends with 5 and shows the owner; unlock needs --force', async () => {
    await using world = await appWorld();
    const id = await asked(world);
    const services = world.services();
    const held = await services.questionStore.hold(id);
    const locked = await world.run(['answer', id, '--option', '1']);
    expect([locked.code, locked.stderr]).toEqual([
      5,
      expect.stringMatching(new RegExp(`is locked by process ${process.pid} on .* \\(holdfast test\\)`)),
    ]);
    const looked = await world.run(['unlock', id]);
    expect([looked.code, looked.stderr]).toEqual([3, expect.stringContaining('Run it again with --force')]);
    const taken = await world.json(['unlock', id, '--force']);
    expect(taken).toMatchObject({ code: 0, data: { sessionId: id, state: 'held', taken: true } });
    // The loser can no longer write.
    expect(() => held.retire()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    held[Symbol.dispose]();
    expect((await world.run(['answer', id, '--option', '1'])).code).toBe(0);
    expect((await world.run(['unlock', id])).stdout).toBe(`${id} is not locked\n`);
    expect((await world.json(['unlock', id, '--force'])).data).toMatchObject({
      state: 'free',
      taken: false,
      owner: null,
    });
  });

  it('one set that cannot be reported does not keep the others from being collected', async () => {
    await using world = await appWorld();
    const [bad, good] = [await asked(world), await asked(world)];
    const base = world.services().config.layout.questions;
    const timestamp = new Date().toISOString();
    writeFileSync(
      join(base, bad, 'answers.json'),
      JSON.stringify({ sessionId: bad, answers: [], timestamp }),
    );
    await world.run(['answer', good, '--option', '1']);
    const { code, data } = await world.json(['questions', 'collect']);
    expect([code, data.sessionId]).toEqual([0, good]);
    expect((await world.run(['questions', 'show', bad])).code).toBe(0);
    expect(readFileSync(join(base, bad, 'answers.json'), 'utf8')).toContain('"answers":[]');
  });
});
