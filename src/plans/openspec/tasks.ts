import { createHash } from 'node:crypto';
import { readTaskLine, type TaskLine } from './task-line.js';

/** One task of a change. */
export interface Task {
  /** Its own number or, for a task without one, a name made from its text. Unique within the file. */
  readonly id: string;
  readonly description: string;
  readonly isDone: boolean;
  /** 0 for a task that is not below another. */
  readonly depth: number;
  /** Its line, counted from 0. */
  readonly line: number;
}

/** A group of tasks, in file order. */
export interface Story {
  readonly id: string;
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** The story of all tasks outside numbered groups. */
const UNNUMBERED_STORY = 'unnumbered';

const GROUP = /^ {0,3}##(?:\s|$)/;
const NUMBERED_GROUP = /^ {0,3}##[ \t]+(\d+)\.(?=\s|$)(.*)/;

/**
 * The stories of a tasks file. A heading `## 3. Title` opens a numbered group; any other heading of that level ends it.
 * Every line that OpenSpec counts is in exactly one story; those outside numbered groups are in the last one.
 */
export function readStories(text: string): Story[] {
  const stories: OpenStory[] = [];
  const loose: OpenStory = { id: UNNUMBERED_STORY, title: 'Unnumbered tasks', tasks: [], indents: [] };
  const taskIds = new UniqueNames();
  const storyIds = new UniqueNames();
  let current = loose;
  const lines = text.split('\n');
  for (let line = 0; line < lines.length; line++) {
    const content = lines[line] ?? '';
    const task = readTaskLine(content);
    if (task !== undefined) addTask(current, task, line, taskIds);
    else if (content.includes('##') && GROUP.test(content)) {
      const [, number, title] = NUMBERED_GROUP.exec(content) ?? [];
      current = number === undefined ? loose : openStory(storyIds.take(number), (title ?? '').trim());
      if (current !== loose) stories.push(current);
    }
  }
  if (loose.tasks.length > 0) stories.push(loose);
  return stories.map(({ id, title, tasks }) => ({ id, title, tasks }));
}

/** Whether a story has nothing left to do; that includes a story without tasks. */
export function isComplete(story: Story): boolean {
  return story.tasks.every((task) => task.isDone);
}

/** How many tasks there are and how many are done, as OpenSpec counts them. */
export function countTasks(stories: readonly Story[]): { total: number; done: number } {
  const tasks = stories.flatMap((story) => story.tasks);
  return { total: tasks.length, done: tasks.filter((task) => task.isDone).length };
}

interface OpenStory {
  readonly id: string;
  readonly title: string;
  readonly tasks: Task[];
  /** The indentations of the tasks that the next one may belong to. */
  readonly indents: number[];
}

function openStory(id: string, title: string): OpenStory {
  return { id, title, tasks: [], indents: [] };
}

function addTask(story: OpenStory, task: TaskLine, line: number, ids: UniqueNames): void {
  const indent = indentOf(task.lead);
  while ((story.indents.at(-1) ?? -1) >= indent) story.indents.pop();
  const depth = story.indents.length;
  story.indents.push(indent);
  const { number, description } = splitNumber(task.text);
  const id = ids.take(number ?? nameFrom(task.text));
  story.tasks.push({ id, description, isDone: task.isDone, depth, line });
}

/** How far a line is indented; a tab advances to the next multiple of four. */
function indentOf(lead: string): number {
  if (lead.length === 2) return 0;
  let width = 0;
  for (const character of /^\s*/.exec(lead)?.[0] ?? '') width += character === '\t' ? 4 - (width % 4) : 1;
  return width;
}

/** `1.2`, `1.2.3`, `1.2a`, possibly in bold, before the text of a task. */
const NUMBER = /^(\*\*|__)?(\d+(?:\.\d+)+[A-Za-z]*)[.:)]?(?=[\s*_]|$)\s*(.*)$/;

function splitNumber(text: string): { number: string | undefined; description: string } {
  const match = NUMBER.exec(text);
  return { number: match?.[2], description: match?.[1] === undefined ? (match?.[3] ?? text) : text };
}

/** A task without a number is named after its text, so its name stays the same when other tasks come and go. */
function nameFrom(text: string): string {
  return `task-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** Hands out each name once; a name already taken gets `-2`, `-3` … */
class UniqueNames {
  readonly #counts = new Map<string, number>();

  take(wanted: string): string {
    const count = (this.#counts.get(wanted) ?? 0) + 1;
    this.#counts.set(wanted, count);
    return count === 1 ? wanted : `${wanted}-${count}`;
  }
}
