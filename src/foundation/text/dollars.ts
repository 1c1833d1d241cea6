/** A sum of dollars as it was meant: 0.1 + 0.2 is 0.30000000000000004. */
export function withoutNoise(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}
