import { readTaskLine } from './task-line.js';
import { readStories, type Story, type Task } from './tasks.js';

const LINE_FEED = 0x0a;

/** A tasks file after a task was ticked or unticked. */
export interface Ticked {
  /** The same bytes if the task was already in that state. */
  readonly file: Buffer;
  readonly stories: readonly Story[];
}

/** Ticks or unticks the task that `choose` picks: apart from the content of its box, the file stays the same, byte for byte. */
export function tickTask(file: Buffer, choose: (stories: readonly Story[]) => Task, isDone = true): Ticked {
  const stories = readStories(file.toString('utf8'));
  const task = choose(stories);
  if (task.isDone === isDone) return { file, stories };
  const start = startOfLine(file, task.line);
  const end = file.indexOf(LINE_FEED, start);
  const lead = readTaskLine(file.toString('utf8', start, end === -1 ? file.length : end))?.lead ?? '';
  const boxStart = start + Buffer.byteLength(lead) + 1;
  const boxEnd = file.indexOf(']', boxStart);
  const box = Buffer.from(isDone ? 'x' : ' ');
  const ticked = Buffer.concat([file.subarray(0, boxStart), box, file.subarray(boxEnd)]);
  return { file: ticked, stories: stories.map((story) => withDone(story, task, isDone)) };
}

function withDone(story: Story, ticked: Task, isDone: boolean): Story {
  const tasks = story.tasks.map((task) => (task === ticked ? { ...task, isDone } : task));
  return { ...story, tasks };
}

function startOfLine(file: Buffer, line: number): number {
  let start = 0;
  for (let count = 0; count < line; count++) start = file.indexOf(LINE_FEED, start) + 1;
  return start;
}
