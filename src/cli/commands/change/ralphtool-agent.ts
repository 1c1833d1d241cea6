import type { Services } from '../../../app/base.js';
import { environmentScope, openChanges } from '../../../app/sessions/open-changes.js';
import { visibleJson } from '../../../foundation/index.js';
import {
  type ChangeServices,
  completeTask,
  flushChange,
  initChange,
  listTasks,
  recordLearning,
  showProgress,
  showStoryContext,
  takeNextStory,
  undoTask,
} from '../../../sessions/change/index.js';
import { UsageError } from '../../command.js';
import { commandOf, type Typed } from '../../command-of.js';
import { SCOPE_OPTIONS, TASK_OPTION } from './scope-options.js';

// `ralphtool agent …`: what `holdfast change` does, under the published names and without the parts for people. Agents start
// these often, and what is not loaded costs nothing.

const { session, story } = SCOPE_OPTIONS;

/** Always prints the output as JSON. */
const forPrograms = {
  parts: (services: Services): ChangeServices => ({ changes: openChanges(services) }),
  render: visibleJson,
};

/** Programs must give full ids: the start of one could match another session by accident. */
function scopeOf(
  {
    values,
  }: { readonly values: { readonly session?: string | undefined; readonly story?: string | undefined } },
  _: unknown,
  services: Services,
) {
  const { sessionId, storyId } = environmentScope(services);
  return { sessionId: values.session ?? sessionId, storyId: values.story ?? storyId };
}

function sessionOf(
  typed: { readonly values: { readonly session?: string | undefined } },
  _: unknown,
  services: Services,
) {
  return { sessionId: typed.values.session ?? environmentScope(services).sessionId };
}

const INIT_OPTIONS = {
  change: { type: 'string', value: '<name>', about: 'which change, if it is not given as a word' },
  session: { ...session, about: 'the id of the session; else RALPH_SESSION, else a new one' },
} as const;

const init = commandOf(initChange, {
  ...forPrograms,
  usage: 'agent session init [change]',
  aside: '(--change <name>)',
  options: INIT_OPTIONS,
  examples: ['ralphtool agent session init --change add-login'],
  input: (typed, ...rest) => ({ change: changeOf(typed), ...sessionOf(typed, ...rest) }),
});

/** Throws USAGE unless the change is named exactly once. */
function changeOf({ positionals: [word = ''], values }: Typed<typeof INIT_OPTIONS>): string {
  const change = values.change ?? (word || undefined);
  if (change === undefined)
    throw new UsageError('--change <name> is missing', {
      hint: '`holdfast change list` shows the changes.',
    });
  if (word !== '' && word !== change) throw new UsageError(`Two changes are named: ${word} and ${change}`);
  return change;
}

const nextStory = commandOf(takeNextStory, {
  ...forPrograms,
  usage: 'agent session next-story',
  options: { session },
  examples: ['ralphtool agent session next-story'],
  input: sessionOf,
});

const flush = commandOf(flushChange, {
  ...forPrograms,
  usage: 'agent session flush',
  options: { session },
  examples: ['ralphtool agent session flush'],
  input: sessionOf,
});

const context = commandOf(showStoryContext, {
  ...forPrograms,
  usage: 'agent context',
  options: { session, story },
  examples: ['ralphtool agent context'],
  input: scopeOf,
});

const taskDone = commandOf(completeTask, {
  ...forPrograms,
  usage: 'agent task done <id>',
  options: { session, story },
  examples: ['ralphtool agent task done 1.2'],
  input: (typed, ...rest) => ({ task: typed.positionals[0] ?? '', ...scopeOf(typed, ...rest) }),
});

const taskUndo = commandOf(undoTask, {
  ...forPrograms,
  usage: 'agent task undo <id>',
  options: { session, story },
  examples: ['ralphtool agent task undo 1.2'],
  input: (typed, ...rest) => ({ task: typed.positionals[0] ?? '', ...scopeOf(typed, ...rest) }),
});

const taskList = commandOf(listTasks, {
  ...forPrograms,
  usage: 'agent task list',
  options: { session, story: { ...story, about: 'only this story' } },
  examples: ['ralphtool agent task list'],
  // Ignores RALPH_STORY: the list is for seeing the other stories, too.
  input: (typed, ...rest) => ({ ...sessionOf(typed, ...rest), storyId: typed.values.story }),
});

const status = commandOf(showProgress, {
  ...forPrograms,
  usage: 'agent status',
  options: { session, story },
  examples: ['ralphtool agent status'],
  input: scopeOf,
});

const learn = commandOf(recordLearning, {
  ...forPrograms,
  usage: 'agent learn <text>',
  aside: '(--task <id>)',
  options: { session, story, task: TASK_OPTION },
  examples: ['ralphtool agent learn "The tests need a database" --task 1.2'],
  input: (typed, ...rest) => ({
    text: typed.positionals[0] ?? '',
    task: typed.values.task,
    ...scopeOf(typed, ...rest),
  }),
});

export const commands = [init, nextStory, flush, context, taskDone, taskUndo, taskList, status, learn];
