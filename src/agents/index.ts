export { AgentChoice } from './choose-agent.js';
export {
  type AgentDefinition,
  type DriverName,
  loadDriver,
  PRESET_NAMES,
} from './definitions.js';
export { describeEvent } from './describe-event.js';
export type { AgentConnection, DriverTools, KeptReply, McpServerSpec, ResumeHandle } from './driver.js';
export {
  type AgentEvent,
  NO_USAGE,
  type ToolKind,
  type TurnEnd,
  type TurnEndReason,
  type Usage,
} from './events.js';
export { missingVariables, neededVariables } from './needed-variables.js';
export {
  BY_A_PERSON,
  type FileChange,
  PERMISSION_MODES,
  type PermissionAnswer,
  type PermissionMode,
  type PermissionPolicy,
  type PermissionRequest,
} from './permission.js';
export { CostUnknownError, refuseUnknownCost } from './prices/cost-unknown.js';
export { loadPrices } from './prices/load.js';
export type { PriceOf } from './prices/price.js';
export { type ProbeStep, probeAgent } from './probe-agent.js';
export {
  type HopelessCause,
  type ServiceName,
  ServiceNotes,
  type ServiceTrouble,
  serviceNameOf,
  serviceTroubleOf,
  type WindowUse,
} from './service-errors.js';
export { allowanceNameOf, settingsPlaceOf } from './settings-directory.js';
export {
  checkedUsage,
  dollarsOf,
  hasTokens,
  NO_TOKENS,
  plusTokens,
  plusUsage,
  type TokenCounts,
  tokensBeyond,
} from './usage.js';
