import {
  countTasks,
  isComplete,
  type Story,
  StoryNotFoundError,
  type Task,
  TaskNotFoundError,
} from '../../plans/index.js';
import { NoTasksError, StoryRequiredError, TaskOutOfScopeError } from './errors.js';

/** How far a change has got. */
export interface Progress {
  readonly story: { readonly id: string; readonly tasksDone: number; readonly tasksTotal: number } | null;
  readonly storiesDone: number;
  readonly storiesTotal: number;
  readonly isStoryComplete: boolean;
  readonly isChangeComplete: boolean;
}

/** The first story with work left to do; null if everything is done. Throws NO_TASKS. */
export function nextStory(changeName: string, stories: readonly Story[]): Story | null {
  if (countTasks(stories).total === 0) throw new NoTasksError(changeName);
  return stories.find((story) => !isComplete(story)) ?? null;
}

/** The story that a command is about: the one given, otherwise the one in scope. Throws STORY_REQUIRED, STORY_NOT_FOUND. */
export function storyInScope(
  facts: { sessionId: string; changeName: string; currentStoryId: string | null },
  stories: readonly Story[],
  given: string | undefined,
): Story {
  const storyId = given ?? facts.currentStoryId;
  if (storyId === null) throw new StoryRequiredError(facts.sessionId);
  const story = stories.find(({ id }) => id === storyId);
  if (story === undefined) {
    throw new StoryNotFoundError(
      storyId,
      facts.changeName,
      stories.map(({ id }) => id),
    );
  }
  return story;
}

/** A task of a story by its exact id. Throws TASK_NOT_FOUND, SCOPE_ERROR. */
export function taskInScope(
  facts: { changeName: string },
  stories: readonly Story[],
  story: Story,
  taskId: string,
): Task {
  const task = story.tasks.find(({ id }) => id === taskId);
  if (task !== undefined) return task;
  if (!stories.some(({ tasks }) => tasks.some(({ id }) => id === taskId)))
    throw new TaskNotFoundError(taskId, facts.changeName);
  throw new TaskOutOfScopeError(taskId, story.id);
}

/** Counts what is done. A change without tasks is never complete. */
export function progressOf(stories: readonly Story[], story: Story | undefined): Progress {
  const storiesDone = stories.filter(isComplete).length;
  const counted = story === undefined ? undefined : countTasks([story]);
  return {
    story:
      story === undefined || counted === undefined
        ? null
        : { id: story.id, tasksDone: counted.done, tasksTotal: counted.total },
    storiesDone,
    storiesTotal: stories.length,
    isStoryComplete: story !== undefined && isComplete(story),
    isChangeComplete: storiesDone === stories.length && countTasks(stories).total > 0,
  };
}
