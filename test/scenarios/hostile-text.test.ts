import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { QuestionInput } from '../../src/sessions/question/index.js';
import { type AppWorld, appWorld, speakTo } from '../support/app-world.js';
import { machine } from '../support/holdfast-binary.js';
import { ATTACKS, assertLines, assertVisible, hostileText } from '../support/hostile-text.js';
import { question, treeOf } from '../support/question-world.js';
import { SeededRandom } from '../support/seeded-random.js';
import { verifies } from '../support/verifies.js';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const NUMBERED = /^\d+\. /;
const CHOICE = /^→ /;
const TIME = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z';

/** The lines of each view, as we write them. */
const ANSWERS = [
  /^Here are the user's answers:$/,
  NUMBERED,
  CHOICE,
  /^$/,
  // Where nothing but blanks was given.
  /^The person rejected this question set and gave no reason\.$/,
];
const SHOWN = [
  new RegExp(`^${UUID}  (pending|completed|rejected|abandoned|timed_out)( \\(late\\))?$`),
  new RegExp(`^asked ${TIME} by `),
  /^(?:answered|rejected|withdrawn) by (?:cli|library)$/,
  /^in /,
  /^times out /,
  NUMBERED,
  /^ {3}│/,
  /^ {3}\d+\) /,
  ...ANSWERS,
  /^ {2}\S.* → /,
  /^The person rejected this question set\. Reason: (?:".*"|in their own words:)$/,
  /^This question set was abandoned: /,
];
const LISTED = [
  /^ID +STATUS +AGE +QUESTIONS +ASKER +PROJECT +FIRST QUESTION$/,
  /^[0-9a-f]{8} {2}(pending|completed|rejected|abandoned) +\d+ (s|min) +\d+ {2}/,
];

/** Sets whose every text is hostile; labels are made unique and not blank, as the rules want it. */
function hostileSets(texts: readonly string[]): QuestionInput[][] {
  const rest = [...texts];
  const take = () => rest.shift() ?? 'x';
  const sets: QuestionInput[][] = [];
  while (rest.length > 0) {
    sets.push(
      Array.from({ length: 3 }, (_, index) => ({
        prompt: `p${take()}`,
        title: `t${take()}`,
        options: Array.from({ length: 3 }, (_option, number) => ({
          label: `${number}${take()}`,
          description: take(),
        })),
        multiSelect: index === 1,
      })),
    );
  }
  return sets;
}

async function createAll(world: AppWorld, sets: QuestionInput[][], random: SeededRandom): Promise<string[]> {
  const { questions } = world.services();
  const ids: string[] = [];
  for (const set of sets) {
    const { id } = await questions.create(set, {
      asker: { agent: hostileText(random), version: hostileText(random) },
      workingDirectory: `/${hostileText(random)}`,
      callId: hostileText(random),
      requestId: `${ids.length}${hostileText(random)}`,
    });
    ids.push(id);
  }
  return ids;
}

/** Shows a set in every way there is and looks at each line. */
async function lookEverywhere(world: AppWorld, id: string, what: string): Promise<void> {
  const views: [string[], RegExp[]][] = [
    [['questions', 'show', id], SHOWN],
    [['questions', 'verify', id], [/^1 checked, 0 with faults$/]],
    [
      ['questions', 'collect', id],
      [
        new RegExp(`^\\[Session: ${UUID} \\| Status: \\w+\\]$`),
        /^No answers yet\.$/,
        ...ANSWERS,
        /^The person rejected this question set\. Reason: ".*"$/,
        /^This question set was abandoned: /,
      ],
    ],
  ];
  for (const [args, lines] of views) {
    const { stdout, stderr } = await world.run(args);
    assertVisible(stdout + stderr, `${what} ${args[1]}`);
    assertLines(stdout, lines, `${what} ${args[1]}`);
    expect(stderr).toBe('');
  }
  for (const args of [
    ['questions', 'show', id],
    ['questions', 'collect', id],
  ]) {
    const { stdout } = await world.run([...args, '--json']);
    assertVisible(stdout, `${what} ${args[1]} --json`);
    expect(stdout.split('\n')).toHaveLength(2);
  }
}

