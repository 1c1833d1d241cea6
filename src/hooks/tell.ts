import type { HookedAgents } from './agents.js';
import type { HookFacts, WaitsFor } from './events.js';

/** An agent that a person started is waiting for them, and we cannot answer it: they must be told. */
export interface HookTold {
  readonly facts: HookFacts;
  readonly waitsFor: WaitsFor;
  /** What it does, in words that follow its name, such as `asks you a question`. */
  readonly words: string;
  readonly agentPid?: number | undefined;
}

/** Tells a person what an agent is waiting for; while open, it also sends notices about cards. */
export interface HookNotices extends AsyncDisposable {
  /** Never throws. */
  tell(told: HookTold): void;
}

/** Records for the overview that an agent is waiting. Never throws. */
export function tellByHook(agents: HookedAgents, { facts, waitsFor, words, agentPid }: HookTold): void {
  agents.note(facts, { waitsFor, words }, agentPid);
}
