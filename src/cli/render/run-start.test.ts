import { describe, expect, it } from 'vitest';
import { describeStart } from './run-start.js';

const BEFORE = { agent: 'claude', permissions: 'edits', context: 'redline' } as const;

describe('how a run is resumed', () => {
  it('says that the options are the same only when they are', () => {
    expect(describeStart(BEFORE, BEFORE)).toBe(
      'Resuming with the same options: claude, permissions edits, context redline',
    );
    expect(describeStart({ ...BEFORE, agent: 'codex', model: 'o5' }, BEFORE)).toBe(
      'Resuming with these options: codex (was claude), model o5 (was its usual model), permissions edits, context redline',
    );
    expect(describeStart(BEFORE, { ...BEFORE, permissions: 'bypass' })).toContain(
      'permissions edits (was bypass)',
    );
  });
});
