export {
  type AccountUse,
  type Admission,
  type AdmissionStanding,
  openAdmission,
} from './admission.js';
export { amountIn, amountOf, type DayLimits, type DayUse } from './day-budget.js';
export { DayLedger, type DayStanding } from './day-ledger.js';
export { AccountUnknownError } from './errors.js';
export { type AccountId, adoptWindow, QuotaGate, readWindow } from './quota-gate.js';
export type { Entry, ToldLimit } from './window.js';
