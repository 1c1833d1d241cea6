import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Machine } from './holdfast-binary.js';
import { until } from './processes.js';
import { question } from './question-world.js';
import { done, notDone, say, write } from './run-world.js';

const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
const money = () => import('../money.mjs');
test('adds', async () => assert.equal((await money()).add(0.1, 0.2), 0.3));
test('rounds half up', async () => assert.equal((await money()).round(1.005), 1.01));
test('formats', async () => assert.equal((await money()).format(3), '3.00'));
`;
const HALF = 'export const format = (value) => value.toFixed(2);\n';
const WHOLE = `${HALF}export const round = (value) => Math.round(value * 100 + 1e-9) / 100;\nexport const add = (a, b) => round(a + b);\n`;

const ROUNDING = question({
  title: 'Rounding',
  prompt: 'Round each line of an invoice, or only the sum?',
  options: [{ label: 'Each line' }, { label: 'The sum' }],
});
const NAMES = question({
  title: 'File name',
  prompt: 'May the module be called money.mjs?',
  options: [{ label: 'Yes' }, { label: 'No' }],
});
const used = (input: number, output: number, cost: number) => ({ usage: { input, output, cost } });
const stuck = (words: string) => ({ steps: [say(`${words}\n`), used(9_000, 700, 0.11), notDone] });

/** What the agent does, prompt by prompt: two questions, no progress, a permission, a turn that is killed, and the rest. */
export const EVENTFUL = [
  {
    steps: [
      { ask: { questions: [ROUNDING] } },
      write('test/money.test.mjs', TESTS),
      used(21_000, 1_900, 0.24),
      done,
    ],
  },
  {
    steps: [
      { ask: { questions: [NAMES] } },
      write('money.mjs', HALF),
      say('Formatting works. Adding 0.1 and 0.2 does not give 0.3 yet.\n'),
      used(24_000, 2_100, 0.31),
      notDone,
    ],
  },
  stuck('I look for the reason in the test runner.'),
  stuck('I still look for the reason.'),
  {
    steps: [
      { permission: { tool: 'Bash', input: { command: 'npm view decimal.js version' }, kind: 'execute' } },
      used(12_000, 800, 0.14),
      write('notes.md', 'Floating point: scale to cents before rounding.\n'),
      { hang: true },
    ],
  },
  {
    steps: [
      write('money.mjs', WHOLE),
      say('Cents are rounded as whole numbers now.\n'),
      used(18_000, 1_500, 0.22),
      done,
    ],
  },
  { steps: [write('money.mjs', `// Money in cents.\n${WHOLE}`), used(8_000, 600, 0.09), done] },
  { steps: [write('README.md', '# Money\n'), used(6_000, 900, 0.08), done] },
];

export interface EventfulRun {
  readonly id: string;
  /** The output of the last run, which reached the end. */
  readonly stderr: string;
}

/** A run with two questions, a breaker, a permission, a kill and a resume, up to its end. */
export async function eventfulRun(box: Machine, project: string, agent: string): Promise<EventfulRun> {
  const plan = 'docs/prps/money.md';
  mkdirSync(dirname(join(project, plan)), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(project, plan),
    '# PRP: Money\n\n### Success Criteria\n\n- [ ] adds\n- [ ] rounds\n- [ ] formats\n',
  );
  const way = ['--agent', agent, '--verify', 'node --test', '--attended', '--max-cost', '2'];
  const run = box.start(['run', plan, ...way], { cwd: project });
  const answer = async (title: string, option: string, more: readonly string[] = []) => {
    let id: string | undefined;
    await until(async () => {
      const { data } = await box.asideJson(['questions'], { cwd: project });
      id = data.find(
        (set: { questions: { title: string }[] }) => set.questions[0]?.title === title,
      )?.sessionId;
      return id !== undefined;
    });
    const { code, stderr } = await box.aside(['answer', id ?? '', '--option', option, ...more], {
      cwd: project,
    });
    if (code !== 0) throw new Error(stderr);
  };
  await answer('Rounding', 'The sum', ['--text', 'as the tax office wants it']);
  await answer('File name', 'Yes');
  await answer('Breaker', 'Try again');
  await answer('Permission', 'Allow once');
  await until(() => existsSync(join(project, 'notes.md')));
  run.child.kill('SIGKILL');
  await run.ended;
  const again = await box.run(['run', plan, '--resume', '--attended'], { cwd: project });
  if (again.code !== 0) throw new Error(again.stderr);
  const { data } = await box.asideJson(['report'], { cwd: project });
  return { id: data.sessionId, stderr: again.stderr };
}
