import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.js';
import { NO_USAGE } from '../../agents/index.js';
import { type ContextLevel, ContextTracker } from './context-tracker.js';

const reported = (contextTokens: number, contextWindow: number | null = 100_000) => ({
  usage: { ...NO_USAGE, contextTokens, contextWindow },
  text: 'Context: 99%',
});

describe('the context of an agent', () => {
  verifies('P07', 'is its reported usage relative to the window of its model, whatever the text says', () => {
    const tracker = new ContextTracker();
    tracker.update(reported(45_000));
    expect([tracker.usagePercent(), tracker.tokens]).toEqual([45, 45_000]);
    tracker.update({ usage: null, text: 'Context: 99%' });
    expect(tracker.usagePercent()).toBe(45);
    tracker.update(reported(20_000));
    expect(tracker.usagePercent()).toBe(20);
  });

  it('is measured against a usual window if the agent does not know its own', () => {
    const tracker = new ContextTracker();
    tracker.update(reported(100_000, null));
    expect(tracker.usagePercent()).toBe(50);
  });

  it.each([
    ['Context: 45% used', 45],
    ['context usage: 45%', 45],
    ['Context 12% … Context: 77 %', 77],
    ['Context: 250%', 100],
  ])('is what the text %j says where nothing is reported', (text, percent) => {
    const tracker = new ContextTracker();
    tracker.update({ usage: null, text });
    expect(tracker.usagePercent()).toBe(percent);
    tracker.update({ usage: null, text: 'no figure here' });
    expect(tracker.usagePercent()).toBe(percent);
  });

  it('is estimated from the length of the text if nothing is reported', () => {
    const tracker = new ContextTracker();
    for (let exchange = 0; exchange < 2; exchange++) tracker.updateFromOutput('x'.repeat(80_000));
    expect([tracker.tokens, tracker.usagePercent()]).toEqual([40_000, 20]);
  });

  verifies('P07', 'reports each level once when crossed, and starts from zero when reset', () => {
    const told: [ContextLevel, number][] = [];
    const tracker = new ContextTracker({}, (level, percent) => told.push([level, percent]));
    for (const tokens of [69_000, 70_000, 80_000, 85_000, 90_000]) tracker.update(reported(tokens));
    tracker.reset();
    expect(told).toEqual([
      ['warning', 70],
      ['redline', 85],
      ['normal', 0],
    ]);
    expect([tracker.tokens, tracker.usagePercent(), tracker.level]).toEqual([0, 0, 'normal']);
  });

  it("accepts the caller's levels", () => {
    const tracker = new ContextTracker({ warning: 10, redline: 20 });
    tracker.update(reported(15_000));
    expect(tracker.level).toBe('warning');
  });
});