describe('text of agents and people', () => {
  verifies(
    'Q14',
    'reaches no view as control, reordering or forged line, and the files keep it word for word',
    async () => {
      await using world = await appWorld();
      const random = new SeededRandom(4_711);
      const texts = [...ATTACKS, ...Array.from({ length: 2_000 }, () => hostileText(random))];
      const sets = hostileSets(texts);
      world.configure({ question: { maxSessions: 1_000 } });
      const ids = await createAll(world, sets, random);
      const services = world.services();
      for (const [index, set] of sets.entries()) {
        const request = JSON.parse(
          readFileSync(join(services.config.layout.questions, ids[index] ?? '', 'request.json'), 'utf8'),
        );
        expect(request.questions).toEqual(set);
      }
      const list = await world.run(['questions', 'list']);
      assertVisible(list.stdout, 'list');
      assertLines(list.stdout, LISTED, 'list');
      expect(list.stdout.trimEnd().split('\n')).toHaveLength(sets.length + 1);
      const json = await world.run(['questions', 'list', '--json']);
      assertVisible(json.stdout, 'list --json');
      expect(JSON.parse(json.stdout).map((report: { questions: unknown }) => report.questions)).toHaveLength(
        sets.length,
      );
      for (const [index, set] of sets.entries()) {
        const id = ids[index] ?? '';
        const what = `set ${index}`;
        if (index % 8 === 0) await lookEverywhere(world, id, `${what} pending`);
        const own = hostileText(random);
        if (index % 4 === 3) {
          const done = await world.run(
            index % 8 === 3
              ? ['answer', id, '--reject', '--reason', own]
              : ['questions', 'cancel', id, '--reason', own],
          );
          assertLines(done.stdout, [/^(Rejected|Withdrew) [0-9a-f-]{36}$/], what);
        } else {
          const answers = set.map((asked, questionIndex) => {
            const labels = asked.options.map((option) => option.label);
            return [
              String(questionIndex),
              asked.multiSelect
                ? { selectedOptions: labels, customText: own }
                : { selectedOption: labels[questionIndex], customText: own },
            ];
          });
          const done = await world.run([
            'answer',
            id,
            '--answers',
            JSON.stringify(Object.fromEntries(answers)),
          ]);
          expect(done.stderr).toBe('');
          assertVisible(done.stdout, what);
          assertLines(
            done.stdout,
            [/^Answered [0-9a-f-]{36}$/, /^ {2}.* → .*, (?:"[^\n]*"|in their own words:)$/, /^ {3}│/, /^$/],
            what,
          );
          expect(
            done.stdout.split('\n').filter((line) => / → /.test(line) && !/^ {3}│/.test(line)),
          ).toHaveLength(3);
          const { answers: kept } = JSON.parse(
            readFileSync(join(services.config.layout.questions, id, 'answers.json'), 'utf8'),
          );
          expect(kept.map((answer: { customText: string }) => answer.customText)).toEqual([own, own, own]);
          // Who comes too late is told the winner, in one line.
          const late = await world.run(['answer', id, '--reject']);
          assertVisible(late.stderr, what);
          assertLines(
            late.stderr,
            [/^holdfast: Session .* was answered already .*; that outcome stands$/, /^See it with /],
            what,
          );
        }
        if (index % 4 === 0 || index % 4 === 3) await lookEverywhere(world, id, `${what} settled`);
      }
    },
  );

  verifies('Q18', 'the same through MCP: text, structured content, errors and log lines', async () => {
    await using world = await appWorld();
    world.configure({ question: { maxSessions: 1_000 } });
    const random = new SeededRandom(815);
    const sets = hostileSets([...ATTACKS, ...Array.from({ length: 400 }, () => hostileText(random))]);
    const services = world.services();
    await using server = await speakTo(services, hostileText(random));
    const header = /^\[Session: [0-9a-f]{8} \| (Questions: \d+( \| (Late|Status: pending))?|Status: \w+)\]$/;
    const lines = [
      header,
      ...ANSWERS,
      /^No answers yet\. The question stays/,
      /^Later, use get_answered_questions\(session_id="[0-9a-f]{8}"\)/,
      /^User rejected this question set\.$/,
      /^Rejection reason: ".*"$/,
      /^This question set was withdrawn: /,
    ];
    const call = async (name: string, parameters: object) =>
      (await server.call('tools/call', { name, arguments: parameters })).result;
    for (const [index, set] of sets.entries()) {
      const asked = await call('ask_user_questions', {
        questions: set,
        nonBlocking: true,
        requestId: `${index}${hostileText(random)}`,
      });
      assertVisible(asked.content[0].text, `mcp ${index}`);
      assertLines(asked.content[0].text, lines, `mcp ${index}`);
      const [{ sessionId }] = asked.structuredContent.sessions;
      const own = hostileText(random);
      if (index % 3 === 1) await services.questions.reject(sessionId, own);
      else if (index % 3 === 2) await services.questions.cancel(sessionId, own);
      else
        await services.questions.answer(
          sessionId,
          set.map((asked_, questionIndex) => ({
            questionIndex,
            ...(asked_.multiSelect ? { selectedOptions: [asked_.options[0]?.label ?? ''] } : {}),
            customText: own,
          })),
        );
      const fetched = await call('get_answered_questions', { session_id: sessionId });
      expect(fetched.isError).toBeUndefined();
      assertVisible(fetched.content[0].text, `mcp ${index}`);
      assertLines(fetched.content[0].text, lines, `mcp ${index}`);
    }
    for (const text of [...ATTACKS, ...Array.from({ length: 200 }, () => hostileText(random))]) {
      for (const refused of [
        await call('get_answered_questions', { session_id: text }),
        await call('ask_user_questions', { questions: [{ ...question(), [text]: text }] }),
        await call('ask_user_questions', {
          questions: [question({ options: [{ label: `x${text}` }, { label: `x${text}` }] })],
        }),
        await call(text, {}),
      ]) {
        const shown = refused?.content?.[0]?.text ?? '';
        assertVisible(shown, 'mcp error');
        expect(shown.split('\n').length).toBeLessThanOrEqual(2);
      }
    }
  });

  verifies(
    'Q16',
    'as an id it is refused everywhere, shown as one visible line, and no path is touched',
    async () => {
      await using world = await appWorld();
      const random = new SeededRandom(16);
      await world.run(['ask', '--no-wait', JSON.stringify({ questions: [question()] })]);
      const before = treeOf(world.dir.path);
      const ids = [
        '../',
        '..',
        '../../../../etc/passwd',
        '/etc/passwd',
        '\0',
        'a\0b',
        'x'.repeat(4_096),
        'f'.repeat(4_096),
        '__proto__',
        'constructor',
        'CON',
        '.holdfast',
        '.holdfast/create.lock.1',
        '*',
        '~',
        '-',
        '....',
        ...ATTACKS,
        ...Array.from({ length: 150 }, () => hostileText(random)),
      ];
      const commands = (id: string) => [
        ['questions', 'show', id],
        ['questions', 'collect', id],
        ['questions', 'cancel', id],
        ['questions', 'verify', id],
        ['answer', id, '--option', '1'],
        ['answer', id, '--reject'],
        ['unlock', id, '--force'],
      ];
      for (const [index, id] of ids.entries()) {
        const all = commands(id);
        for (const args of index < 20 ? all : [all[index % all.length] ?? []]) {
          for (const json of [[], ['--json']]) {
            const { code, stdout, stderr } = await world.run([...args, ...json]);
            expect([code === 2 || code === 4, id, args]).toEqual([true, id, args]);
            assertVisible(stdout + stderr, `id ${args[1]}`);
            // Who answers is also told what waits, and how to answer that.
            const rows = args[0] === 'answer' ? 3 : 2;
            expect((stdout + stderr).trimEnd().split('\n').length).toBeLessThanOrEqual(rows);
            expect((stdout + stderr).length).toBeLessThan(5_000);
          }
        }
      }
      expect(treeOf(world.dir.path)).toEqual(before);
    },
  );

  verifies('Q20', 'as any argument of a command it is shown as visible text', async () => {
    await using world = await appWorld();
    const random = new SeededRandom(20);
    const { stdout } = await world.run([
      'ask',
      '--no-wait',
      JSON.stringify({ questions: [question(), question()] }),
    ]);
    const id = stdout.trim();
    for (const text of [...ATTACKS, ...Array.from({ length: 100 }, () => hostileText(random))]) {
      for (const args of [
        [text],
        ['questions', text],
        ['questions', 'list', `--${text}`],
        ['ask', text],
        ['ask', '--file', `x${text}`],
        ['ask', '{}', '--timeout', text],
        ['answer', id, '--option', text],
        ['answer', id, '--option', `0=${text}`],
        ['answer', id, '--answers', text],
        ['answer', id, '--answers', JSON.stringify({ [text]: {} })],
        ['answer', id, '--answers', JSON.stringify({ 0: { [text]: text } })],
        ['setup', text],
        ['completion', text],
        ['questions', 'clean', '--older-than', text],
      ]) {
        const { stdout: out, stderr } = await world.run(args);
        assertVisible(out + stderr, JSON.stringify(args));
      }
    }
    expect((await world.json(['questions', 'show', id])).data.status).toBe('pending');
  });

  it('in damaged files and lock records it is shown as visible text', async () => {
    await using world = await appWorld();
    const random = new SeededRandom(8);
    const base = world.services().config.layout.questions;
    const some = ATTACKS.filter((_, number) => number % 4 === 0);
    const texts = [ATTACKS.join(''), ...some, ...Array.from({ length: 6 }, () => hostileText(random))];
    for (const [index, text] of texts.entries()) {
      const { stdout } = await world.run(['ask', '--no-wait', JSON.stringify({ questions: [question()] })]);
      const id = stdout.trim();
      const path = join(base, id, index % 2 === 0 ? 'status.json' : 'request.json');
      const document = JSON.parse(readFileSync(path, 'utf8'));
      const keys = Object.keys(document);
      writeFileSync(
        path,
        index % 5 === 4
          ? text
          : JSON.stringify({ ...document, [keys[index % keys.length] ?? '']: text, [text]: text }),
      );
      writeFileSync(
        join(base, id, 'session.lock.7'),
        JSON.stringify({
          version: 1,
          pid: 1,
          startTime: text,
          bootId: null,
          pidNamespace: text,
          host: text,
          token: text,
          command: text,
          since: text,
        }),
      );
      for (const args of [
        ['questions', 'list', '--all'],
        ['questions', 'show', id],
        ['questions', 'verify', id],
        ['unlock', id],
        ['unlock', id, '--force'],
        ['questions', 'cancel', id],
      ]) {
        for (const json of [[], ['--json']]) {
          const { stdout: out, stderr } = await world.run([...args, ...json], {
            environment: { HOLDFAST_DEBUG: '1' },
          });
          assertVisible(out + stderr, JSON.stringify(args));
        }
      }
      await world.run(['questions', 'clean', '--older-than', '0']);
    }
  });
});

