import { withoutNoise } from '../foundation/index.js';

/** What was spent between two totals in dollars that an agent reported. */
export function costBetween(beforeUsd: number, afterUsd: number): number {
  return withoutNoise(afterUsd - beforeUsd);
}
