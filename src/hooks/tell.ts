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

/** How a person is told what an agent waits for; while it is open, of cards as well. */
export interface HookNotices extends AsyncDisposable {
  /** Never throws. */
  tell(told: HookTold): void;
}

/** Writes down that an agent waits, for the overview. Never throws. */
export function tellByHook(agents: HookedAgents, { facts, waitsFor, words, agentPid }: HookTold): void {
  agents.note(facts, { waitsFor, words }, agentPid);
}
