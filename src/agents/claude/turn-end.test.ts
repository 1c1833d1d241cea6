import { describe, expect, it } from 'vitest';
import {
  assistant,
  type Line,
  read,
  result,
  SESSION,
  text,
  WITHOUT_USAGE,
} from '../../../test/support/claude-lines.js';
import { ClaudeReader } from './read.js';

describe('the end of a turn', () => {
  const failed = { is_error: true, ...WITHOUT_USAGE };
  it.each([
    ['429', { api_error_status: 429, result: 'API Error: Request rejected (429) · slow' }, 'rate-limited'],
    ['529', { api_error_status: 529, result: 'API Error: Repeated 529 Overloaded errors' }, 'rate-limited'],
    ['limit text', { result: "You've hit your 5-hour limit · resets 4:36am (UTC)" }, 'rate-limited'],
    ['401', { api_error_status: 401, result: 'Failed to authenticate. API Error: 401' }, 'failed'],
    ['connection', { result: 'API Error: Connection dropped (ECONNRESET)' }, 'failed'],
    ['too long', { terminal_reason: 'prompt_too_long', result: 'Prompt is too long' }, 'context-overflow'],
    ['too long, older', { terminal_reason: undefined, result: 'Prompt is too long' }, 'context-overflow'],
    ['refusal', { stop_reason: 'refusal', result: 'no' }, 'refused'],
  ])('is not a success after %s despite its subtype', (_, overrides, reason) => {
    const events = read([result({ ...failed, ...overrides })]);
    expect(events.at(-1)).toEqual({ type: 'turn-end', reason, message: overrides.result });
    expect(events.some(({ type }) => type === 'rate-limit')).toBe(reason === 'rate-limited');
  });

  it.each([
    [{ subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' }, 'cancelled'],
    [{ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' }, 'cancelled'],
    [{ subtype: 'error_during_execution', terminal_reason: undefined }, 'failed'],
    [{ subtype: 'error_max_turns', terminal_reason: 'max_turns' }, 'turn-limit'],
    [{ subtype: 'error_new_kind', is_error: false }, 'failed'],
  ])('maps %o', (overrides, reason) => {
    const end = read([result({ ...failed, result: undefined, ...overrides })]).at(-1);
    expect(end).toMatchObject({ type: 'turn-end', reason, message: expect.any(String) });
  });

  it('is cancelled if we asked for it and it says no more', () => {
    const reader = new ClaudeReader({ isResumed: false });
    const line = result({ ...failed, subtype: 'error_during_execution', terminal_reason: undefined });
    reader.isCancelling = true;
    expect(read([line], reader).at(-1)).toMatchObject({ reason: 'cancelled' });
    expect(read([line], reader).at(-1)).toMatchObject({ reason: 'failed' });
  });

  it('reports an unknown conversation', () => {
    const message = 'No conversation found with session ID: 8b3a';
    const line = result({
      ...failed,
      subtype: 'error_during_execution',
      terminal_reason: undefined,
      result: undefined,
      errors: [message],
    });
    expect(read([line])).toEqual([{ type: 'turn-end', reason: 'failed', message }]);
  });
});

describe('limits', () => {
  const limit = (info: Line) => ({ type: 'rate_limit_event', rate_limit_info: info, ...SESSION });

  it('reports once when a usage limit ends', () => {
    const lines = [
      limit({
        status: 'rejected',
        resetsAt: 1_794_717_406,
        rateLimitType: 'five_hour',
        isUsingOverage: false,
      }),
      assistant([text("You've hit your 5-hour limit")], { error: 'rate_limit' }),
      result({ is_error: true, result: "You've hit your 5-hour limit", ...WITHOUT_USAGE }),
      result({ is_error: true, result: 'other', ...WITHOUT_USAGE }),
      result({ is_error: true, result: 'slow', api_error_status: 429, ...WITHOUT_USAGE }),
    ];
    expect(read(lines)).toEqual([
      {
        type: 'rate-limit',
        status: 'rejected',
        resetsAt: new Date(1_794_717_406_000).toISOString(),
        scope: '5h',
        message: 'the 5h limit is used up',
      },
      { type: 'error', message: "You've hit your 5-hour limit", status: null },
      { type: 'turn-end', reason: 'rate-limited', message: "You've hit your 5-hour limit" },
      { type: 'turn-end', reason: 'failed', message: 'other' },
      { type: 'rate-limit', status: 'rejected', resetsAt: null, message: 'slow' },
      { type: 'turn-end', reason: 'rate-limited', message: 'slow' },
    ]);
  });

  it.each([
    [{ status: 'allowed' }, []],
    [{ status: 'allowed_warning', resetsAt: 1e300 }, [{ status: 'warning', resetsAt: null }]],
    [{ status: 'allowed_warning', utilization: 0.904 }, [{ status: 'warning', usedPercent: 90 }]],
    [{ status: 'allowed', utilization: 0.5 }, [{ status: 'allowed', usedPercent: 50 }]],
    [{ status: 'allowed', utilization: 7 }, []],
    [{ status: 'rejected', isUsingOverage: true }, [{ status: 'warning', resetsAt: null }]],
  ])('only warns of %o', (info, expected) => {
    const events = read([limit(info), result({ is_error: true, result: 'other', ...WITHOUT_USAGE })]);
    expect(events.slice(0, -1)).toMatchObject(expected);
    expect(events.at(-1)).toMatchObject({ reason: 'failed' });
  });
});

describe('cost', () => {
  function costs(isResumed: boolean, results: readonly Line[]): unknown[] {
    return read(results.map(result), new ClaudeReader({ isResumed })).flatMap((event) =>
      event.type === 'usage' ? [event.usage.costUsd] : [],
    );
  }

  it('is the difference of the totals', () => {
    expect(costs(false, [{ total_cost_usd: 0.1 }, { total_cost_usd: 0.3 }, { total_cost_usd: 0.3 }])).toEqual(
      [0.1, 0.2, 0],
    );
  });

  it('continues after a turn that did not report it, and is unknown when the total fell', () => {
    const totals = [0.1, undefined, 0.4, 0.05, 0.06].map((total_cost_usd) => ({ total_cost_usd }));
    expect(costs(false, totals)).toEqual([0.1, null, 0.3, null, 0.01]);
  });

  it('of the first turn after a resume is what was counted since, or unknown', () => {
    const since = { opus: { costUSD: 0.02 }, haiku: { costUSD: 0.001 } };
    const later = { total_cost_usd: 5.3 };
    expect(costs(true, [{ total_cost_usd: 5, model_usage_since_last_result: since }, later])).toEqual([
      0.021, 0.3,
    ]);
    expect(costs(true, [{ total_cost_usd: 5 }, later])).toEqual([null, 0.3]);
    expect(costs(true, [{ total_cost_usd: 5, model_usage_since_last_result: { a: {} } }])).toEqual([null]);
  });

  it('of the first turn after a kill is the whole sum, if that covers just this turn', () => {
    const usage = { input_tokens: 10, output_tokens: 2, cache_read_input_tokens: 3 };
    const modelUsage = { opus: { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 3 } };
    expect(costs(true, [{ total_cost_usd: 5, usage, modelUsage }])).toEqual([5]);
    const older = { opus: { ...modelUsage.opus, inputTokens: 11 } };
    expect(costs(true, [{ total_cost_usd: 5, usage, modelUsage: older }])).toEqual([null]);
  });

  it.each([-5, Number.NaN, 1e300])('of %d dollars is ignored', (total_cost_usd) => {
    const since = { opus: { costUSD: total_cost_usd } };
    const told = costs(false, [
      { total_cost_usd, model_usage_since_last_result: since },
      { total_cost_usd: 0.5 },
    ]);
    expect(told).toEqual([null, 0.5]);
  });
});
