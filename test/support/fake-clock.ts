import type { Clock } from '../../src/foundation/index.js';
import { FakeClock } from '../../src/testing/index.js';

export { FakeClock };

/** Advances the time, a step every few milliseconds, until something is done. Real time passes on its own. */
export async function whileTimePasses<Value>(
  clock: Clock,
  stepMs: number,
  work: Promise<Value>,
): Promise<Value> {
  if (!(clock instanceof FakeClock)) return await work;
  let isDone = false;
  const settle = () => {
    isDone = true;
  };
  void work.then(settle, settle);
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    clock.advance(stepMs);
  }
  return await work;
}
