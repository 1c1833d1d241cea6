export { AgentQuestions } from './agent-questions.js';
export { type Check, guessedCheck, typedCheck } from './checks.js';
export { NoChecksError, PlanNotFoundError } from './errors.js';
export { questionEvent, type RunEnd, type RunEvent } from './events.js';
export type { Assignment, RunPlan, StoryProgress } from './plan.js';
export { buildPrompt, type PromptFacts } from './prompt.js';
export { openPrpPlan } from './prp-plan.js';
export { runLoop } from './run-loop.js';
export { CONTEXT_MODES, type ContextMode, type RunParts } from './run-parts.js';
export { type Standing, type TestPoint, testHistory } from './standing.js';
export {
  type Continuation,
  type TurnOptions,
  type TurnOutcome,
  TurnTaker,
  type TurnTakerOptions,
} from './take-turn.js';
