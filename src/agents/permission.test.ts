import { describe, expect, it } from 'vitest';
import type { ToolKind } from './events.js';
import { decidePermission, type PermissionPolicy } from './permission.js';

const NOBODY_LEFT = new AbortController().signal;

describe('a permission', () => {
  it.each<[PermissionPolicy['mode'], ToolKind, boolean]>([
    ['edits', 'read', true],
    ['edits', 'edit', true],
    ['edits', 'execute', false],
    ['edits', 'fetch', false],
    ['edits', 'other', false],
    ['ask', 'edit', false],
    ['bypass', 'execute', true],
  ])(
    'in mode %s, where nobody can be asked, is given to a tool of kind %s: %s',
    async (mode, kind, isAllowed) => {
      expect(await decide({ mode }, { kind })).toMatchObject({ isAllowed });
    },
  );

  it.each([true, false])('is what the person says (%s)', async (isAllowed) => {
    const policy = { mode: 'ask', ask: async () => isAllowed } as const;
    expect(await decide(policy)).toEqual({ isAllowed, by: 'a person' });
  });

  it('is given to the servers that we gave to the agent, in every mode and without asking', async () => {
    const asked: unknown[] = [];
    const ask = async (request: unknown) => asked.push(request) === 0;
    for (const mode of ['edits', 'ask', 'bypass'] as const) {
      expect(await decide({ mode, ask }, { isOfGivenServer: true })).toMatchObject({ isAllowed: true });
    }
    expect(asked).toEqual([]);
  });

  it('is given to what the agent was told to do, in every mode and without asking, and to nothing else', async () => {
    const ask = () => Promise.reject(new Error('asked'));
    for (const mode of ['edits', 'ask'] as const) {
      const policy = { mode, ask, isTold: ({ kind }: { kind: ToolKind }) => kind === 'execute' };
      expect(await decide(policy)).toEqual({ isAllowed: true, by: 'the agent was told to do it' });
      expect(await decide(policy, { kind: 'fetch' })).toMatchObject({ isAllowed: false });
    }
  });

  it('is denied when the person cannot be asked', async () => {
    const ask = () => Promise.reject(new Error('no inbox'));
    const decision = { isAllowed: false, by: 'it could not be asked: no inbox' };
    expect(await decide({ mode: 'ask', ask })).toEqual(decision);
  });
});

function decide(
  policy: PermissionPolicy,
  { kind = 'execute', isOfGivenServer = false }: { kind?: ToolKind; isOfGivenServer?: boolean } = {},
) {
  const request = { id: '1', name: 'Tool', kind, title: 'does something', input: {} };
  return decidePermission(policy, request, { isOfGivenServer, signal: NOBODY_LEFT });
}
