import { HoldfastError, visibleExcerpt } from '../../foundation/index.js';

/** No directory above the working directory holds an OpenSpec project. */
export class ProjectNotFoundError extends HoldfastError<'PROJECT_NOT_FOUND'> {
  readonly code = 'PROJECT_NOT_FOUND';

  constructor(from: string) {
    super(`There is no OpenSpec project in ${visibleExcerpt(from, 200)} or above it`, {
      hint: 'Run the command inside a project that has an `openspec` directory.',
    });
  }
}

/** This cannot be the name of a change; no path was built from it. */
export class InvalidChangeNameError extends HoldfastError<'INVALID_CHANGE_NAME'> {
  readonly code = 'INVALID_CHANGE_NAME';

  constructor(name: string) {
    super(`Invalid change name: ${visibleExcerpt(name, 80)}`, {
      hint: 'A change is named by its directory below openspec/changes, such as add-login.',
    });
  }
}

/** There is no change with this name. */
export class ChangeNotFoundError extends HoldfastError<'CHANGE_NOT_FOUND'> {
  readonly code = 'CHANGE_NOT_FOUND';
  readonly available: readonly string[];

  constructor(name: string, available: readonly string[], isArchived: boolean) {
    const shown = visibleExcerpt(name, 80);
    super(`Change '${shown}' not found${isArchived ? ': it has been archived' : ''}${listed(available)}`, {
      hint: 'List the changes with `holdfast change list`.',
    });
    this.available = available;
  }
}

/** There is no task with exactly this id. */
export class TaskNotFoundError extends HoldfastError<'TASK_NOT_FOUND'> {
  readonly code = 'TASK_NOT_FOUND';

  constructor(taskId: string, change: string) {
    super(`Task '${visibleExcerpt(taskId, 80)}' not found in tasks.md of change '${change}'`, {
      hint: 'Task ids match exactly; `ralphtool agent context` lists those of the story.',
      hintForPeople: 'Task ids match exactly; `holdfast change context` lists those of the story.',
    });
  }
}

/** There is no story with this id. */
export class StoryNotFoundError extends HoldfastError<'STORY_NOT_FOUND'> {
  readonly code = 'STORY_NOT_FOUND';

  constructor(storyId: string, change: string, known: readonly string[]) {
    super(`Story '${visibleExcerpt(storyId, 80)}' not found in change '${change}'${listed(known)}`, {
      hint: 'Ask for the next one with `ralphtool agent session next-story`.',
      hintForPeople: 'Take the next one with `holdfast change next-story`.',
    });
  }
}

const MAX_LISTED = 20;

function listed(names: readonly string[]): string {
  if (names.length === 0) return '; there are none';
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  const shown = names.slice(0, MAX_LISTED).map((name) => visibleExcerpt(name, 80));
  return `. Available: ${shown.join(', ')}${more}`;
}
