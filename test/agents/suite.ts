import { describe } from 'vitest';
import { describeFaults } from './faults.js';
import type { Habits } from './habits.js';
import { describeInterruptions } from './interruptions.js';
import { describePermissions } from './permissions.js';
import type { RealAgent } from './real-agents.js';
import { describeWork } from './work.js';

/** What holds for every real agent behind its driver. */
export function describeRealAgent(agent: RealAgent, habits: Habits): void {
  describe(`the real ${agent.name}`, () => {
    describeWork(agent, habits);
    describePermissions(agent, habits);
    describeInterruptions(agent, habits);
    describeFaults(agent, habits);
  });
}
