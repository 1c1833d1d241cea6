export { type AccountAdmission, type AccountUse, openAdmission } from './admission.js';
export { amountIn, amountOf } from './day-budget.js';
export { DayLedger, type DayStanding } from './day-ledger.js';
export { AccountUnknownError } from './errors.js';
export { type AccountId, adoptWindow, QuotaGate, readWindow } from './quota-gate.js';
