import { describe, expect, it } from 'vitest';
import type { LoopView } from '../sessions/loop/index.js';
import { judgeStopped, type StoppedFacts } from './stopped-verdict.js';

const DEAD = { hold: 'dead', epoch: 1, reason: 'its process is gone' } as const;
const FREE = { hold: 'free', epoch: 1, reason: 'it was released' } as const;

/** Only the fields that the verdict reads. */
function facts(
  status: LoopView['status'],
  owner: LoopView['owner'],
  more: Partial<StoppedFacts> & { readonly state?: Partial<LoopView['state']> } = {},
): StoppedFacts {
  const state = { status, ...more.state };
  const loop = { status, statusReason: null, owner, state } as LoopView;
  return { isAgain: false, isDecided: false, bootId: 'now', ...more, loop };
}

describe('what a worker does about a run that no process runs', () => {
  it.each([
    ['one that is done', facts('completed', FREE), 'over'],
    ['one that a person gave up', facts('aborted', FREE), 'over'],
    ['one whose process died', facts('suspended', DEAD, { state: { status: 'running' } }), 'resume'],
    ['one that a person stopped', facts('suspended', FREE), 'over'],
    ['one that a person stopped, and wants again', facts('suspended', FREE, { isAgain: true }), 'resume'],
    ['one that ended at a limit', facts('paused', FREE), 'over'],
    ['one that ended at a limit, and is wanted again', facts('paused', FREE, { isAgain: true }), 'resume'],
    ['one that died while it was paused', facts('paused', DEAD), 'rests'],
    ['one that its breaker halted', facts('halted', FREE), 'over'],
    ['one that asked how it goes on', facts('halted', FREE, { isDecided: true }), 'resume'],
    ['one that its breaker halted, and is wanted again', facts('halted', FREE, { isAgain: true }), 'reset'],
  ] as const)('%s', (_, given, verdict) => {
    expect(judgeStopped(given)).toBe(verdict);
  });
});
