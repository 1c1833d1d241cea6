import { describe, expect, it } from 'vitest';
import { entry } from '../../test/support/queue-entries.js';
import { resumeWords, startWords } from './run-words.js';

const runId = '11111111-1111-4111-8111-111111111111';
const options = { verify: ['npm test'], isUnattended: false, isDirtyTaken: false, agent: 'codex' };

describe('the command line of a run', () => {
  it('has everything that was typed, one word each', () => {
    const place = { plan: { prp: '/w/plan.md' }, worktree: '/w' };
    expect(startWords(entry({ runId, options }), place)).toEqual([
      'run',
      '--new',
      `--id=${runId}`,
      '--dirty',
      '--attended',
      '--quiet',
      '--by=worker',
      '--agent=codex',
      '--verify=npm test',
      '--',
      '/w/plan.md',
    ]);
  });

  it("sets nothing aside in a person's own tree, and asks for a clean one", () => {
    const words = startWords(entry({ runId, options, isInPlace: true }), {
      plan: { change: 'add-login' },
      worktree: null,
    });
    expect(words).not.toContain('--new');
    expect(words).not.toContain('--dirty');
    expect(words.at(-1)).toBe('--change=add-login');
  });

  it('resumes with what has to be said each time', () => {
    const bypass = entry({ runId, options: { ...options, permissions: 'bypass' } });
    const words = resumeWords(bypass, { plan: { prp: '/p' } }, { isReset: true, isStartKnown: true });
    expect(words).toEqual(expect.arrayContaining(['--reset', '--permissions=bypass']));
    expect(words).not.toContain('--agent=codex');
  });

  it('names the agent again if the run died before that was written down', () => {
    const died = entry({ runId, options: { ...options, account: 'work' } });
    const words = resumeWords(died, { plan: { prp: '/p' } }, { isReset: false, isStartKnown: false });
    expect(words).toEqual(expect.arrayContaining(['--resume', '--agent=codex', '--account=work']));
  });
});
