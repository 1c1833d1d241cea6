import { describe, expect, it } from 'vitest';
import { describeEvent } from './describe-event.js';
import { decidePermission } from './permission.js';

const CALL = { id: 't1', name: 'Write', kind: 'edit', title: 'Write', input: null } as const;

describe('the line about a tool', () => {
  it.each([
    ['Write', 'Write greet.mjs', '→ Write greet.mjs'],
    ['Write', 'Write', '→ Write'],
    ['Write', 'Writes greet.mjs', '→ Write Writes greet.mjs'],
    ['Bash', 'make', '→ Bash make'],
  ])('names %s with the title %j once', (name, title, line) => {
    expect(describeEvent({ ...CALL, type: 'tool-call', name, title })).toBe(line);
  });

  it('is the only one about a tool of ours, although the agent asks for permission to use it', async () => {
    const request = { ...CALL, name: 'mcp__holdfast__ask_user_questions', title: '' };
    const facts = { isOfGivenServer: true, signal: new AbortController().signal };
    const { by } = await decidePermission({ mode: 'ask' }, request, facts);
    expect(describeEvent({ ...request, type: 'permission', decision: 'allowed', by })).toBeUndefined();
    expect(describeEvent({ ...CALL, type: 'permission', decision: 'allowed', by: 'a person' })).toBe(
      '✓ allowed (a person): Write',
    );
  });
});
