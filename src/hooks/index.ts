export { type AgentRecord, HookedAgents } from './agents.js';
export { HOOK_AGENTS, type HookAgent, type HookFacts, type WaitsFor } from './events.js';
export { type HookCall, type HookServices, runHook } from './run-hook.js';
export type { HookNotices, HookTold } from './tell.js';
