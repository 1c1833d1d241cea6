import type { Services } from '../../../app/base.js';
import { isFleetKnown } from '../../../app/fleet/fleet-known.js';
import { openQueuesIn, workersOf } from '../../../app/queue/open-queue.js';
import { visibleLine } from '../../../foundation/index.js';
import {
  addToQueue,
  type Entry,
  type EntryStanding,
  editEntry,
  FAILURE_POLICIES,
  listQueue,
  moveEntry,
  pauseQueue,
  type QueueParts,
  removeEntry,
  resumeQueue,
  retryEntry,
  showEntry,
} from '../../../queue/index.js';
import { type OptionValues, UsageError } from '../../command.js';
import { commandOf } from '../../command-of.js';
import { parseDuration } from '../../duration.js';
import { renderEntry, renderQueue } from '../../render/queue.js';
import { RUN_OPTIONS } from '../run/run-options.js';
import { labelsOf } from './labels.js';
import { mayPushBase } from './may-push-base.js';

const parts = (services: Services): QueueParts => ({ queue: openQueuesIn(services) });

const LOCAL = {
  local: { type: 'boolean', about: 'for this machine alone, although it is in a fleet' },
} as const;
const localParts = (services: Services, { values }: { values: { local: boolean } }): QueueParts => ({
  queue: openQueuesIn(services, { isLocal: values.local }),
});

const ENTRY_OPTIONS = {
  ...RUN_OPTIONS,
  prepare: {
    type: 'string',
    value: '<command>',
    about: 'run with `sh -c` in the new worktree before the agent, such as "npm ci"',
  },
  unattended: {
    type: 'boolean',
    about: 'no one will answer: the run ends when it needs a person, and frees its slot',
  },
  labels: {
    type: 'string',
    value: '<a,b>',
    about: 'in a fleet: only on a machine whose worker was started with these --labels',
  },
  dirty: { type: 'boolean', about: 'with --in-place: start even though there are uncommitted changes' },
} as const;

const ORDER_OPTIONS = {
  after: {
    type: 'strings',
    value: '<id>',
    about: 'only when that entry is done; in its worktree, on its branch',
  },
  notBefore: { type: 'string', value: '<time>', about: 'not before this time: 22:00, or 2026-03-01T22:00' },
  priority: { type: 'number', value: '<n>', about: 'higher ones first (0)' },
  onFailure: {
    type: 'string',
    value: '<policy>',
    choices: FAILURE_POLICIES,
    about:
      'what happens to entries after it if it fails: stop (default: they are blocked), continue, or ask you',
  },
  retries: {
    type: 'number',
    value: '<n>',
    about: 'how often to retry a failure that came before an agent was prompted (0)',
  },
} as const;

type EntryValues = Omit<OptionValues<typeof ENTRY_OPTIONS>, 'unattended' | 'dirty'>;

function optionsOf(values: EntryValues) {
  const { agent, model, prepare, maxCost, maxTokens, maxTime, account } = values;
  // Reported now, while somebody is there to see it.
  if (maxTime !== undefined) parseDuration(maxTime);
  return {
    agent,
    model,
    prepare,
    phases: values.phases as 'work' | undefined,
    permissions: values.permissions as 'edits' | undefined,
    maxCost,
    maxTokens,
    maxTime,
    account,
    labels: labelsOf(values.labels),
  };
}

