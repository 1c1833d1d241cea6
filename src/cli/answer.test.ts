import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import { asked, REPORT_KEYS, SET, TWO } from '../../test/support/question-commands.js';
import { verifies } from '../../test/support/verifies.js';
import { systemIds } from '../foundation/index.js';

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

  it('takes the option as a second word, and the only set that waits without a first one', async () => {
    await using world = await appWorld();
    const nothing = await world.json(['answer', '--option', '1']);
    expect(nothing).toMatchObject({ code: 2, data: { error: 'Nothing waits for an answer' } });
    const first = await asked(world);
    const second = await asked(world);
    const both = await world.json(['answer', '--option', '1']);
    expect(both.data).toMatchObject({ error: '2 question sets wait for an answer: say which' });
    expect(both.data.hint).toContain(first.slice(0, 8));
    expect(both.data.hint).toContain(second.slice(0, 8));
    expect((await world.json(['answer', first, 'SQLite'])).data).toMatchObject({
      sessionId: first,
      answers: [{ selectedOption: 'SQLite' }],
    });
    expect((await world.json(['answer', '--option', '1'])).data).toMatchObject({ sessionId: second });
  });

  it('says that it is late where the set was withdrawn or timed out', async () => {
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
    ['an answer and --reject', ['--option', 'SQLite', '--reject'], 'USAGE', /Either answer or --reject/],
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
