// A real program in a real terminal (tmux), and what it shows there as a picture made of nothing but text.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';

const root = fileURLToPath(new URL('..', import.meta.url));
export const HOLDFAST = join(root, 'dist', 'cli', 'holdfast.cjs');
export const COLUMNS = 80;
const WAIT_MS = 20_000;
const LOOK_MS = 50;

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

/** How many terminals there were: each has a server of its own. */
let opened = 0;

/** Starts `holdfast` with these words in a terminal of its own, whose home is a directory that goes away afterwards. */
export function openTerminal(home, { rows, words, directory = home }) {
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    HOLDFAST_HOME: join(home, 'holdfast'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  const options = { env: environment, encoding: 'utf8' };
  opened += 1;
  const socket = join(home, `tmux-${opened}`);
  const tmux = (...args) => execFileSync('tmux', ['-u', '-S', socket, ...args], options);
  const look = () => tmux('capture-pane', '-p', '-e').replace(/\n$/, '').split('\n');
  writeFileSync(
    join(home, 'tmux.conf'),
    "set -g status off\nset -g remain-on-exit on\nset -g remain-on-exit-format ''\n",
  );
  const size = ['-x', `${COLUMNS}`, '-y', `${rows}`];
  tmux(
    '-f',
    join(home, 'tmux.conf'),
    'new-session',
    '-d',
    ...size,
    '-c',
    directory,
    `'${process.execPath}' '${HOLDFAST}' ${words}`,
  );
  return {
    /** What is on the screen, row by row, with escape sequences. */
    look,
    keys: (...keys) => tmux('send-keys', ...keys),
    resize: (height) => tmux('resize-window', '-x', `${COLUMNS}`, '-y', `${height}`),
    isOver: () => tmux('list-panes', '-F', '#{pane_dead}').trim() === '1',
    /** The screen once it shows this. */
    async until(wanted) {
      for (const deadline = Date.now() + WAIT_MS; ; ) {
        const text = tmux('capture-pane', '-p');
        if (wanted.test(text)) return look();
        if (Date.now() > deadline) throw new Error(`never seen: ${wanted}\n${text}`);
        await pause(LOOK_MS);
      }
    },
    close: () => tmux('kill-server'),
  };
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** All screens as windows below each other. */
export function drawWindows(screens, label) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  let top = 0;
  const windows = screens.map((rows) => {
    const drawn = drawWindow(rows, width, top);
    top += windowHeight(rows) + GAP;
    return drawn;
  });
  const height = top - GAP;
  return picture({ width, height, label }, windows.flat());
}

/**
 * Screens as a film in one window: `frames` are rows and how long they are to be seen, all of the same number of rows.
 * It is one strip that jumps from frame to frame, and starts again at its end.
 */
export function drawFilm(frames, label) {
  const [{ rows: firstRows }] = frames;
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  const height = windowHeight(firstRows);
  const stripHeight = firstRows.length * CELL.height;
  const totalMs = frames.reduce((sum, { ms }) => sum + ms, 0);
  let startMs = 0;
  const stops = frames.map(({ ms }, index) => {
    const stop = `${round((100 * startMs) / totalMs)}%{transform:translateY(${-index * stripHeight}px)}`;
    startMs += ms;
    return stop;
  });
  const strip = frames.flatMap(({ rows }, index) =>
    stretchesOf(rows).flatMap((row, line) => drawRow(row, BAR + index * stripHeight + line * CELL.height)),
  );
  const style =
    `@keyframes film{${stops.join('')}}` +
    `.film{animation:film ${totalMs}ms steps(1,end) infinite}` +
    '@media (prefers-reduced-motion){.film{animation-play-state:paused;animation-delay:' +
    `-${totalMs - 1}ms}}`;
  return picture({ width, height, label }, [
    `<style>${style}</style>`,
    ...drawFrame(firstRows, width, 0),
    `<clipPath id="screen"><rect y="${BAR}" width="${width}" height="${stripHeight}"/></clipPath>`,
    '<g clip-path="url(#screen)"><g class="film">',
    ...strip,
    '</g></g>',
  ]);
}

function picture({ width, height, label }, content) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.fontSize}">`,
    ...content,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function windowHeight(rows) {
  return BAR + rows.length * CELL.height + MARGIN;
}

function drawWindow(rows, width, top) {
  const lines = stretchesOf(rows).flatMap((row, index) => drawRow(row, top + BAR + index * CELL.height));
  return [...drawFrame(rows, width, top), ...lines];
}

function drawFrame(rows, width, top) {
  const dots = ['#e0605a', '#e0b64f', '#62b558'].map(
    (color, index) =>
      `<circle cx="${MARGIN + 4 + index * 18}" cy="${top + BAR / 2}" r="5.5" fill="${color}"/>`,
  );
  return [
    `<rect y="${top}" width="${width}" height="${windowHeight(rows)}" rx="8" fill="${COLORS.background}"/>`,
    `<path d="M0 ${top + BAR - 6}v-${BAR - 14}a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${BAR - 14}z" fill="${COLORS.bar}"/>`,
    ...dots,
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