const add = commandOf(addToQueue, {
  usage: 'queue add [plan...]',
  details:
    'Plans are Markdown files as for `holdfast run`; each becomes an entry with a git worktree and a branch of its own, from the\n' +
    'commit that is checked out now. The plan is kept as it is now, and that is what runs (`queue edit --update` takes a newer\n' +
    'one). An entry --after another of the same repository continues in its worktree; --base asks for a fresh one.\n' +
    'Nothing runs until there is a worker: holdfast worker.\n' +
    'In a fleet an entry goes to the queue of the fleet: the commit must be on the remote (if it is not, you are asked whether\n' +
    'to push it), and any worker of yours, or of somebody who trusts you, may run it. --local keeps it on this machine.',
  options: {
    ...LOCAL,
    change: { type: 'string', value: '<name>', about: 'an OpenSpec change instead of a plan' },
    from: {
      type: 'string',
      value: '<tasks.md>',
      about: 'one entry for each open checkbox at the margin of that file, in one phase (work)',
    },
    ...ENTRY_OPTIONS,
    ...ORDER_OPTIONS,
    base: {
      type: 'string',
      value: '<commit>',
      about: 'where its branch starts; what is checked out if absent',
    },
    pushBase: {
      type: 'boolean',
      about: 'in a fleet: push that commit if the remote does not have it, as refs/holdfast/base/<commit>',
    },
    inPlace: { type: 'boolean', about: 'in the directory itself, one after the other, without a worktree' },
    dryRun: { type: 'boolean', about: 'show what would be queued; write nothing' },
  },
  examples: [
    'holdfast queue add docs/prps/login.md docs/prps/search.md --agent claude',
    'holdfast queue add docs/prps/report.md --after 3f2a --not-before 22:00 --max-cost 5',
    'holdfast queue add --from tasks.md --verify "npm test"',
    'holdfast queue add docs/prps/driver.md --labels linux,docker',
  ],
  parts: (services, { values: { local, pushBase }, isJson }, terminal) => ({
    queue: openQueuesIn(services, {
      isLocal: local,
      mayPushBase: mayPushBase(terminal, { isSaid: pushBase, isJson }),
    }),
  }),
  input: ({ positionals, values }) => ({
    plans: [...positionals],
    change: values.change,
    from: values.from,
    options: {
      ...optionsOf(values),
      verify: values.verify,
      isUnattended: values.unattended,
      isDirtyTaken: values.dirty,
    },
    after: values.after,
    base: values.base,
    notBefore: values.notBefore,
    priority: values.priority,
    isInPlace: values.inPlace,
    onFailure: values.onFailure,
    retries: values.retries,
    isDry: values.dryRun,
  }),
  render: (entries, { values }) =>
    entries
      .map((entry) =>
        'id' in entry
          ? `${values.dryRun ? 'Would queue' : 'Queued'} ${entry.id.slice(0, 8)} ${describeSpot(entry)}`
          : `Would queue ${describeSpot(entry)}`,
      )
      .join('\n'),
  notes: (entries, { terminal, values }) => {
    const shared = entries.find((entry): entry is Entry => 'id' in entry && entry.fleet !== undefined);
    if (shared !== undefined) terminal.note(SHARED_NOTE);
    if (values.dryRun) return;
    const when =
      entries.length === 1 ? 'It runs as soon as a worker takes it' : 'They run as soon as workers take them';
    terminal.note(`${when}: holdfast worker`);
  },
});

/** What queueing shares with the fleet; shown when it happens. */
const SHARED_NOTE =
  'Everybody in the fleet can read the plan, its options and its report. Turns of queued runs are stored in the fleet, redacted; ' +
  'snapshots of the work go to refs/holdfast/ of the remote.';

function describeSpot({
  plan,
  base,
  continues,
  isInPlace,
  project,
  after,
}: Pick<Entry, 'plan' | 'base' | 'continues' | 'isInPlace' | 'project' | 'after'>): string {
  const name = visibleLine(plan.name);
  const behind = after.length === 0 ? '' : `, after ${after.map((id) => id.slice(0, 8)).join(', ')}`;
  if (isInPlace) return `${name}, in ${visibleLine(project)}${behind}`;
  if (continues !== null) return `${name}, in the worktree of ${continues.slice(0, 8)}${behind}`;
  return `${name}, from ${base?.slice(0, 8) ?? ''}${behind}`;
}

const list = commandOf(listQueue, {
  usage: 'queue list',
  options: { all: { type: 'boolean', about: 'also what is done' } },
  examples: ['holdfast queue list', 'holdfast queue list --all --json'],
  parts,
  input: ({ values }) => ({ isAll: values.all }),
  render: (view, { services, terminal }) => renderQueue(view, services.clock.now(), terminal.style),
  hasNotesForAll: true,
  notes({ entries, pausedAt, trouble }, { services, terminal, isJson }) {
    if (trouble !== undefined)
      terminal.complain(`The queue of the fleet is left out: ${visibleLine(trouble)}`);
    if (isJson) return;
    const isOn = (wanted: EntryStanding['is']) => entries.some(({ standing }) => standing.is === wanted);
    if (isOn('failed')) terminal.note('Retry what failed with: holdfast queue retry <id>');
    const isLeft = entries.some(({ standing }) => standing.is === 'running' && standing.isAbandoned);
    if (
      (isLeft || isOn('next')) &&
      pausedAt === null &&
      !isFleetKnown(services) &&
      workersOf(services).length === 0
    )
      terminal.note('There is no worker. Start one: holdfast worker');
  },
});

