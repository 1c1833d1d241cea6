// Draws docs/inbox.svg and docs/run-view.svg from the real program: it runs in tmux on prepared question sets and with the
// scripted agent, and what tmux shows, colours included, becomes a picture made of nothing but text. Needs tmux and a built dist/ (npm run build).
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';

const root = fileURLToPath(new URL('..', import.meta.url));
const HOLDFAST = join(root, 'dist', 'cli', 'holdfast.cjs');
const COLUMNS = 80;
const WAIT_MS = 20_000;

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

const CELL = { width: 8.4, height: 18, fontSize: 14 };
const MARGIN = 16;
const BAR = 30;
const GAP = 14;
const COLORS = {
  background: '#16181d',
  bar: '#23262d',
  text: '#d7dae0',
  dim: '#868d9b',
  31: '#e0605a',
  32: '#7fc97f',
  33: '#e6c562',
  36: '#6cc7d8',
};

const home = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
try {
  for (const set of SETS) plant(set);
  writePicture(
    'inbox.svg',
    await captureInbox(),
    'The holdfast inbox: the list of waiting questions, and one of them',
  );
  writePicture(
    'run-view.svg',
    await captureRun(),
    'A run of holdfast in the terminal, with a question of the agent',
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

function writePicture(name, screens, label) {
  writeFileSync(join(root, 'docs', name), draw(screens, label));
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
  const { tmux, until } = openTerminal('inbox', { rows: 9, directory: home });
  try {
    const list = await until(/3 wait on you[\s\S]*\? keys/);
    tmux('resize-window', '-x', `${COLUMNS}`, '-y', '20');
    tmux('send-keys', 'Enter');
    const question = await until(/Question 1 of 2[\s\S]*Other[\s\S]*\? keys/);
    return [list.slice(0, 8), question.slice(0, 19)];
  } finally {
    tmux('kill-server');
  }
}

/** A run that waits for an answer: tests first, then half of the code, then a question. */
async function captureRun() {
  const project = join(home, 'shop');
  mkdirSync(join(project, 'docs'), { recursive: true });
  writeFileSync(join(project, 'docs', 'orders.md'), PLAN);
  writeFileSync(join(home, 'script.json'), JSON.stringify({ turns: TURNS }));
  mkdirSync(join(home, 'holdfast', 'config'), { recursive: true, mode: 0o700 });
  const environment = {
    HOLDFAST_SCRIPTED_PROTOCOL: 'claude',
    HOLDFAST_SCRIPTED_SCRIPT: join(home, 'script.json'),
    HOLDFAST_SCRIPTED_STATE: join(home, 'state'),
  };
  const program = join(root, 'dist', 'agents', 'scripted.mjs');
  const claude = { driver: 'claude', command: process.execPath, args: [program], environment };
  writeFileSync(join(home, 'holdfast', 'config', 'config.json'), JSON.stringify({ agents: { claude } }));
  const limits = '--max-time 2h --max-cost 10';
  const { tmux, until } = openTerminal(`run docs/orders.md --agent claude --verify 'node --test' ${limits}`, {
    rows: 24,
    directory: project,
  });
  try {
    const rows = await until(/a answers it[\s\S]*\? keys/);
    return [rows.slice(0, rows.findLastIndex((row) => row.trim() !== '') + 1)];
  } finally {
    tmux('send-keys', 'C-c');
    await until(/interrupted/).catch(() => {}); // the pane goes with the program
    tmux('kill-server');
  }
}

/** The program in a terminal of its own. */
function openTerminal(args, { rows, directory }) {
  const socket = join(home, 'tmux');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HOLDFAST_HOME: join(home, 'holdfast'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  const tmux = (...args) => execFileSync('tmux', ['-u', '-S', socket, ...args], { env, encoding: 'utf8' });
  const until = async (wanted) => {
    for (const deadline = Date.now() + WAIT_MS; ; ) {
      const text = tmux('capture-pane', '-p');
      if (wanted.test(text)) return tmux('capture-pane', '-p', '-e').replace(/\n$/, '').split('\n');
      if (Date.now() > deadline) throw new Error(`never seen: ${wanted}\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  writeFileSync(join(home, 'tmux.conf'), 'set -g status off\n');
  const size = ['-x', `${COLUMNS}`, '-y', `${rows}`];
  const start = ['-f', join(home, 'tmux.conf'), 'new-session', '-d', ...size, '-c', directory];
  tmux(...start, `'${process.execPath}' '${HOLDFAST}' ${args}; cat`);
  return { tmux, until };
}

/** All screens as windows below each other. */
function draw(screens, label) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  let top = 0;
  const windows = screens.map((rows) => {
    const drawn = drawWindow(rows, width, top);
    top += windowHeight(rows) + GAP;
    return drawn;
  });
  const height = top - GAP;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.fontSize}">`,
    ...windows.flat(),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function windowHeight(rows) {
  return BAR + rows.length * CELL.height + MARGIN;
}

function drawWindow(rows, width, top) {
  const dots = ['#e0605a', '#e0b64f', '#62b558'].map(
    (color, index) =>
      `<circle cx="${MARGIN + 4 + index * 18}" cy="${top + BAR / 2}" r="5.5" fill="${color}"/>`,
  );
  return [
    `<rect y="${top}" width="${width}" height="${windowHeight(rows)}" rx="8" fill="${COLORS.background}"/>`,
    `<path d="M0 ${top + BAR - 6}v-${BAR - 14}a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${BAR - 14}z" fill="${COLORS.bar}"/>`,
    ...dots,
    ...stretchesOf(rows).flatMap((row, index) => drawRow(row, top + BAR + index * CELL.height)),
  ];
}

function drawRow(stretches, top) {
  let column = 0;
  return stretches.flatMap(({ text, style }) => {
    const x = round(MARGIN + column * CELL.width);
    const columns = stringWidth(text);
    column += columns;
    if (text.trim() === '' && !style.isInverse) return [];
    const width = round(columns * CELL.width);
    const color = style.isDim ? COLORS.dim : (COLORS[style.color] ?? COLORS.text);
    const attributes = [
      `x="${x}"`,
      `y="${round(top + CELL.height * 0.75)}"`,
      `textLength="${width}"`,
      `fill="${style.isInverse ? COLORS.background : color}"`,
      style.isBold ? 'font-weight="bold"' : '',
      style.isUnderlined ? 'text-decoration="underline"' : '',
      'xml:space="preserve"',
    ].filter(Boolean);
    const back = style.isInverse
      ? [`<rect x="${x}" y="${round(top)}" width="${width}" height="${CELL.height}" fill="${color}"/>`]
      : [];
    return [...back, `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`];
  });
}

/** The parts of each row that look alike; a style lasts until the next one, over the ends of rows too. */
function stretchesOf(rows) {
  let style = {};
  return rows.map((row) => {
    const stretches = [];
    for (const [, codes, text] of row.matchAll(/\x1b\[([0-9;]*)m|([^\x1b]+)/g)) {
      if (text === undefined) style = codes.split(';').reduce(restyle, style);
      else stretches.push({ text, style });
    }
    return stretches;
  });
}

function restyle(style, code) {
  const number = Number(code);
  if (number === 0) return {};
  if (number === 1) return { ...style, isBold: true };
  if (number === 2) return { ...style, isDim: true };
  if (number === 4) return { ...style, isUnderlined: true };
  if (number === 7) return { ...style, isInverse: true };
  if (number === 22) return { ...style, isBold: false, isDim: false };
  if (number === 24) return { ...style, isUnderlined: false };
  if (number === 27) return { ...style, isInverse: false };
  if (number >= 30 && number <= 37) return { ...style, color: number };
  return number === 39 ? { ...style, color: undefined } : style;
}

function round(number) {
  return Math.round(number * 100) / 100;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
