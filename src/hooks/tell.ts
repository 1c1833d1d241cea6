import type { HookedAgents } from './agents.js';
import type { HookFacts, WaitsFor } from './events.js';

/** An agent that a person started waits on them, and nothing of ours can answer it: they have to be told. */
export interface HookTold {
  readonly facts: HookFacts;
  readonly waitsFor: WaitsFor;
  /** What it does, to stand behind its name, such as `asks you a question`. */
  readonly words: string;
  readonly agentPid?: number | undefined;
}

/** Tells that an agent waits. So far it is written down for the overview; notices are sent from here. Never throws. */
export function tellByHook(agents: HookedAgents, { facts, waitsFor, words, agentPid }: HookTold): void {
  agents.note(facts, { waitsFor, words }, agentPid);
}