const show = commandOf(showEntry, {
  usage: 'queue show <id>',
  options: {},
  examples: ['holdfast queue show 3f2a', 'holdfast queue show 3f2a --json | jq .report'],
  parts,
  input: ({ positionals: [id = ''] }) => ({ id }),
  render: (shown, { services }) => renderEntry(shown, services.clock.now()),
});

const edit = commandOf(editEntry, {
  usage: 'queue edit <id>',
  details: 'Only what you type is changed; an entry that is running or over stays as it is.',
  options: {
    ...ENTRY_OPTIONS,
    ...ORDER_OPTIONS,
    update: { type: 'boolean', about: 'take the plan as the file is now' },
  },
  examples: ['holdfast queue edit 3f2a --update', 'holdfast queue edit 3f2a --priority 5 --not-before 23:30'],
  parts,
  input: ({ positionals: [id = ''], values }) => ({
    id,
    options: {
      ...optionsOf(values),
      ...(values.verify.length === 0 ? {} : { verify: values.verify }),
      ...(values.unattended ? { isUnattended: true } : {}),
      ...(values.dirty ? { isDirtyTaken: true } : {}),
    },
    ...(values.after.length === 0 ? {} : { after: values.after }),
    notBefore: values.notBefore,
    priority: values.priority,
    onFailure: values.onFailure,
    retries: values.retries,
    isUpdated: values.update,
  }),
  render: ({ id, plan }) => `Changed ${id.slice(0, 8)} ${visibleLine(plan.name)}`,
});

const remove = commandOf(removeEntry, {
  usage: 'queue remove <id>',
  details: 'Its worktree, its branch and its run stay as they are.',
  options: {},
  examples: ['holdfast queue remove 3f2a'],
  parts,
  input: ({ positionals: [id = ''] }) => ({ id }),
  render: ({ id, plan }) => `Removed ${id.slice(0, 8)} ${visibleLine(plan.name)} from the queue`,
});

const move = commandOf(moveEntry, {
  usage: 'queue move <id>',
  options: {
    first: { type: 'boolean', about: 'before all others of its priority' },
    last: { type: 'boolean', about: 'after all others of its priority' },
    before: { type: 'string', value: '<id>', about: 'right before that one, with its priority' },
    behind: { type: 'string', value: '<id>', about: 'right after that one, with its priority' },
  },
  examples: ['holdfast queue move 3f2a --first', 'holdfast queue move 3f2a --before 9c1d'],
  parts,
  input({ positionals: [id = ''], values: { first, last, before, behind } }) {
    if ([first, last, before, behind].filter((one) => one !== undefined && one !== false).length !== 1)
      throw new UsageError('Use exactly one of --first, --last, --before <id> and --behind <id>');
    if (before !== undefined) return { id, to: { to: 'before' as const, other: before } };
    if (behind !== undefined) return { id, to: { to: 'behind' as const, other: behind } };
    return { id, to: { to: first ? ('first' as const) : ('last' as const) } };
  },
  render: ({ id, plan }) => `Moved ${id.slice(0, 8)} ${visibleLine(plan.name)}`,
});

const pause = commandOf(pauseQueue, {
  usage: 'queue pause [id]',
  details:
    'Without an id the whole queue, in a fleet for every machine, or with --local for this one. What is running\n' +
    'continues; `holdfast pause <run>` pauses a run.',
  options: LOCAL,
  examples: ['holdfast queue pause', 'holdfast queue pause 3f2a'],
  parts: localParts,
  input: ({ positionals: [id] }) => ({ id }),
  render: ({ id }) => (id === null ? 'The queue is paused' : `Paused ${id}`),
});

const resume = commandOf(resumeQueue, {
  usage: 'queue resume [id]',
  options: LOCAL,
  examples: ['holdfast queue resume', 'holdfast queue resume 3f2a'],
  parts: localParts,
  input: ({ positionals: [id] }) => ({ id }),
  render: ({ id }) => (id === null ? 'The queue is running again' : `Resumed ${id}`),
});

const retry = commandOf(retryEntry, {
  usage: 'queue retry <id>',
  details: 'For one that failed. Its run continues where it stopped; if there was none, it is started.',
  options: {},
  examples: ['holdfast queue retry 3f2a'],
  parts,
  input: ({ positionals: [id = ''] }) => ({ id }),
  render: ({ id, plan }) => `Queued again: ${id.slice(0, 8)} ${visibleLine(plan.name)}`,
});

export const commands = [add, list, show, edit, remove, move, pause, resume, retry];
