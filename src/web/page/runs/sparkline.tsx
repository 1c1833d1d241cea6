import type { PageSnapshot } from '../../contract/index.js';

type TestPoint = PageSnapshot['rows'][number]['tests'][number];

const WIDTH = 72;
const HEIGHT = 20;
const MAX_POINTS = 30;

/** The points of a curve from left to right: `passing` relative to the largest total. */
function curveOf(tests: readonly TestPoint[], width: number, height: number): string {
  const shown = tests.slice(-MAX_POINTS);
  const top = Math.max(1, ...shown.map(({ total }) => total));
  const step = shown.length < 2 ? 0 : width / (shown.length - 1);
  const at = ({ passing }: TestPoint, index: number) =>
    `${round(index * step)},${round(height - (Math.max(0, Math.min(passing, top)) / top) * height)}`;
  const points = shown.map(at);
  return shown.length === 1 ? `${points[0]} ${width},${points[0]?.split(',')[1]}` : points.join(' ');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The test results: a curve, and the last numbers in words. */
export function Tests({ tests }: { tests: readonly TestPoint[] }) {
  const last = tests.at(-1);
  if (last === undefined) return null;
  const words = `${last.passing} of ${last.total} tests pass`;
  const look = last.total > 0 && last.passing >= last.total ? 'tests all' : 'tests';
  return (
    <span class={look} title={words}>
      <svg
        viewBox={`-1 -2 ${WIDTH + 2} ${HEIGHT + 4}`}
        width={WIDTH}
        height={HEIGHT}
        aria-hidden="true"
        focusable="false"
      >
        <polyline
          points={curveOf(tests, WIDTH, HEIGHT)}
          fill="none"
          stroke="currentColor"
          stroke-width="1.75"
          stroke-linejoin="round"
          stroke-linecap="round"
        />
      </svg>
      <span aria-hidden="true">
        {last.passing}/{last.total}
      </span>
      <span class="hidden">{words}</span>
    </span>
  );
}
