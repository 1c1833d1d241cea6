import { describe } from 'vitest';
import { type AgentSetup, Contract } from './agent-driver/contract.js';
import { describeConversation } from './agent-driver/conversation.js';
import { describeEndings } from './agent-driver/endings.js';
import { describeOutput } from './agent-driver/output.js';
import { describePermissions } from './agent-driver/permissions.js';
import { describeProcesses } from './agent-driver/processes.js';
import { describeWork } from './agent-driver/work.js';

export type { AgentSetup, Feature } from './agent-driver/contract.js';

/** What every driver must comply with, whatever the agent behind it. */
export function describeAgentDriver(name: string, setup: AgentSetup): void {
  const contract = new Contract(setup);
  describe.concurrent(`the ${name} driver`, () => {
    describeConversation(contract);
    describeWork(contract);
    describePermissions(contract);
    describeEndings(contract);
    describeOutput(contract);
    describeProcesses(contract);
  });
}
