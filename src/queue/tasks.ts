/** An open task of a list. */
export interface ListedTask {
  /** Its text, in one line. */
  readonly title: string;
  /** Everything that belongs to it, including indented lines. */
  readonly text: string;
}

const OPEN = /^[-*+] \[ \] +(.+?)\s*$/;
const FENCE = /^ {0,3}(```|~~~)/;

/** The unchecked checkboxes at the margin of a Markdown file, each with what is indented below it. */
export function openTasks(markdown: string): ListedTask[] {
  const tasks: { title: string; lines: string[] }[] = [];
  let isFenced = false;
  let current: { title: string; lines: string[] } | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const isFence = FENCE.test(line);
    if (isFence) isFenced = !isFenced;
    const title = isFenced || isFence ? undefined : OPEN.exec(line)?.[1];
    if (title !== undefined) {
      current = { title, lines: [] };
      tasks.push(current);
    } else if (/^\s+\S/.test(line) || line.trim() === '') current?.lines.push(line);
    else current = undefined;
  }
  return tasks.map(({ title, lines }) => ({ title, text: lines.join('\n').trim() }));
}

/** A task as a plan of its own: one phase, and one thing that must be true in the end. */
export function planOfTask({ title, text }: ListedTask): string {
  const more = text === '' ? '' : `\n## Notes\n\n${text}\n`;
  return `---\nphases: work\n---\n# ${title}\n\n## Success Criteria\n\n- [ ] ${title}\n${more}`;
}

/** The file name of its plan: `task-2-add-a-login.md`. */
export function taskFileName(index: number, title: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 40)
    .replace(/-+$/, '');
  return `task-${index + 1}${slug === '' ? '' : `-${slug}`}.md`;
}
