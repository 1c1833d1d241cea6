import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.js';
import type { AgentEvent } from '../../agents/index.js';
import { IdleClock } from './idle-clock.js';
import { WorkClock } from './work-clock.js';

const LIMITS = { idleMs: 100, toolMs: 1_000 };
const TEXT: AgentEvent = { type: 'text', text: 'still here' };
const CALL: AgentEvent = {
  type: 'tool-call',
  id: 't1',
  name: 'Bash',
  kind: 'execute',
  title: 'make',
  input: {},
};
const RESULT: AgentEvent = { type: 'tool-result', id: 't1', isError: false, output: '' };

function watched(limits = LIMITS) {
  const clock = new FakeClock();
  const work = new WorkClock(clock, Number.POSITIVE_INFINITY);
  return { clock, work, idle: new IdleClock(clock, work, limits) };
}

describe('the patience with an agent', () => {
  it('runs out when it shows no sign of life, counted from the last one', async () => {
    const { clock, idle } = watched();
    await clock.advance(99);
    idle.add(TEXT);
    await clock.advance(99);
    expect(idle.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(idle.signal.aborted).toBe(true);
  });

  it('lasts longer while a tool of the agent runs', async () => {
    const { clock, idle } = watched();
    idle.add(CALL);
    await clock.advance(900);
    expect(idle.signal.aborted).toBe(false);
    idle.add(RESULT);
    await clock.advance(99);
    expect(idle.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(idle.signal.aborted).toBe(true);
  });

  it('also runs out with a tool that never ends', async () => {
    const { clock, idle } = watched();
    idle.add(CALL);
    await clock.advance(1_000);
    expect(idle.signal.aborted).toBe(true);
    idle.add(TEXT);
    expect(idle.silenceMs).toBe(1_000);
  });

  it('does not run out while waiting for a person', async () => {
    const { clock, work, idle } = watched();
    await clock.advance(60);
    work.pause();
    await clock.advance(60_000);
    work.resume();
    await clock.advance(39);
    expect(idle.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(idle.signal.aborted).toBe(true);
  });

  it('has no end if none is configured, and none after the exchange', async () => {
    const endless = watched({ idleMs: Number.POSITIVE_INFINITY, toolMs: 1 });
    await endless.clock.advance(1_000_000);
    const over = watched();
    over.idle[Symbol.dispose]();
    await over.clock.advance(1_000);
    expect([endless.idle.signal.aborted, over.idle.signal.aborted]).toEqual([false, false]);
  });
});
