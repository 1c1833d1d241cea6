import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../events.js';
import { SessionUpdate } from './schema.js';
import { UsageMeter } from './usage.js';

describe('what an exchange used', () => {
  it('is unknown if the agent says nothing', () => {
    const meter = new UsageMeter({ isResumed: false });
    meter.startTurn();
    expect(meter.endTurn({ stopReason: 'end_turn' })).toEqual([]);
    expect(meter.endTurn(null)).toEqual([]);
  });

  it.each([
    [
      'the protocol',
      { usage: { inputTokens: 10, outputTokens: 5, cachedReadTokens: 3, cachedWriteTokens: 2 } },
      [10, 5, 3, 2],
    ],
    ['Gemini', { _meta: { quota: { token_count: { input_tokens: 10, output_tokens: 5 } } } }, [10, 5, 0, 0]],
    [
      'Codex',
      { _meta: { quota: { token_count: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 3 } } } },
      [10, 5, 3, 0],
    ],
  ])(
    'is read in the form of %s',
    (_name, result, [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]) => {
      const meter = new UsageMeter({ isResumed: false });
      meter.startTurn();
      const usage = meter.endTurn({ stopReason: 'end_turn', ...result })[0]?.usage;
      expect(usage).toEqual({ ...NO_USAGE, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens });
    },
  );

  it('is the difference of a cost that adds up across turns', () => {
    const meter = new UsageMeter({ isResumed: false });
    expect(turn(meter, [0.25, 0.5])).toMatchObject({
      costUsd: 0.5,
      contextTokens: 100,
      contextWindow: 1_000,
    });
    expect(turn(meter, [])).toBe(undefined);
    expect(turn(meter, [0.75])).toMatchObject({ costUsd: 0.25 });
  });

  it('counts a cost that came late in the exchange after it', () => {
    const meter = new UsageMeter({ isResumed: false });
    turn(meter, [0.5]);
    meter.note(update(0.75));
    expect(turn(meter, [1])).toMatchObject({ costUsd: 0.5 });
  });

  it('starts afresh when the sum was restarted', () => {
    const meter = new UsageMeter({ isResumed: false });
    turn(meter, [5]);
    expect(turn(meter, [0.5])).toMatchObject({ costUsd: 0.5 });
  });

  it('has no cost in the first exchange of a resumed session, because the sum includes what came before', () => {
    const meter = new UsageMeter({ isResumed: true });
    expect(turn(meter, [5])).toMatchObject({ costUsd: null });
    expect(turn(meter, [5.5])).toMatchObject({ costUsd: 0.5 });
  });

  it('has a cost in a resumed session if its earlier cost is known', () => {
    const meter = new UsageMeter({ isResumed: true, costBefore: 5 });
    meter.note(update(5.25));
    expect(turn(meter, [5.5])).toMatchObject({ costUsd: 0.5 });
    expect(meter.totalCost).toBe(5.5);
  });

  it('starts afresh with an agent that restarts its sum', () => {
    const meter = new UsageMeter({ isResumed: true, costBefore: 5 });
    meter.note(update(0));
    expect(turn(meter, [5.5])).toMatchObject({ costUsd: 5.5 });
    expect(turn(new UsageMeter({ isResumed: true, costBefore: 5 }), [1])).toMatchObject({ costUsd: 1 });
  });

  it('has no floating-point noise', () => {
    const meter = new UsageMeter({ isResumed: false });
    turn(meter, [0.1]);
    expect(turn(meter, [0.3])).toMatchObject({ costUsd: 0.2 });
  });

  it('has a cost if the agent reported the sum while it resumed', () => {
    const meter = new UsageMeter({ isResumed: true });
    meter.note(update(5));
    expect(turn(meter, [5.5])).toMatchObject({ costUsd: 0.5 });
  });

  it('leaves out a cost in another currency', () => {
    const meter = new UsageMeter({ isResumed: false });
    meter.startTurn();
    meter.note(
      SessionUpdate.parse({
        sessionUpdate: 'usage_update',
        used: 1,
        size: 0,
        cost: { amount: 1, currency: 'EUR' },
      }),
    );
    expect(meter.endTurn(null)).toEqual([{ type: 'usage', usage: { ...NO_USAGE, contextTokens: 1 } }]);
  });

  it("is reported reply by reply if the agent's transcript has them", () => {
    const meter = new UsageMeter({ isResumed: false });
    meter.startTurn();
    meter.note(update(0.5));
    const tokens = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const replies = [
      { reply: 'a', at: new Date(0), model: 'm', tokens, costUsd: 0.25 },
      { reply: 'b', at: new Date(1), model: 'm', tokens, costUsd: 0.25 },
    ];
    const events = meter.endTurn({ stopReason: 'end_turn', usage: { inputTokens: 9 } }, replies);
    expect(events).toMatchObject([
      { reply: 'a', model: 'm', usage: { ...tokens, costUsd: 0.25 } },
      { reply: 'b', model: 'm', usage: { ...tokens, costUsd: 0.25, contextTokens: 100 } },
    ]);
  });

  it.each([-1_000, Number.NaN, Number.POSITIVE_INFINITY, 1e300])('ignores a cost of %d', (amount) => {
    const meter = new UsageMeter({ isResumed: false });
    turn(meter, [0.5]);
    expect(turn(meter, [amount, 0.75])).toMatchObject({ costUsd: 0.25 });
    expect(turn(meter, [amount])).toMatchObject({ costUsd: 0 });
  });

  it("adds up to the agent's sum, however it is split into exchanges", () => {
    const steps = fc.array(fc.array(fc.nat(1_000), { maxLength: 4 }), { maxLength: 10 });
    fc.assert(
      fc.property(steps, (turns) => {
        const meter = new UsageMeter({ isResumed: false });
        let sum = 0;
        const costs = turns.map(
          (costs) =>
            turn(
              meter,
              costs.map((cost) => (sum += cost)),
            )?.costUsd ?? 0,
        );
        expect(costs.reduce((total, cost) => total + cost, 0)).toBe(sum);
      }),
    );
  });
});

function turn(meter: UsageMeter, costs: readonly number[]) {
  meter.startTurn();
  for (const cost of costs) meter.note(update(cost));
  return meter.endTurn(null)[0]?.usage;
}

function update(amount: number) {
  return SessionUpdate.parse({
    sessionUpdate: 'usage_update',
    used: 100,
    size: 1_000,
    cost: { amount, currency: 'USD' },
  });
}
