// Records docs/demo.svg: `holdfast demo` runs in tmux, somebody presses Enter at its question, and every screen becomes a
// frame of a film made of nothing but text. Needs tmux and a built dist/ (npm run build).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawFilm, openTerminal, pause } from './terminal-picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const ROWS = 26;
const LOOK_MS = 20;
/** The demo is over in a few seconds: nobody could read it at its own pace. */
const SLOWER = 3;
const SHORTEST_MS = 400;
const QUESTION_MS = 1_000;
const LAST_MS = 8_000;
const TOO_LONG_MS = 60_000;
const PROMPT = /[○●]/;

const home = mkdtempSync(join(tmpdir(), 'holdfast-recording-'));
try {
  const frames = await record();
  const label = 'holdfast demo: a plan, an agent, a question, a kill, a resume and the report';
  writeFileSync(join(root, 'docs', 'demo.svg'), drawFilm(frames, label));
  console.log(`docs/demo.svg: ${frames.length} frames`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function record() {
  const terminal = openTerminal(home, { rows: ROWS, words: 'demo' });
  const frames = [];
  let isAnswered = false;
  try {
    for (const deadline = Date.now() + TOO_LONG_MS; ; ) {
      const isOver = terminal.isOver();
      const rows = padded(terminal.look());
      const isQuestion = !isAnswered && rows.some((row) => PROMPT.test(row));
      add(frames, rows, isQuestion ? QUESTION_MS : LOOK_MS);
      if (isOver) break;
      if (isQuestion) {
        terminal.keys('Enter');
        isAnswered = true;
      }
      if (Date.now() > deadline) throw new Error(`the demo does not end:\n${rows.join('\n')}`);
      await pause(LOOK_MS);
    }
  } finally {
    terminal.close();
  }
  if (!isAnswered) throw new Error('the demo asked nothing');
  return frames.map(({ rows, ms }, index) => ({
    rows,
    ms: index === frames.length - 1 ? LAST_MS : Math.max(SHORTEST_MS, SLOWER * ms),
  }));
}

function add(frames, rows, ms) {
  const last = frames.at(-1);
  if (last !== undefined && last.rows.join('\n') === rows.join('\n')) last.ms += ms;
  else if (rows.some((row) => row.trim() !== '')) frames.push({ rows, ms });
}

function padded(rows) {
  return [...rows, ...Array(ROWS).fill('')].slice(0, ROWS);
}
