export { UNREADABLE_LOOP } from './archive.js';
export { type BudgetReached, checkBudget, isCostUnknown, type Used } from './budget.js';
export { LoopEndedError, LoopNotFoundError, LoopNotResumableError, LoopPoisonedError } from './errors.js';
export { type Decision, type IterationOutcome, phaseOf } from './iteration.js';
export { type LoopStatus, loopLifecycle } from './lifecycle.js';
export { type Claim, type Measurement, NO_CLAIM } from './measurement.js';
export {
  type LoopServices,
  type LoopSummary,
  showLoop,
  summarizeLoop,
  verifyLoop,
} from './operations.js';
export type { OwnedLoop } from './owned-loop.js';
export { type Phase, PhaseSetting, PRESETS, type PresetName, resolvePreset } from './presets.js';
export { countdown, type LimitSignal, type Permission } from './rate-limit.js';
export { isOfOtherPlan, isOver, LoopReport, offerOf, ResumeOffer, reportOf } from './report.js';
export { type LoopRequest, LoopRequestInput } from './requests.js';
export type { DetectAction, Expiry, ExpiryAction } from './resume.js';
export type { Baseline, Budget, LoopDocuments, LoopState, TestCounts, Usage } from './schema.js';
export {
  type CreateOptions as CreateLoopOptions,
  type Detection,
  LoopSessions,
  type LoopSessionsOptions,
  type ResumeOptions,
} from './sessions.js';
export {
  claimOf,
  formatStatusBlock,
  type ParsedStatus,
  parseStatus,
  type StatusBlock,
} from './status-block.js';
export {
  type CostSource,
  costSourceOf,
  costText,
  dollarsText,
  type ShownUsage,
  tokensText,
} from './usage-text.js';
export type { LoopView, PhaseView } from './view.js';
