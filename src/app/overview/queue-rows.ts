import type { OverviewRow, RowGroup, RowSource } from '../../overview/index.js';
import { arrange, type Entry, type EntryStanding, type EntryView, type Queue } from '../../queue/index.js';
import { ensureDirectory } from '../../storage/index.js';
import type { WorkerView } from '../../worker/index.js';
import { queueRules, viewLocalQueue, workersOf } from '../queue/open-queue.js';
import type { Services } from '../services.js';

/** Queued entries that are not runs yet, and the workers, as rows of the overview. */
export function queueRows(services: Services): RowSource {
  const { tools, config } = services;
  const { queue: directory } = config.layout;
  return {
    read: () => [
      ...viewLocalQueue(services)
        .entries.filter(isShown)
        .map((entry) => rowOfEntry(entry, entry.standing)),
      ...workersOf(services).map(rowOfWorker),
    ],
    watch(onHint) {
      const watches = [`${directory}/entries`, `${directory}/workers`].map((place) => {
        // A directory that does not exist cannot be watched.
        ensureDirectory(tools.fileSystem, place);
        return tools.watcher.watch(place, () => onHint());
      });
      return {
        close() {
          for (const watch of watches) watch.close();
        },
      };
    },
  };
}

/** The same for the queue that machines share; an entry queued elsewhere names its machine. Throws as the hub. */
export async function sharedQueueRows(services: Services, queue: Queue): Promise<OverviewRow[]> {
  const { entries, pausedAt } = await queue.read();
  const facts = { ...queueRules(services), now: services.clock.now(), pausedAt, isHeld: () => true };
  return arrange(entries, facts)
    .filter(isShown)
    .map(({ entry, standing }) => {
      const { isFromHere = true, from } = entry.fleet ?? {};
      return { ...rowOfEntry(entry, standing), ...(isFromHere ? {} : { machine: from }) };
    });
}

/** An entry that is running or done already has a row as a run. */
function isShown({ standing }: Pick<EntryView, 'standing'>): boolean {
  return standing.is !== 'done' && standing.is !== 'running';
}

const GROUPS: Readonly<Record<EntryStanding['is'], RowGroup>> = {
  next: 'works',
  waits: 'works',
  running: 'works',
  blocked: 'rests',
  paused: 'rests',
  failed: 'rests',
  done: 'ended',
};

function rowOfEntry(
  { id, project, plan, options, addedAt, endedAt, fleet }: Entry,
  standing: EntryStanding,
): OverviewRow {
  const queue = fleet === undefined ? 'the queue' : 'the queue of the fleet';
  return {
    key: `entry:${id}`,
    kind: 'entry',
    id,
    project,
    title: plan.task ?? plan.name,
    agent: options.agent ?? null,
    group: GROUPS[standing.is],
    status: standing.is,
    ...NOTHING,
    startedAt: addedAt,
    since: endedAt ?? addedAt,
    why: `in ${queue}: ${'reason' in standing ? standing.reason : 'next'}`,
    isRunning: false,
  };
}

function rowOfWorker({ pid, slots, since }: WorkerView): OverviewRow {
  return {
    key: `worker:${pid}`,
    kind: 'worker',
    id: String(pid),
    project: null,
    title: `worker, ${slots === 1 ? '1 slot' : `${slots} slots`}`,
    agent: null,
    group: 'works',
    status: 'working',
    ...NOTHING,
    startedAt: since,
    since,
    why: null,
    isRunning: true,
  };
}

const NOTHING = { phase: null, tests: [], cost: null, question: null, isArchived: false } as const;
