// Draws docs/inbox.svg, docs/run-view.svg and docs/top.svg from the real program: it runs in tmux on prepared question sets and with the
// scripted agent. Needs tmux and a built dist/ (npm run build).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawWindows, openTerminal } from './terminal-picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const MINUTE_MS = 60_000;
const SETS = [
  {
    id: '7c1f4a90-52d8-4e1b-9a36-0d5e8b2f6c11',
    agent: 'claude-code',
    directory: '/home/ada/shop',
    ageMs: 42 * MINUTE_MS,
    questions: [
      {
        title: 'Database',
        prompt:
          'Which **database** should hold the orders?\n\nThe load test needs about 2,000 writes a second:\n\n' +
          '- `orders` is the hot table\n- backups run at night',
        options: [
          { label: 'PostgreSQL (Recommended)', description: 'the billing service runs on it already' },
          { label: 'SQLite', description: 'one file, no server; one writer at a time' },
          { label: 'Keep the JSON files' },
        ],
      },
      {
        title: 'Checks',
        prompt: 'Which checks must pass before a deploy?',
        multiSelect: true,
        options: [{ label: 'Unit tests' }, { label: 'Load test' }, { label: 'Migration dry run' }],
      },
    ],
  },
  {
    id: 'b03e9d55-1f7a-4c62-8e40-73a9c5d1e822',
    agent: 'codex',
    directory: '/home/ada/website',
    ageMs: 9 * MINUTE_MS,
    questions: [
      {
        title: 'Delete',
        prompt: 'May I delete the folder `legacy/`? Nothing imports it.',
        options: [{ label: 'Yes' }, { label: 'No' }],
      },
    ],
  },
  {
    id: 'e5a8c714-9b20-4d3f-a7c6-2f1d0b9e4733',
    agent: 'gemini-cli',
    directory: '/home/ada/docs',
    ageMs: 0,
    questions: [
      {
        title: 'Tone',
        prompt: 'How should the release notes sound?',
        options: [{ label: 'Plain' }, { label: 'Cheerful' }],
      },
    ],
  },
];

const STATUS = (isDone) =>
  `\n---PRP_PHASE_STATUS---\nSTATUS: ${isDone ? 'COMPLETE' : 'IN_PROGRESS'}\nEXIT_SIGNAL: ${isDone}\n---END_PRP_PHASE_STATUS---\n`;
const PLAN =
  '# PRP: Orders\n\n### Success Criteria\n\n- [ ] sums an order\n- [ ] knows the tax\n- [ ] refuses what is empty\n';
const TESTS = `import assert from 'node:assert/strict';
import test from 'node:test';
const orders = () => import('../orders.mjs');
test('sums an order', async () => assert.equal((await orders()).sum([2, 3]), 5));
test('knows the tax', async () => assert.equal((await orders()).tax(100), 19));
test('refuses what is empty', async () => assert.throws((await orders()).refuse));
`;
const QUESTION = {
  title: 'Currency',
  prompt: 'In which currency are orders kept?',
  options: [{ label: 'Cents' }, { label: 'Decimals' }],
};
const TURNS = [
  {
    steps: [
      { write: { path: 'test/orders.test.mjs', content: TESTS } },
      { usage: { input: 42_000, output: 2_100, window: 200_000, cost: 0.31 } },
      { say: `The tests are there, and fail.\n${STATUS(true)}` },
    ],
  },
  {
    steps: [
      {
        write: {
          path: 'orders.mjs',
          content: 'export const sum = (prices) => prices.reduce((a, b) => a + b, 0);\n',
        },
      },
      { usage: { input: 58_000, output: 1_900, window: 200_000, cost: 0.44 } },
      { say: `The sum is done, the tax is next.\n${STATUS(false)}` },
    ],
  },
  {
    steps: [
      { say: 'Now the tax.\nBefore I round anything I need to know one thing.\n' },
      { ask: { questions: [QUESTION] } },
    ],
  },
];

const home = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
try {
  for (const set of SETS) plant(set);
  writePicture(
    'inbox.svg',
    await captureInbox(),
    'The holdfast inbox: the list of waiting questions, and one of them',
  );
  const { run, top } = await captureRun();
  writePicture('run-view.svg', run, 'A run of holdfast in the terminal, with a question of the agent');
  writePicture('top.svg', top, 'The overview of holdfast: what waits, in every project');
} finally {
  // Something that ends may still write.
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

function writePicture(name, screens, label) {
  writeFileSync(join(root, 'docs', name), drawWindows(screens, label));
  console.log(`docs/${name}`);
}

/** A pending set on disk, as an agent would have left it. */
function plant({ id, agent, directory, ageMs, questions }) {
  const path = join(home, 'holdfast', 'data', 'questions', id);
  const time = new Date(Date.now() - ageMs).toISOString();
  const common = { sessionId: id, status: 'pending', version: 1 };
  const write = (name, content) =>
    writeFileSync(join(path, name), JSON.stringify({ ...common, ...content }), { mode: 0o600 });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  write('request.json', { questions, timestamp: time, workingDirectory: directory, asker: { agent } });
  write('status.json', { createdAt: time, lastModified: time, totalQuestions: questions.length });
}

/** The list and a question, as rows of text with escape sequences. */
async function captureInbox() {
  const terminal = openTerminal(home, { rows: 9, words: 'inbox' });
  try {
    const list = await terminal.until(/3 waiting for you[\s\S]*\? keys/);
    terminal.resize(20);
    terminal.keys('Enter');
    const question = await terminal.until(/Question 1 of 2[\s\S]*Other[\s\S]*\? keys/);
    return [list.slice(0, 8), question.slice(0, 19)];
  } finally {
    terminal.close();
  }
}

/** A run that waits for an answer: tests first, then half of the code, then a question; and all there is, meanwhile. */
async function captureRun() {
  const project = join(home, 'till');
  mkdirSync(join(project, 'docs'), { recursive: true });
  writeFileSync(join(project, 'docs', 'orders.md'), PLAN);
  writeFileSync(join(home, 'script.json'), JSON.stringify({ turns: TURNS }));
  mkdirSync(join(home, 'holdfast', 'config'), { recursive: true, mode: 0o700 });
  const environment = {
    HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
    HOLDFAST_SCRIPTED_SCRIPT: join(home, 'script.json'),
    HOLDFAST_SCRIPTED_STATE: join(home, 'state'),
  };
  const program = join(root, 'dist', 'agents', 'scripted.cjs');
  const claude = { driver: 'claude', command: process.execPath, args: [program], environment };
  writeFileSync(join(home, 'holdfast', 'config', 'config.json'), JSON.stringify({ agents: { claude } }));
  const limits = '--max-time 2h --max-cost 10';
  const words = `run docs/orders.md --agent claude --verify 'node --test' ${limits}`;
  const terminal = openTerminal(home, { rows: 24, words, directory: project });
  try {
    const rows = await terminal.until(/press a\)[\s\S]*\? keys/);
    return { run: [withoutEnd(rows)], top: [await captureTop()] };
  } finally {
    terminal.keys('C-c');
    await terminal.until(/interrupted/);
    terminal.close();
  }
}

async function captureTop() {
  const terminal = openTerminal(home, { rows: 11, words: 'top' });
  try {
    const rows = await terminal.until(/4 waiting for you[\s\S]*orders[\s\S]*\? keys/);
    return withoutEnd(rows);
  } finally {
    terminal.close();
  }
}

/** Rows up to the last one that has anything. */
function withoutEnd(rows) {
  return rows.slice(0, rows.findLastIndex((row) => row.trim() !== '') + 1);
}
