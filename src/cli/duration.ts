import { UsageError } from './command.js';

export { formatAge } from '../foundation/index.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as `90s`, `10m`, `1h30m`, or a bare number of seconds. Throws USAGE. */
export function parseDuration(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== text) {
    throw new UsageError(`Not a duration: ${JSON.stringify(text)}`, {
      hint: 'Write it as 90s, 10m, 1h30m or 2d.',
    });
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNITS[part[2] ?? ''] ?? 0), 0);
}
