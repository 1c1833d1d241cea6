import { findRunOf, journalOf } from '../../../app/overview/open-overview.js';
import { runServices } from '../../../app/run/run-services.js';
import type { Services } from '../../../app/services.js';
import { isHoldfastError, shellWord, visibleExcerpt } from '../../../foundation/index.js';
import {
  type OverviewRow,
  type RunFacts,
  type RunFactsParts,
  RunNotFoundError,
} from '../../../overview/index.js';
import type { RunRequest, Steered, SteeringParts } from '../../../run/index.js';
import { steerRun } from '../../../run/open/steer-run.js';
import { NotStoredError } from '../errors.js';
import type { RunsElsewhere } from './elsewhere.js';
import type { Feed } from './feed.js';

interface AnyRunsParts {
  readonly services: Services;
  readonly feed: Feed;
  /** Absent without a fleet. */
  readonly elsewhere: RunsElsewhere | undefined;
  /** Fires when the server ends. */
  readonly signal: AbortSignal;
}

/** Reads and steers a run, whether it is on this machine or another. */
export function anyRuns(parts: AnyRunsParts): RunFactsParts & SteeringParts {
  const { services, feed, elsewhere, signal } = parts;
  return {
    runFacts: {
      async read(run) {
        const here = placeHere(services, run);
        if (here !== undefined) return factsHere(services, feed, here);
        const row = feed.row(run) ?? (await elsewhere?.find(run))?.row;
        if (row?.machine === undefined) throw new RunNotFoundError(run);
        return factsElsewhere(row, row.machine);
      },
    },
    steering: {
      async steer(run, request, actor) {
        const here = placeHere(services, run);
        if (here === undefined) return steerElsewhere(elsewhere, run, request);
        const { loops, sessionId, isArchived } = here;
        if (isArchived) return { isDone: false, words: 'A newer run of its project took its place.' };
        const there = runServices(services).at(loops.projectDirectory);
        return steerRun(there, request, { sessionId, actor, signal });
      },
      async takeBack(run) {
        const { machine, onItsWay } = feed.row(run) ?? {};
        if (elsewhere === undefined || machine === undefined) throw new RunNotFoundError(run);
        if (onItsWay === undefined) return { isDone: false, words: 'Nothing is on its way.' };
        const isBack = await elsewhere.takeBack(onItsWay.request);
        return { isDone: isBack, words: isBack ? 'Taken back.' : `${nameOf(machine)} has it already.` };
      },
    },
  };
}

/** Undefined if no project of this machine has the run. Throws AMBIGUOUS_ID. */
function placeHere(services: Services, run: string): ReturnType<typeof findRunOf> | undefined {
  try {
    return findRunOf(services, run);
  } catch (error) {
    if (isHoldfastError(error, 'RUN_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Throws RUN_NOT_FOUND, REMOTE_REFUSED with the reason, or NOT_STORED if the hub is unreachable. */
async function steerElsewhere(
  elsewhere: RunsElsewhere | undefined,
  run: string,
  request: RunRequest,
): Promise<Steered> {
  try {
    const found = await elsewhere?.find(run);
    if (elsewhere === undefined || found === undefined) throw new RunNotFoundError(run);
    const { words } = await elsewhere.steer(found, request);
    return { isDone: true, words };
  } catch (error) {
    throw isHoldfastError(error, 'FLEET_UNREACHABLE') ? new NotStoredError(error) : error;
  }
}

function factsHere(services: Services, feed: Feed, place: ReturnType<typeof findRunOf>): RunFacts {
  const { sessionId: id, loops, isArchived } = place;
  const { path, fileSystem } = journalOf(services, id);
  const there = `cd ${shellWord(loops.projectDirectory)}`;
  return {
    id,
    row: feed.row(id),
    project: loops.projectDirectory,
    isArchived,
    hasJournal: fileSystem.look(path) !== undefined,
    commands: [
      `holdfast attach ${id.slice(0, 8)}`,
      ...(isArchived ? [] : [`${there} && holdfast resume`]),
      `${there} && holdfast report${isArchived ? ` ${id.slice(0, 8)}` : ''}`,
    ],
  };
}

/** Its commands are typed there, never here: a path of another machine means nothing on this one. */
function factsElsewhere(row: OverviewRow, machine: string): RunFacts {
  const { id, project, isArchived } = row;
  const name = visibleExcerpt(id, 8);
  return {
    id,
    machine,
    row,
    project: project ?? '',
    isArchived,
    hasJournal: false,
    commands: [`holdfast attach ${name}`, `holdfast logs ${name}`],
  };
}

function nameOf(machine: string): string {
  return visibleExcerpt(machine, 63);
}
