import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOfError, outcomeOfResult } from './outcome.js';
import { ACP_PRESETS } from './presets.js';

describe('the answer to a prompt', () => {
  it.each([
    ['end_turn', 'completed'],
    ['cancelled', 'cancelled'],
    ['refusal', 'refused'],
    ['max_tokens', 'turn-limit'],
    ['max_turn_requests', 'turn-limit'],
  ])('%s means %s', (stopReason, reason) => {
    expect(outcomeOfResult({ stopReason }, ACP_PRESETS.acp, null)).toEqual({
      reason,
      message: null,
      events: [],
    });
  });

  it('max_tokens of Gemini means that the context is full', () => {
    expect(outcomeOfResult({ stopReason: 'max_tokens' }, ACP_PRESETS.gemini, null).reason).toBe(
      'context-overflow',
    );
  });

  it.each([[{}], [{ stopReason: 'bored' }]])('that gives no known reason is a failure', (result) => {
    const outcome = outcomeOfResult(result, ACP_PRESETS.acp, null);
    expect(outcome).toMatchObject({ reason: 'failed', message: expect.stringContaining('do not know') });
  });

  it('that claims success after an error that stayed is a failure', () => {
    const outcome = outcomeOfResult({ stopReason: 'end_turn' }, ACP_PRESETS['codex-acp'], 'HTTP 500');
    expect(outcome).toEqual({ reason: 'failed', message: 'HTTP 500', events: [] });
  });
});

describe('an error in answer to a prompt', () => {
  it.each([
    ['Claude, usage limit', -32603, 'Internal error', { errorKind: 'rate_limit' }, 'rate-limited'],
    ['Claude, 401', -32000, 'Authentication required', undefined, 'failed'],
    ['Claude, 500', -32603, 'Internal error', { errorKind: 'server_error' }, 'failed'],
    [
      'Codex, usage limit',
      -32603,
      'Internal error',
      { codexErrorInfo: 'usageLimitExceeded' },
      'rate-limited',
    ],
    ['Codex, 401', -32000, 'Authentication required', undefined, 'failed'],
    [
      'Codex, full context',
      -32603,
      'Internal error',
      { codexErrorInfo: 'contextWindowExceeded' },
      'context-overflow',
    ],
    ['Gemini, usage limit', 429, 'Rate limit exceeded. Try again later.', undefined, 'rate-limited'],
    ['Gemini, usage limit in other words', 429, 'Resource exhausted', undefined, 'rate-limited'],
    ['Gemini, 401', 401, 'API key not valid', undefined, 'failed'],
    ['Gemini, 500', 500, 'Internal', undefined, 'failed'],
    [
      'Gemini, full context',
      400,
      'The input token count exceeds the maximum.',
      undefined,
      'context-overflow',
    ],
    [
      'opencode, 401',
      -32603,
      'Internal error',
      { errorName: 'APIError', message: 'Invalid API key' },
      'failed',
    ],
    ['opencode, 429', -32603, 'Internal error', { errorName: 'APIError', statusCode: 429 }, 'rate-limited'],
    ['anybody, by its words', -32603, 'You have hit your usage limit', null, 'rate-limited'],
    [
      'anybody, full context by its words',
      -32603,
      'Internal error',
      'prompt is too long: 210000 tokens',
      'context-overflow',
    ],
    ['anybody, something else', -32602, 'Invalid params', { field: 'x' }, 'failed'],
  ])('(%s) means what it means', (_name, code, message, data, reason) => {
    expect(outcomeOfError({ code, message, data }, '').reason).toBe(reason);
  });

  it.each([
    [401, undefined, 401],
    [500, undefined, 500],
    [-32000, undefined, 401],
    [-32603, { statusCode: 503 }, 503],
  ])('of code %s is reported with its HTTP status', (code, data, status) => {
    const { message, events } = outcomeOfError({ code, message: 'no', data }, '');
    expect(events).toEqual([{ type: 'error', message, status }]);
  });

  it('gives the reason from the data', () => {
    const data = { message: 'Invalid API key', errorName: 'APIError' };
    expect(outcomeOfError({ code: -32603, message: 'Internal error', data }, '').message).toBe(
      'Invalid API key',
    );
    const overloaded = { code: -32603, message: 'Internal error: Overloaded' };
    expect(outcomeOfError(overloaded, '').message).toBe('Overloaded');
  });

  it('reports when the limit ends, if the agent gave the full date', () => {
    const error = { code: -32603, message: 'Internal error', data: { errorKind: 'rate_limit' } };
    expect(outcomeOfError(error, 'Limit reached, resets 2026-11-15T04:30:00+02:00.').events).toEqual([
      {
        type: 'rate-limit',
        status: 'rejected',
        resetsAt: '2026-11-15T02:30:00.000Z',
        message: 'Internal error',
      },
    ]);
    expect(outcomeOfError(error, 'try again at 4:41 AM').events).toMatchObject([{ resetsAt: null }]);
  });

  it('always ends the exchange, whatever it contains', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.jsonValue(), fc.string(), (code, message, data, said) => {
        const { reason, events } = outcomeOfError({ code, message, data }, said);
        expect(['rate-limited', 'context-overflow', 'failed']).toContain(reason);
        expect(events.some(({ type }) => type === 'rate-limit')).toBe(reason === 'rate-limited');
      }),
    );
  });
});
