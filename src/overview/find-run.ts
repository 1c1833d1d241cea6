import { AmbiguousIdError, HoldfastError, visibleExcerpt, visibleLine } from '../foundation/index.js';
import type { LoopSessions } from '../sessions/loop/index.js';

/** No remembered project has such a run. */
export class RunNotFoundError extends HoldfastError<'RUN_NOT_FOUND'> {
  readonly code = 'RUN_NOT_FOUND';

  constructor(typed: string | undefined) {
    super(
      typed === undefined ? 'There is no run in this project' : `Run not found: ${visibleExcerpt(typed, 80)}`,
      { hint: 'See every run with `holdfast top --once`, and name one by 4 or more characters of its id.' },
    );
  }
}

/** A run that can only be looked at. */
export class RunReplacedError extends HoldfastError<'RUN_NOT_FOUND'> {
  readonly code = 'RUN_NOT_FOUND';

  constructor(sessionId: string) {
    const id = sessionId.slice(0, 8);
    super(`A newer run of its project has replaced ${id}, which can only be looked at`, {
      hint: `\`holdfast report ${id}\` shows how it went, \`holdfast logs ${id}\` what it said.`,
    });
  }
}

/** A run of another machine, whose journal stays on that machine. */
export class RunElsewhereError extends HoldfastError<'RUN_ELSEWHERE'> {
  readonly code = 'RUN_ELSEWHERE';

  constructor(sessionId: string, machine: string, wanted: Wanted = 'lines') {
    const id = visibleLine(sessionId.slice(0, 8));
    const { stays, way } = STAYS[wanted];
    super(`Run ${id} is on ${visibleExcerpt(machine, 63)}: ${stays} there`, {
      hint: `\`holdfast status ${id}\` shows how it stands; ${way(id)} on that machine.`,
    });
  }
}

/** The part of a run that stays on its machine. */
type Wanted = 'lines' | 'report';

const STAYS: Readonly<Record<Wanted, { readonly stays: string; readonly way: (id: string) => string }>> = {
  lines: {
    stays: 'its line-by-line output stays',
    way: (id) => `pause, resume, stop and guide work from here. For its lines, use \`holdfast logs ${id}\``,
  },
  report: {
    stays: 'its report is made',
    way: (id) =>
      `\`holdfast queue show <entry> --json\` has the report of a run of the queue, once it has ended. For all of it, use \`holdfast report ${id}\``,
  },
};

/** A run of any project. */
export interface LocatedRun {
  readonly sessionId: string;
  /** The loops of its project; the run itself may be in the archive. */
  readonly loops: LoopSessions;
  readonly isArchived: boolean;
}

const MIN_PREFIX = 4;

/**
 * Finds a run in any project by its id or 4 or more characters of it; without an id, the run of `here`.
 * Throws RUN_NOT_FOUND, AMBIGUOUS_ID.
 */
export function findRunAnywhere(
  projects: readonly LoopSessions[],
  typed: string | undefined,
  here: LoopSessions,
): LocatedRun {
  if (typed === undefined) {
    const sessionId = here.get()?.sessionId;
    if (sessionId === undefined) throw new RunNotFoundError(undefined);
    return { sessionId, loops: here, isArchived: false };
  }
  const meant = typed.toLowerCase();
  const isMeant = ({ sessionId }: LocatedRun) =>
    sessionId === meant || (meant.length >= MIN_PREFIX && sessionId.startsWith(meant));
  const places = projects.flatMap(placesIn).filter(isMeant);
  const [place, ...others] = places;
  if (place === undefined) throw new RunNotFoundError(typed);
  if (others.length === 0) return place;
  throw new AmbiguousIdError(
    typed,
    places.map(({ sessionId }) => sessionId),
    { describe: (index) => ` in ${visibleLine(places[index]?.loops.projectDirectory ?? '')}` },
  );
}

/** Archived runs come by name only: reading each of them would cost more than reading the one that is meant. */
function placesIn(loops: LoopSessions): LocatedRun[] {
  return loops.list().map(({ id, isArchived }) => ({ sessionId: id, loops, isArchived }));
}
