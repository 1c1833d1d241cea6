const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** A curve of at most `width` columns that keeps the newest values. `top` is the value of the highest point. */
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
