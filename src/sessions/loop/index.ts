export {
  LoopEndedError,
  LoopNotFoundError,
  LoopNotResumableError,
  LoopPoisonedError,
  PhaseNotSkippableError,
} from './errors.js';
export type { HeldLoop } from './held-loop.js';
export { type Decision, type IterationOutcome, phaseOf, presetOf } from './iteration.js';
export { type LoopStatus, loopLifecycle } from './lifecycle.js';
export { type LoopExport, LoopExportForm } from './moved-loop.js';
export {
  guideLoop,
  type LoopParts,
  pauseLoop,
  type RequestReceipt,
  resumeLoop,
  showLoop,
  stopLoop,
} from './operations.js';
export { type BudgetReached, likelyCost, type Used } from './policies/budget.js';
export { isGreen, type Measurement, NO_SELF_REPORT, type SelfReport } from './policies/measurement.js';
export { describeMissing, isAboutTests, type Missing } from './policies/missing.js';
export { conditionOf, wantsFailingTests, wantsSecondRun } from './policies/phase-gate.js';
export {
  type ChosenPreset,
  choosePreset,
  type Phase,
  PLAN_PRESETS,
  type PlanPreset,
  PRESETS,
  type Preset,
} from './policies/presets.js';
export { believed, countdown, type LimitSignal, type LimitWait } from './policies/rate-limit.js';
export { parseStatus, selfReportOf } from './policies/status-block.js';
export { gatesOf, isOfOtherPlan, isOver, LoopReport, offerOf, ResumeOffer, reportOf } from './report.js';
export { type LoopRequest, LoopRequestInput } from './requests.js';
export type {
  Budget,
  ChangedFile,
  LoopDocuments,
  LoopState,
  LoopUsage,
  SkippedPhase,
  TestCounts,
} from './schema.js';
export {
  type CreateLoopOptions,
  type Detection,
  type ListedLoop,
  LoopSessions,
  type LoopSessionsOptions,
  type ResumeOptions,
} from './sessions.js';
export { type CostSource, costSourceOf, costText, type ShownUsage, tokensText } from './usage-text.js';
export type { LoopView } from './view.js';
export { causeOfWait, describeWait, momentOf, TRIES_NOW, untilOf, type Waiting } from './wait-words.js';
