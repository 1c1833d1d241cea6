/** What was spent between two sums of dollars that an agent told. */
export function costBetween(beforeUsd: number, afterUsd: number): number {
  return withoutNoise(afterUsd - beforeUsd);
}

/** 0.3 - 0.1 is 0.19999999999999998. */
export function withoutNoise(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}
