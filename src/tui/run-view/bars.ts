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
