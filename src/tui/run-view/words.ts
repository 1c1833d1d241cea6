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

/** The same in one word, for where there is little room: `45s`, `12m`, `2.5h`. */
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

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** A curve of at most `width` columns; the newest values are kept. `top` is as high as it gets. */
export function sparkline(values: readonly number[], top: number, width: number): string {
  return values
    .slice(-Math.max(0, width))
    .slice(width <= 0 ? values.length : 0)
    .map((value) => {
      const share = top > 0 ? Math.max(0, Math.min(1, value / top)) : 0;
      return BLOCKS[Math.round(share * (BLOCKS.length - 1))] ?? BLOCKS[0];
    })
    .join('');
}

/** A bar of exactly `width` columns. Full only when all is used up; empty only when nothing is. */
export function gauge(used: number, limit: number, width: number): string {
  if (width <= 0) return '';
  const share = limit > 0 ? Math.max(0, Math.min(1, used / limit)) : 0;
  const whole = Math.round(share * width);
  const filled = share === 0 ? 0 : share === 1 ? width : Math.max(1, Math.min(width - 1, whole));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
