import { visibleLine } from '../../foundation/index.js';
import type { Learning } from './schema.js';

/** Learnings as they appear in design.md: by day and story, one item each. Lines are separated by LF. */
export function formatLearnings(learnings: readonly Learning[]): string {
  const groups = new Map<string, { date: string; story: string; items: string[] }>();
  for (const learning of learnings) {
    const date = new Date(learning.timestamp).toISOString().slice(0, 10);
    const story = visibleLine(learning.storyId ?? 'General');
    const key = `${date} ${story}`;
    const group = groups.get(key) ?? { date, story, items: [] };
    groups.set(key, group);
    group.items.push(formatItem(learning));
  }
  return [...groups.values()]
    .sort((a, b) => compare(a.date, b.date) || compare(a.story, b.story))
    .map(({ date, story, items }) => [`### ${date} - Story ${story}`, ...items].join('\n'))
    .join('\n\n');
}

/** design.md with a block added at the end of its section `## Learnings`, which is created if missing. */
export function insertLearnings(file: Buffer | undefined, block: string): Buffer {
  // One character per byte: what we do not touch comes out unchanged, whatever its encoding.
  const text = file?.toString('latin1') ?? '';
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const added = Buffer.from(block.replaceAll('\n', lineBreak), 'utf8').toString('latin1');
  const end = endOfSection(text);
  if (end === undefined) {
    const before = withBlankLine(text, lineBreak);
    return Buffer.from(`${before}## Learnings${lineBreak}${lineBreak}${added}${lineBreak}`, 'latin1');
  }
  const head = text.slice(0, end);
  const tail = text.slice(end);
  const opened = `${head}${endsLine(head) ? '' : lineBreak}${lineBreak}${added}${lineBreak}`;
  return Buffer.from(
    tail === '' || /^\r?\n/.test(tail) ? opened + tail : opened + lineBreak + tail,
    'latin1',
  );
}

/** How often a block occurs in a text, line by line. */
export function countBlock(file: string, block: string): number {
  const wanted = block.split('\n').map((line) => line.trimEnd());
  const lines = file.split(/\r?\n/).map((line) => line.trimEnd());
  let count = 0;
  for (let start = 0; start + wanted.length <= lines.length; start++) {
    if (wanted.every((line, offset) => lines[start + offset] === line)) count += 1;
  }
  return count;
}

/** Lines after the first are indented far enough that none can pass for a heading or an item of the document. */
function formatItem({ description, taskId }: Learning): string {
  const [first = '', ...more] = description.trim().split(/\r\n|\r|\n/);
  const task = taskId === null ? '' : ` (Task ${visibleLine(taskId)})`;
  return [`- ${first}${task}`, ...more.map((line) => (line.trim() === '' ? '' : `    ${line}`))].join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const SECTION = /^ {0,3}##[ \t]+Learnings[ \t]*#*[ \t]*\r?$/i;
const HEADING = /^ {0,3}#{1,2}(?:[ \t]|\r?$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Where the last non-blank line of the section ends; undefined if there is no such section. */
function endOfSection(text: string): number | undefined {
  let end: number | undefined;
  let fence: string | undefined;
  let offset = 0;
  for (const line of text.split('\n')) {
    const next = Math.min(offset + line.length + 1, text.length);
    fence = afterLine(line, fence);
    const isHeading = fence === undefined && HEADING.test(line);
    if (end !== undefined && isHeading) return end;
    if (end === undefined && fence === undefined && SECTION.test(line)) end = next;
    else if (end !== undefined && line.trim() !== '') end = next;
    offset = next;
  }
  return end;
}

/** The fence still open after a line; a line that closes one counts as outside. */
function afterLine(line: string, open: string | undefined): string | undefined {
  const [, marks, rest] = FENCE.exec(line.replace(/\r$/, '')) ?? [];
  if (marks === undefined) return open;
  if (open === undefined) return marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && rest?.trim() === '';
  return closes ? undefined : open;
}

function endsLine(text: string): boolean {
  return text.endsWith('\n');
}

function withBlankLine(text: string, lineBreak: string): string {
  if (text.trim() === '') return text;
  const ended = endsLine(text) ? text : text + lineBreak;
  return /\n\r?\n$/.test(ended) ? ended : ended + lineBreak;
}
