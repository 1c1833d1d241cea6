import type { Services } from '../../../app/base.js';
import { environmentScope, openChanges } from '../../../app/sessions/open-changes.js';
import { visibleLine } from '../../../foundation/index.js';
import {
  type ChangeServices,
  completeTask,
  flushChange,
  initChange,
  listChangeSessions,
  recordLearning,
  recoverChange,
  releaseChange,
  showChangeSession,
  showProgress,
  showStoryContext,
  takeNextStory,
  undoTask,
} from '../../../sessions/change/index.js';
import { commandOf } from '../../command-of.js';
import {
  renderChange,
  renderChangeList,
  renderContext,
  renderProgress,
  renderStart,
} from '../../render/changes.js';
import { SCOPE_OPTIONS, TASK_OPTION } from './scope-options.js';

const parts = (services: Services): ChangeServices => ({ changes: openChanges(services) });

/** The session and story that were given: options first, then the environment. The start of an id is enough. */
function scopeOf(
  {
    values,
  }: { readonly values: { readonly session?: string | undefined; readonly story?: string | undefined } },
  { changes }: ChangeServices,
  services: Services,
) {
  const { sessionId, storyId } = environmentScope(services);
  return {
    sessionId: values.session === undefined ? sessionId : changes.resolve(values.session),
    storyId: values.story ?? storyId,
  };
}

const list = commandOf(listChangeSessions, {
  usage: 'change list',
  options: { all: { type: 'boolean', about: 'list archived changes too' } },
  examples: ['holdfast change', 'holdfast change list --all --json'],
  parts,
  input: ({ values }) => ({ isAll: values.all }),
  render: (reports, { services, terminal }) =>
    renderChangeList(reports, services.clock.now(), terminal.style),
});

const show = commandOf(showChangeSession, {
  usage: 'change show <change>',
  options: {},
  examples: ['holdfast change show add-login', 'holdfast change show add-login --json'],
  parts,
  input: ({ positionals: [change = ''] }) => ({ change }),
  render: (report, { terminal }) => renderChange(report, terminal.style),
});

const init = commandOf(initChange, {
  usage: 'change init <change>',
  details:
    'The change is held until the session is flushed or the change is released. Asking again with the same session gets the\nsame reply.',
  options: {
    session: { ...SCOPE_OPTIONS.session, about: 'the id of the session; else RALPH_SESSION, else a new one' },
  },
  examples: ['holdfast change init add-login', 'holdfast change init add-login --session nightly'],
  parts,
  input: ({ positionals: [change = ''], values }, _, services) => ({
    change,
    sessionId: values.session ?? environmentScope(services).sessionId,
  }),
  render: renderStart,
});

const nextStory = commandOf(takeNextStory, {
  usage: 'change next-story',
  details: 'The first unfinished story. Later commands are about it.',
  options: { session: SCOPE_OPTIONS.session },
  examples: ['holdfast change next-story'],
  parts,
  input: scopeOf,
  render: ({ complete, story_id: id, story_title: title }) =>
    complete ? 'All stories are complete.' : `Story ${id}: ${visibleLine(title ?? '')}`,
});

const context = commandOf(showStoryContext, {
  usage: 'change context',
  details:
    'Its tasks, scenarios, what was learned so far, and how the project is probably checked; with --json also the proposal and the design.',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change context', 'holdfast change context --story 2 --json'],
  parts,
  input: scopeOf,
  render: (report, { terminal }) => renderContext(report, terminal.style),
});

const done = commandOf(completeTask, {
  usage: 'change done <task>',
  details: 'Only the box of that task changes in tasks.md. A task that is already ticked stays ticked.',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change done 1.2'],
  parts,
  input: (typed, ...rest) => ({ task: typed.positionals[0] ?? '', ...scopeOf(typed, ...rest) }),
  render({ task_id: id, story_complete: isComplete, remaining }) {
    const left = isComplete ? 'the story is complete' : `left in the story: ${remaining.join(', ')}`;
    return `Task ${id} is done; ${left}`;
  },
});

