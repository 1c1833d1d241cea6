export type { RunViewAction } from './act.js';
export { isWorthKeeping, type ToldLine } from './on-run-event.js';
export {
  initialState,
  isPaused,
  type KeptLine,
  type RunViewEffect,
  type RunViewState,
  workedMs,
} from './state.js';
export { type RunViewEvent, update } from './update.js';
export { dollarsOf, durationOf, roughDurationOf, roughNumberOf } from './words.js';