describe('through the real program', () => {
  verifies('Q20', 'attack strings as arguments, in files and in the name of the project', async () => {
    await using world = await machine();
    const all = ATTACKS.join(' ').replaceAll('\0', '');
    const project = join(world.project, ATTACKS.join('').replaceAll(/[\0/]/g, '').slice(0, 40));
    mkdirSync(project);
    const set = JSON.stringify({
      questions: [
        question({
          prompt: all,
          title: all,
          options: [{ label: `1${all}`, description: all }, { label: `2${all}` }],
        }),
      ],
    });
    const asked = await world.run(['ask', '--no-wait', '--agent', all, '--request-id', all.slice(0, 100)], {
      input: set,
      cwd: project,
    });
    const id = asked.stdout.trim();
    const views = [
      await world.run(['questions'], { cwd: project }),
      await world.run(['questions', 'show', id], { cwd: project }),
      await world.run(['paths'], { cwd: project }),
      await world.run(['questions', 'show', all], { cwd: project }),
      await world.run(['answer', id, '--option', '1', '--text', all], { cwd: project }),
      await world.run(['questions', 'collect', '--json'], { cwd: project }),
    ];
    expect(views.map((view) => view.code)).toEqual([0, 0, 0, 2, 0, 0]);
    for (const [index, { stdout, stderr }] of views.entries())
      assertVisible(stdout + stderr, `view ${index}`);
    expect(world.readFile(id, 'request.json').questions[0].prompt).toBe(all);
    expect(world.readFile(id, 'answers.json').answers[0].customText).toBe(all);
  });
});
