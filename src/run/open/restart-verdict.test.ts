import { describe, expect, it } from 'vitest';
import type { LoopView } from '../../sessions/loop/index.js';
import { judgeRestart, type RestartFacts } from './restart-verdict.js';

const DEAD = { hold: 'dead', epoch: 1, reason: 'the machine was restarted' } as const;
const FREE = { hold: 'free', epoch: 1, reason: 'it was released' } as const;

/** Only the facts that count. */
function facts(
  state: Partial<LoopView['state']>,
  view: Partial<LoopView> = {},
  more: Partial<RestartFacts> = {},
): RestartFacts {
  const status = state.status === 'running' ? 'suspended' : (state.status ?? 'suspended');
  const loop = { status, statusReason: null, owner: FREE, state, ...view } as LoopView;
  const nothing = { question: undefined, limit: undefined, isRefused: false, obstacle: undefined };
  return { loop, bootId: 'now', ...nothing, ...more };
}

const suspended = (signal: string, bootId: string | null, more: Partial<LoopView['state']> = {}) =>
  facts({ status: 'suspended', suspendedBy: { signal, bootId }, ...more });
const killed = (more: Partial<RestartFacts> = {}) => facts({ status: 'running' }, { owner: DEAD }, more);

describe('judgeRestart', () => {
  it.each([
    ['a run whose process died', killed(), 'start'],
    ['one that the end of an earlier start of the machine stopped', suspended('SIGTERM', 'before'), 'start'],
    ['one that waits for a limit', killed({ limit: 'a quota' }), 'start'],
    ['a kill of this start of the machine', suspended('SIGTERM', 'now'), 'wait'],
    ['a signal of a machine that does not tell which start it is', suspended('SIGTERM', null), 'wait'],
    ['Ctrl+C', suspended('SIGINT', 'before'), 'wait'],
    ['a closed terminal', suspended('SIGHUP', 'before'), 'wait'],
    ['a stop', facts({ status: 'suspended', suspendReason: 'stop was requested' }), 'wait'],
    ['a pause', facts({ status: 'paused' }), 'wait'],
    ['a pause that a shutdown ended', suspended('SIGTERM', 'before', { pauseReason: 'limit' }), 'wait'],
    ['one that was halted', facts({ status: 'halted' }, { owner: DEAD }), 'wait'],
    ['one that let go of its lock while it ran', facts({ status: 'running' }), 'wait'],
    ['one that asks', killed({ question: 'Numbers' }), 'wait'],
    ['one of which somebody said no', killed({ isRefused: true, obstacle: 'bypass' }), 'wait'],
    ['one that only a person can start', killed({ obstacle: 'bypass' }), 'ask'],
  ] as const)('%s', (_, given, does) => {
    expect(judgeRestart(given).does).toBe(does);
  });
});
