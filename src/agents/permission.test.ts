import { describe, expect, it } from 'vitest';
import type { ToolKind } from './events.js';
import { decidePermission, denialText, type PermissionPolicy } from './permission.js';

const NOBODY_LEFT = new AbortController().signal;

describe('a permission', () => {
  it.each<[PermissionPolicy['mode'], ToolKind, boolean]>([
    ['edits', 'read', true],
    ['edits', 'edit', true],
    ['edits', 'delete', false],
    ['edits', 'move', false],
    ['edits', 'execute', false],
    ['edits', 'fetch', false],
    ['edits', 'other', false],
    ['ask', 'edit', false],
    ['bypass', 'execute', true],
  ])(
    'in mode %s, if nobody can be asked, is given to a tool of kind %s: %s',
    async (mode, kind, isAllowed) => {
      expect(await decide({ mode, ground: GROUND }, { kind })).toMatchObject({ isAllowed });
    },
  );

  it('in mode edits is asked for if a person attends, unless it is an edit of the project', async () => {
    const asked: ToolKind[] = [];
    const ask = async ({ kind }: { kind: ToolKind }) => asked.push(kind) > 0;
    for (const kind of ['edit', 'delete', 'execute'] as const)
      expect(await decide({ mode: 'edits', ask, ground: GROUND }, { kind })).toMatchObject({
        isAllowed: true,
      });
    expect(asked).toEqual(['delete', 'execute']);
  });

  it('in mode edits is not given if nobody said which directory is the project', async () => {
    const decision = { isAllowed: false, by: 'it does not say which files' };
    expect(await decide({ mode: 'edits' }, { kind: 'edit' })).toEqual(decision);
  });

  it('is not given to another session, whatever it is for', async () => {
    const facts = { kind: 'edit', isOfOtherSession: true } as const;
    const policy = { mode: 'edits', ground: GROUND, isTold: () => true } as const;
    const decision = { isAllowed: false, by: 'it comes from another session' };
    expect(await decide(policy, facts)).toEqual(decision);
    expect(await decide(policy, { ...facts, isOfGivenServer: true })).toEqual(decision);
    expect(await decide({ ...policy, ask: async () => true }, facts)).toEqual({
      isAllowed: true,
      by: 'a person',
    });
  });

  it.each([true, false])('is what the person says (%s)', async (isAllowed) => {
    const policy = { mode: 'ask', ask: async () => isAllowed } as const;
    expect(await decide(policy)).toEqual({ isAllowed, by: 'a person' });
  });

  it('that a person denies carries their words to the agent', async () => {
    const ask = async () => ({ isAllowed: false, message: 'Use wget, not curl' });
    const decision = await decide({ mode: 'ask', ask });
    expect(decision).toEqual({ isAllowed: false, by: 'a person', message: 'Use wget, not curl' });
    expect(denialText(decision)).toBe('Not permitted. The person says: Use wget, not curl');
    expect(denialText({ isAllowed: false, by: 'a person' })).toBe('Not permitted: a person');
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
    const decision = { isAllowed: false, by: 'the person could not be asked: no inbox' };
    expect(await decide({ mode: 'ask', ask })).toEqual(decision);
  });
});

/** A disk without links: every path resolves to itself. */
const GROUND = {
  fileSystem: { look: () => undefined, resolve: (path: string) => path },
  workingDirectory: '/work',
};

function decide(
  policy: PermissionPolicy,
  {
    kind = 'execute',
    ...facts
  }: { kind?: ToolKind; isOfGivenServer?: boolean; isOfOtherSession?: boolean } = {},
) {
  const request = { id: '1', name: 'Tool', kind, title: 'does something', input: {}, locations: ['/work/a'] };
  return decidePermission(policy, request, { isOfGivenServer: false, signal: NOBODY_LEFT, ...facts });
}
