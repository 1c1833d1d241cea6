// Draws docs/inbox.svg from the real program: it runs in tmux on prepared question sets. Needs tmux and a built dist/
// (npm run build).
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

const home = mkdtempSync(join(tmpdir(), 'holdfast-picture-'));
try {
  for (const set of SETS) plant(set);
  const screens = await capture();
  const label = 'The holdfast inbox: the list of waiting questions, and one of them';
  writeFileSync(join(root, 'docs', 'inbox.svg'), drawWindows(screens, label));
  console.log('docs/inbox.svg');
} finally {
  rmSync(home, { recursive: true, force: true });
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
async function capture() {
  const terminal = openTerminal(home, 9, 'inbox');
  try {
    const list = await terminal.until(/3 wait on you[\s\S]*\? keys/);
    terminal.resize(20);
    terminal.keys('Enter');
    const question = await terminal.until(/Question 1 of 2[\s\S]*Other[\s\S]*\? keys/);
    return [list.slice(0, 8), question.slice(0, 19)];
  } finally {
    terminal.close();
  }
}
