import type { OpenFleetQuestions } from '../../src/app/fleet/open-fleet.js';
import { isHoldfastError } from '../../src/foundation/index.js';
import { choosing } from './fleet-world.js';

/** What a person was told about their answer, by the id of the set. */
export interface Told {
  /** Stored in the files of the home. */
  readonly arrived: Set<string>;
  /** Stored, or kept by the sender until it is. */
  readonly onTheirWay: Set<string>;
  /** How often a person was told that nothing was stored, and tried again. */
  refusals: number;
}

export const nothingTold = (): Told => ({ arrived: new Set(), onTheirWay: new Set(), refusals: 0 });

/**
 * People who answer one set after another, all at once. A person who is told that nothing was stored tries again once
 * `onRefusal` resolves, as people do.
 */
export async function answerAll(
  people: readonly OpenFleetQuestions[],
  ids: readonly string[],
  told: Told,
  onRefusal: () => Promise<void>,
): Promise<void> {
  const left = [...ids];
  await Promise.all(
    people.map(async ({ questions }) => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        try {
          const view = await questions.answer(id, choosing('A'));
          (view.onItsWay === undefined ? told.arrived : told.onTheirWay).add(id);
        } catch (error) {
          if (!isHoldfastError(error, 'NOT_STORED')) throw error;
          told.refusals += 1;
          left.unshift(id);
          await onRefusal();
        }
      }
    }),
  );
}
