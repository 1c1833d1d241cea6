import type { FileChange } from '../../agents/index.js';

const CONTEXT_LINES = 3;

/**
 * What a change does to a file, as lines: `-` removed, `+` added, the others unchanged. Only the equal beginning and end are
 * left out, so every removed or added line is there.
 */
export function changedLines({ oldText, newText }: FileChange): string {
  const [before, after] = [linesOf(oldText ?? ''), linesOf(newText)];
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - CONTEXT_LINES);
  return [
    `@@ from line ${from + 1} @@`,
    ...before.slice(from, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail, before.length - tail + CONTEXT_LINES).map((line) => ` ${line}`),
  ].join('\n');
}

/** Whether a text is a unified diff of exactly this change, so it says all there is to say. */
export function isDiffOf(text: string, { oldText, newText }: FileChange): boolean {
  if (!text.includes('\n@@ ')) return false;
  const before = linesOf(oldText ?? '');
  const after: string[] = [];
  let at = 0;
  for (const line of linesOf(text.slice(text.indexOf('\n@@ ') + 1))) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (hunk !== null) {
      // A hunk that removes nothing applies after the line that it names.
      const start = Number(hunk[1]) - (hunk[2] === '0' ? 0 : 1);
      while (at < Math.min(start, before.length)) after.push(before[at++] ?? '');
    } else if (line.startsWith('+')) after.push(line.slice(1));
    else if (line.startsWith('-') || line.startsWith(' ')) {
      if (before[at] !== line.slice(1)) return false;
      if (line.startsWith(' ')) after.push(line.slice(1));
      at += 1;
    } else if (!line.startsWith('\\') && line !== '') return false;
  }
  return [...after, ...before.slice(at)].join('\n') === linesOf(newText).join('\n');
}

/** The lines of a text; a line break at the end does not start another line. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
