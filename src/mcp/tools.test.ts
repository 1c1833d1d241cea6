import { describe, expect, it } from 'vitest';
import { appWorld } from '../../test/support/app-world.js';
import type { OperationFacts } from '../foundation/index.js';
import { OPERATIONS } from '../operations/index.js';
import { createMcpServer, type ToolSurroundings } from './tools.js';

type Registered = Readonly<Record<string, unknown>>;

async function toolsFrom(operations: readonly OperationFacts[]): Promise<string[]> {
  await using world = await appWorld();
  const surroundings: ToolSurroundings = {
    services: world.services(),
    transport: undefined as never,
    version: '0',
    closing: new AbortController().signal,
    track: (work) => work,
  };
  const server = createMcpServer(surroundings, operations);
  return Object.keys((server as unknown as { _registeredTools: Registered })._registeredTools);
}

describe('the tools', () => {
  it('are those of the operations for agents, and no others', async () => {
    expect(await toolsFrom(OPERATIONS)).toEqual(['ask_user_questions', 'get_answered_questions']);
  });

  it('disappear with their operation', async () => {
    const without = OPERATIONS.filter(({ name }) => name !== 'question.collect');
    expect(await toolsFrom(without)).toEqual(['ask_user_questions']);
    expect(await toolsFrom([])).toEqual([]);
  });

  it('are not invented for an operation without wording for agents', async () => {
    const [first] = OPERATIONS;
    await expect(toolsFrom([{ ...first, name: 'question.other' }])).rejects.toThrow(
      'question.other is meant for agents, and there is no tool for it',
    );
  });
});
