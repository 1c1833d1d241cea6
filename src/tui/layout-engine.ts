// By its path, so that a build may put this file in the place of the package without a circle.
import { loadYoga } from '../../node_modules/yoga-layout/dist/src/load.js';

/**
 * Ink's layout engine, in the place of its package in what is built. The package waits for it where it is imported, which only
 * a module can, and modules have no cached code; whoever loads Ink waits instead (`load-ink.ts`), before anything is drawn.
 */
const engine = {};
export default engine;

let loading: Promise<unknown> | undefined;

/** Whoever asks again gets the engine that is there: a screen may give way to another one in one process. */
export async function loadLayoutEngine(): Promise<void> {
  loading ??= loadYoga().then((made) => Object.assign(engine, made));
  await loading;
}
