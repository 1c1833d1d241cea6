import { expect } from 'vitest';
import { converse } from '../support/agents.js';
import { REAL_AGENTS } from './real-agents.js';
import { itDrives } from './stage.js';
for (const agent of Object.values(REAL_AGENTS)) {
  itDrives(agent, `${agent.name} says`, [{ text: 'Hello there.' }], async ({ start, model }) => {
    const connection = await start();
    const turn = await converse(connection, 'hi');
    console.log(agent.name, JSON.stringify(turn.events), connection.facts, model.requests().length);
    expect(turn.reason).toBe('completed');
  });
}
