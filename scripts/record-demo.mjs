// Records docs/demo.svg and docs/fleet-demo.svg: `holdfast demo` and `holdfast demo --fleet` run in tmux, somebody presses Enter
// at the question, and every screen becomes a frame of a film made of nothing but text. Needs tmux and a built dist/ (npm run
// build), the second one PostgreSQL and git as well.
//   node scripts/record-demo.mjs [demo] [fleet-demo]    both, if none is named
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawFilm, openTerminal, pause } from './terminal-picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const FILMS = [
  {
    name: 'demo',
    words: 'demo',
    label: 'holdfast demo: a plan, an agent, a question, a kill, a resume and the report',
    rows: 26,
    lookMs: 20,
    longestMs: Number.POSITIVE_INFINITY,
  },
  {
    name: 'fleet-demo',
    words: 'demo --fleet',
    label:
      'holdfast demo --fleet: a plan queued on a laptop and run by a workstation, a question answered on the laptop, a pulled plug, and the run that goes on on the laptop',
    rows: 48,
    lookMs: 100,
    // Nobody wants to see a lease end at its own pace.
    longestMs: 3_000,
  },
];
/** What happens in a moment nobody could read at its own pace. */
const SLOWER = 3;
const SHORTEST_MS = 400;
const QUESTION_MS = 1_000;
const LAST_MS = 8_000;
const TOO_LONG_MS = 180_000;
const PROMPT = /[○●]/;

const named = process.argv.slice(2);
const unknown = named.filter((name) => !FILMS.some((film) => film.name === name));
if (unknown.length > 0) throw new Error(`no such film: ${unknown.join(', ')}`);
for (const film of FILMS) if (named.length === 0 || named.includes(film.name)) await make(film);

async function make(film) {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-recording-'));
  try {
    const frames = await record(home, film);
    writeFileSync(join(root, 'docs', `${film.name}.svg`), drawFilm(frames, film.label));
    console.log(`docs/${film.name}.svg: ${frames.length} frames`);
  } finally {
    // Something that ends may still write.
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function record(home, { words, rows: height, lookMs, longestMs }) {
  const terminal = openTerminal(home, { rows: height, words });
  const frames = [];
  let isAnswered = false;
  try {
    for (const deadline = Date.now() + TOO_LONG_MS; ; ) {
      const isOver = terminal.isOver();
      const rows = padded(terminal.look(), height);
      const isQuestion = !isAnswered && rows.some((row) => PROMPT.test(row));
      add(frames, rows, isQuestion ? QUESTION_MS : lookMs);
      if (isOver) break;
      if (isQuestion) {
        terminal.keys('Enter');
        isAnswered = true;
      }
      if (Date.now() > deadline) throw new Error(`the demo does not end:\n${rows.join('\n')}`);
      await pause(lookMs);
    }
  } finally {
    terminal.close();
  }
  if (!isAnswered) throw new Error('the demo asked nothing');
  return frames.map(({ rows, ms }, index) => ({
    rows,
    ms: index === frames.length - 1 ? LAST_MS : Math.min(longestMs, Math.max(SHORTEST_MS, SLOWER * ms)),
  }));
}

function add(frames, rows, ms) {
  const last = frames.at(-1);
  if (last !== undefined && last.rows.join('\n') === rows.join('\n')) last.ms += ms;
  else if (rows.some((row) => row.trim() !== '')) frames.push({ rows, ms });
}

function padded(rows, height) {
  return [...rows, ...Array(height).fill('')].slice(0, height);
}
