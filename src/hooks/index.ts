export { agentAbove } from './agent-signs.js';
export { type AgentRecord, HookedAgents } from './agents.js';
export { HOOK_AGENTS } from './events.js';
export { type HookServices, runHook } from './run-hook.js';
export type { HookNotices, HookTold } from './tell.js';
