/** A bar of exactly `width` columns. It is full only if all is used up, and empty only if nothing is. */
export function gauge(used: number, limit: number, width: number): string {
  if (width <= 0) return '';
  const share = limit > 0 ? Math.max(0, Math.min(1, used / limit)) : 0;
  const whole = Math.round(share * width);
  const filled = share === 0 ? 0 : share === 1 ? width : Math.max(1, Math.min(width - 1, whole));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}
