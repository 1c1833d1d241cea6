const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** `45s`, `12m 34s`, `3h 5m`. */
export function durationOf(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** The same in one word, where room is short: `45s`, `12m`, `2.5h`. */
export function roughDurationOf(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  const hours = ms / HOUR_MS;
  return Number.isInteger(hours) || hours >= 100 ? `${Math.floor(hours)}h` : `${hours.toFixed(1)}h`;
}

/** `950`, `12k`, `1.2M`. */
export function roughNumberOf(value: number): string {
  if (value < 1_000) return `${Math.floor(value)}`;
  const [scaled, unit] = value < 1_000_000 ? [value / 1_000, 'k'] : [value / 1_000_000, 'M'];
  return `${scaled < 10 && !Number.isInteger(scaled) ? scaled.toFixed(1) : Math.floor(scaled)}${unit}`;
}

export function dollarsOf(value: number): string {
  return `$${value.toFixed(Number.isInteger(value) ? 0 : 2)}`;
}
