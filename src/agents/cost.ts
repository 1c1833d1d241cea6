import { withoutNoise } from '../foundation/index.js';

/** What was spent between two sums of dollars that an agent told. */
export function costBetween(beforeUsd: number, afterUsd: number): number {
  return withoutNoise(afterUsd - beforeUsd);
}
