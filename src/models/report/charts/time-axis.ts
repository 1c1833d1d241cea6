import { type Point, rounded, type Shape } from './shapes.js';

/** Maps milliseconds to positions on a line. */
export interface TimeScale {
  readonly fromMs: number;
  readonly toMs: number;
  readonly left: number;
  readonly right: number;
}

export function placeOn({ fromMs, toMs, left, right }: TimeScale, ms: number): number {
  const share = toMs <= fromMs ? 0 : (ms - fromMs) / (toMs - fromMs);
  return rounded(left + Math.max(0, Math.min(1, share)) * (right - left));
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 24 * 7].map((count) => count * HOUR),
];
/** The labels of two ticks closer than this would touch. */
const ROOM = 64;

/** The line at `y`, with its ticks since the start. */
export function timeAxis(scale: TimeScale, y: number): Shape[] {
  const { fromMs, toMs, left, right } = scale;
  const spanMs = toMs - fromMs;
  const most = Math.max(1, Math.floor((right - left) / ROOM));
  const step = STEPS.find((one) => spanMs / one <= most) ?? Math.max(1, spanMs);
  const shapes: Shape[] = [{ kind: 'line', from: [left, y], to: [right, y], look: 'axis' }];
  for (let ms = 0; ms <= spanMs; ms += step) {
    const at: Point = [placeOn(scale, fromMs + ms), y];
    shapes.push({ kind: 'line', from: at, to: [at[0], y + 4], look: 'axis' });
    const anchor = ms === 0 ? 'start' : at[0] > right - 20 ? 'end' : 'middle';
    const text = ms === 0 ? 'start' : tickWords(ms);
    shapes.push({ kind: 'text', at: [at[0], y + 16], text, anchor, look: 'soft' });
  }
  return shapes;
}

/** `45s`, `1m 15s`, `2h`, `2h 30m`: exact for every step, so no two ticks have the same label. */
function tickWords(ms: number): string {
  const [small, large, names] = ms < HOUR ? [SECOND, MINUTE, 'ms'] : [MINUTE, HOUR, 'hm'];
  const [whole, rest] = [Math.floor(ms / large), Math.floor((ms % large) / small)];
  const parts = [whole === 0 ? '' : `${whole}${names[0]}`, rest === 0 ? '' : `${rest}${names[1]}`];
  return parts.filter((part) => part !== '').join(' ');
}