const undo = commandOf(undoTask, {
  usage: 'change undo <task>',
  details: 'For a task of the story in scope that is not done after all. Only its box changes in tasks.md.',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change undo 1.2'],
  parts,
  input: (typed, ...rest) => ({ task: typed.positionals[0] ?? '', ...scopeOf(typed, ...rest) }),
  render: ({ task_id: id, remaining }) =>
    `Task ${id} is open again; left in the story: ${remaining.join(', ')}`,
});

const status = commandOf(showProgress, {
  usage: 'change status',
  options: SCOPE_OPTIONS,
  examples: ['holdfast change status', 'holdfast change status --json'],
  parts,
  input: scopeOf,
  render: renderProgress,
});

const learn = commandOf(recordLearning, {
  usage: 'change learn <text>',
  options: { ...SCOPE_OPTIONS, task: TASK_OPTION },
  examples: ['holdfast change learn "The tests need a database" --task 1.2'],
  parts,
  input: (typed, ...rest) => ({
    text: typed.positionals[0] ?? '',
    task: typed.values.task,
    ...scopeOf(typed, ...rest),
  }),
  render: ({ total_learnings: total }) => `Kept; ${total} will be written by the flush`,
});

const flush = commandOf(flushChange, {
  usage: 'change flush',
  details:
    'The change is free then. If nothing was learned, design.md stays as it is. Asking again gets the same reply.',
  options: { session: SCOPE_OPTIONS.session },
  examples: ['holdfast change flush', 'holdfast change flush --session 3f2a'],
  parts,
  input: (...typed) => ({ sessionId: scopeOf(...typed).sessionId }),
  render: ({ learnings_written: count }) => `The session has ended; learnings in design.md: ${count}`,
});

const release = commandOf(releaseChange, {
  usage: 'change release <change>',
  details:
    'For a session that nobody is working on. What it had learned is kept, but is not in design.md yet.',
  options: { reason: { type: 'string', value: '<text>', about: 'why; it is shown to that session' } },
  examples: [
    'holdfast change release add-login',
    'holdfast change release add-login --reason "the laptop is gone"',
  ],
  parts,
  input: ({ positionals: [change = ''], values: { reason } }) => ({ change, reason }),
  render: ({ session_id: id }, { positionals: [change] }) => `Took ${change} away from session ${id}`,
  notes({ session_id: id, unflushed_learnings: count }, { terminal }) {
    if (count > 0)
      terminal.note(
        `Learnings that are not in design.md: ${count}. Write them there with: holdfast change recover ${id}`,
      );
  },
});

const recover = commandOf(recoverChange, {
  usage: 'change recover <change-or-session>',
  details:
    'A claim that cannot be read is set aside and rebuilt from its copy in the temporary directory. Learnings of a\n' +
    'session whose change was released are written into design.md. What is whole stays as it is.',
  options: {},
  examples: ['holdfast change recover add-login', 'holdfast change recover 3f2a'],
  parts,
  input: ({ positionals: [target = ''] }) => ({ target }),
  render: ({ outcome, session_id: id, change_name: change, learnings_written: count }) =>
    ({
      whole: `Session ${id} of ${change} is whole`,
      restored: `Rebuilt the claim of session ${id} on ${change} from its copy`,
      freed: `Nobody holds ${change} now; there was no copy of its claim`,
      'learnings-written': `Learnings of session ${id} written into design.md: ${count}`,
    })[outcome],
  notes({ kept_at: keptAt }, { terminal }) {
    if (keptAt !== null) terminal.note(`The damaged file is kept as ${visibleLine(keptAt)}`);
  },
});

export const commands = [
  list,
  show,
  init,
  nextStory,
  context,
  done,
  undo,
  status,
  learn,
  flush,
  release,
  recover,
];
