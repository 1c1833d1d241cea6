import { environmentScope, openChanges } from '../../../app/open-changes.js';
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
import { type Command, defineCommand, type OptionSpec, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

// `ralphtool agent …`: what `holdfast change` does, under the published names and without the parts for people: an agent
// starts these often, and what is not loaded costs nothing.

const session = {
  type: 'string',
  value: '<id>',
  about: 'which session; else RALPH_SESSION, else the only active one',
} as const;
const story = {
  type: 'string',
  value: '<id>',
  about: 'which story; else RALPH_STORY, else the one in scope',
} as const;
const task = { type: 'string', value: '<id>', about: 'the task it is about' } as const;

export const init = agentCommand(
  {
    usage: 'agent session init [change]',
    summary: initChange.summary,
    options: {
      change: { type: 'string', value: '<name>', about: 'which change, if it is not given as a word' },
      session: { ...session, about: 'the id of the session; else RALPH_SESSION, else a new one' },
    },
    example: 'agent session init --change add-login',
  },
  (services, { sessionId, word, values }) => {
    const change = values.change ?? (word || undefined);
    if (change === undefined)
      throw new UsageError('--change <name> is missing', {
        hint: '`holdfast change list` shows the changes.',
      });
    if (word !== '' && word !== change) throw new UsageError(`Two changes are named: ${word} and ${change}`);
    return initChange.run(services, { change, sessionId });
  },
);

export const nextStory = agentCommand(
  { usage: 'agent session next-story', summary: takeNextStory.summary, options: { session } },
  (services, { sessionId }) => takeNextStory.run(services, { sessionId }),
);

export const flush = agentCommand(
  { usage: 'agent session flush', summary: flushChange.summary, options: { session } },
  (services, { sessionId }) => flushChange.run(services, { sessionId }),
);

export const context = agentCommand(
  { usage: 'agent context', summary: showStoryContext.summary, options: { session, story } },
  (services, { sessionId, storyId }) => showStoryContext.run(services, { sessionId, storyId }),
);

export const taskDone = agentCommand(
  {
    usage: 'agent task done <id>',
    summary: completeTask.summary,
    options: { session, story },
    example: 'agent task done 1.2',
  },
  (services, { sessionId, storyId, word }) => completeTask.run(services, { sessionId, storyId, task: word }),
);

export const taskUndo = agentCommand(
  {
    usage: 'agent task undo <id>',
    summary: undoTask.summary,
    options: { session, story },
    example: 'agent task undo 1.2',
  },
  (services, { sessionId, storyId, word }) => undoTask.run(services, { sessionId, storyId, task: word }),
);

export const taskList = agentCommand(
  {
    usage: 'agent task list',
    summary: listTasks.summary,
    options: { session, story: { ...story, about: 'only this story' } },
  },
  // Whatever RALPH_STORY says: the list is there to see the others, too.
  (services, { sessionId, values }) => listTasks.run(services, { sessionId, storyId: values.story }),
);

export const status = agentCommand(
  { usage: 'agent status', summary: showProgress.summary, options: { session, story } },
  (services, { sessionId, storyId }) => showProgress.run(services, { sessionId, storyId }),
);

export const learn = agentCommand(
  {
    usage: 'agent learn <text>',
    summary: recordLearning.summary,
    options: { session, story, task },
    example: 'agent learn "The tests need a database" --task 1.2',
  },
  (services, { sessionId, storyId, word, values }) =>
    recordLearning.run(services, { sessionId, storyId, text: word, task: values.task }),
);

interface AgentInput {
  readonly sessionId: string | undefined;
  readonly storyId: string | undefined;
  /** What stands behind the words of the command. */
  readonly word: string;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** A command that prints what it gets as JSON. */
function agentCommand(
  about: {
    usage: string;
    summary: string;
    options: Readonly<Record<string, OptionSpec & { readonly type: 'string' }>>;
    example?: string;
  },
  act: (services: ChangeServices, input: AgentInput) => Promise<object>,
): Command {
  const { usage, summary, options, example = usage } = about;
  return defineCommand({
    usage,
    summary,
    options,
    examples: [`ralphtool ${example}`],
    async run({ services, terminal }, { positionals: [word = ''], values }) {
      const changes = openChanges(services);
      const scope = environmentScope(services);
      // Programs give full ids: the beginning of one could be another session's by accident.
      const sessionId = values.session ?? scope.sessionId;
      const storyId = values.story ?? scope.storyId;
      terminal.write(visibleJson(await act({ changes }, { sessionId, storyId, word, values })));
      return ExitCode.done;
    },
  });
}
