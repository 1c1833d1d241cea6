import type { OpenFleetQuestions } from '../../../app/fleet/open-fleet.js';
import type { Services } from '../../../app/services.js';
import { isHoldfastError, messageOf, visibleExcerpt } from '../../../foundation/index.js';
import type { QuestionDesk } from '../../../sessions/question/index.js';
import type { FleetState } from '../../contract/index.js';

/** The other machines as the page shows them: as last read, whatever the network does. */
export interface OtherMachines extends Pick<OpenFleetQuestions['known'], 'pending' | 'standing' | 'refresh'> {
  readonly state: FleetState;
  /** Calls back when something changes there, until closed. */
  watch(onChange: () => void): { close(): void };
}

export interface OpenElsewhere extends AsyncDisposable {
  readonly elsewhere: OtherMachines;
  /** The same, for an overview. */
  readonly overview?: OpenFleetQuestions['elsewhere'] | undefined;
  readonly runs?: RunsElsewhere | undefined;
  /** The questions of this and the other machines, with the same operations. */
  readonly questions: QuestionDesk;
}

/** The runs of other machines, and requests to them. */
export interface RunsElsewhere extends Pick<OpenFleetQuestions['runs'], 'find' | 'steer'> {
  /** Takes back what was sent from here; false if its machine already has it. Throws REQUEST_NOT_FOUND, and the hub's errors. */
  takeBack(request: string): Promise<boolean>;
}

/** The time limit for reaching a server of the fleet. */
const TIMEOUT_MS = 5_000;

/** The other machines; undefined if this one has not joined a fleet. Fleet problems are shown on the page, not thrown. */
export async function openElsewhere(services: Services): Promise<OpenElsewhere | undefined> {
  const { openFleet, openFleetQuestions } = await import('../../../app/fleet/open-fleet.js');
  try {
    // The link is held alongside the page: nothing needs to be passed on first.
    const fleet = await openFleetQuestions(services, { isQuick: true, timeoutMs: TIMEOUT_MS });
    if (fleet === undefined) return undefined;
    const { questions, known, runs, self } = fleet;
    return {
      elsewhere: {
        get pending() {
          return known.pending;
        },
        standing: (id) => known.standing(id),
        async refresh() {
          await Promise.all([known.refresh(), fleet.elsewhere.refresh()]);
        },
        get state() {
          const { trouble } = known;
          return { self, trouble: trouble === undefined ? null : troubleOf(trouble.reason, trouble.at) };
        },
        watch: (onChange) =>
          known.watch(onChange, (error) => services.log.warn('web.not-read', { error: messageOf(error) })),
      },
      overview: fleet.elsewhere,
      runs: {
        find: (typed) => runs.find(typed),
        steer: (run, asked) => runs.steer(run, asked),
        takeBack: async (request) => (await openFleet(services).takeBack(request)).isBack,
      },
      questions,
      [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { ...without(messageOf(error)), questions: services.questions, async [Symbol.asyncDispose]() {} };
  }
}

function troubleOf(reason: string, at: Date | undefined): FleetState['trouble'] {
  return { reason: visibleExcerpt(reason, 300), at: at?.toISOString() ?? null };
}

/** Settings that lead nowhere are reported like an unreachable hub. */
function without(reason: string): Pick<OpenElsewhere, 'elsewhere'> {
  return {
    elsewhere: {
      pending: [],
      standing: () => null,
      async refresh() {},
      state: { self: '', trouble: troubleOf(reason, undefined) },
      watch: () => ({ close() {} }),
    },
  };
}
