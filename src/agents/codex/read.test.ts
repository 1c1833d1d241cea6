import { describe, expect, it } from 'vitest';
import type { AgentEvent, Usage } from '../events.js';
import { plusUsage } from '../usage.js';
import { TurnReader } from './read.js';
import { readNotification } from './schema.js';
import { UsageMeter } from './usage.js';

type Params = Readonly<Record<string, unknown>>;
type Line = readonly [method: string, params: Params];

const THREAD = 'thread-1';
const newReader = (meter = new UsageMeter()) => new TurnReader(THREAD, meter);

function read(lines: readonly Line[], reader = newReader()): AgentEvent[] {
  return lines.flatMap(([method, params]) => {
    const notification = readNotification(method, { threadId: THREAD, turnId: 'turn-1', ...params });
    if (notification === undefined) throw new Error(`${method} is broken`);
    return notification === null ? [] : reader.read(notification);
  });
}

const started = (item: Params): Line => ['item/started', { item }];
const completed = (item: Params): Line => ['item/completed', { item }];
const says = (itemId: string, delta: string): Line => ['item/agentMessage/delta', { itemId, delta }];
const fails = (message: string, more: Params = {}): Line => [
  'error',
  { error: { message, codexErrorInfo: 'other', additionalDetails: null, ...more }, willRetry: false },
];
const tokens = (inputTokens: number, outputTokens: number, more: Params = {}) => ({
  totalTokens: inputTokens + outputTokens,
  inputTokens,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens,
  reasoningOutputTokens: 0,
  ...more,
});
const raw = (usage: Params): Line => ['rawResponse/completed', { usage }];
const total = (sum: Params, last: Params, modelContextWindow: number | null = 1_000): Line => [
  'thread/tokenUsage/updated',
  { tokenUsage: { total: sum, last, modelContextWindow } },
];

const CHANGE = { path: '/work/made.txt', kind: { type: 'add' }, diff: 'made\n' };
const COMMAND = { id: 'c', type: 'commandExecution', command: "/bin/bash -lc 'wc made.txt'" };
const CALL = { id: 'm', type: 'mcpToolCall', server: 'asker', tool: 'ask', arguments: { q: 1 } };

describe('the work of a turn', () => {
  it('is reported as it comes', () => {
    const events = read([
      started({ id: 'u', type: 'userMessage', content: [{ type: 'text', text: 'go' }] }),
      started({ id: 'r', type: 'reasoning', summary: [], content: [] }),
      ['item/reasoning/summaryPartAdded', { itemId: 'r', summaryIndex: 0 }],
      ['item/reasoning/summaryTextDelta', { itemId: 'r', delta: 'Let me think.' }],
      ['item/reasoning/summaryPartAdded', { itemId: 'r', summaryIndex: 1 }],
      ['item/reasoning/summaryTextDelta', { itemId: 'r', delta: 'So.' }],
      completed({ id: 'r', type: 'reasoning', summary: ['Let me think.', 'So.'], content: [] }),
      says('a', 'I will '),
      says('a', 'write it.'),
      completed({ id: 'a', type: 'agentMessage', text: 'I will write it.' }),
      started({ id: 'f', type: 'fileChange', changes: [CHANGE], status: 'inProgress' }),
      completed({ id: 'f', type: 'fileChange', changes: [CHANGE], status: 'completed' }),
      completed({ ...COMMAND, aggregatedOutput: '14 made.txt\n', exitCode: 0, status: 'completed' }),
      started({ ...CALL, status: 'inProgress', result: null, error: null }),
      completed({
        ...CALL,
        status: 'completed',
        result: { content: [{ type: 'text', text: 'yes' }, { type: 'image' }] },
      }),
      ['warning', { message: 'Model metadata not found' }],
      ['turn/diff/updated', { diff: 'x' }],
      completed({ id: 'b', type: 'agentMessage', text: 'Done.' }),
    ]);
    const changes = [{ path: '/work/made.txt', kind: 'add', diff: 'made\n' }];
    const file = { id: 'f', name: 'file_change', kind: 'edit', title: '/work/made.txt', input: { changes } };
    const command = { name: 'command_execution', kind: 'execute', title: 'wc made.txt' };
    expect(events).toEqual([
      { type: 'thinking', text: 'Let me think.' },
      { type: 'thinking', text: '\n\n' },
      { type: 'thinking', text: 'So.' },
      { type: 'text', messageId: 'a', text: 'I will ' },
      { type: 'text', messageId: 'a', text: 'write it.' },
      { type: 'tool-call', ...file },
      { type: 'tool-result', id: 'f', isError: false, output: 'add /work/made.txt' },
      { type: 'tool-call', id: 'c', ...command, input: { command: 'wc made.txt' } },
      { type: 'tool-result', id: 'c', isError: false, output: '14 made.txt\n' },
      {
        type: 'tool-call',
        id: 'm',
        name: 'mcp__asker__ask',
        kind: 'other',
        title: 'mcp__asker__ask',
        input: { q: 1 },
      },
      { type: 'tool-result', id: 'm', isError: false, output: 'yes\n[image]' },
      { type: 'error', message: 'Model metadata not found', status: null },
      { type: 'text', messageId: 'b', text: 'Done.' },
    ]);
  });

  it.each([
    [{ ...COMMAND, aggregatedOutput: 'no', exitCode: 2, status: 'failed' }, 'no'],
    [{ ...COMMAND, aggregatedOutput: null, exitCode: null, status: 'declined' }, 'declined'],
    [{ id: 'f', type: 'fileChange', changes: [], status: 'failed' }, ''],
    [{ ...CALL, status: 'failed', error: { message: 'cancelled' } }, 'cancelled'],
    [{ id: 'n', type: 'newTool', status: 'failed', size: 3 }, ''],
  ])('reports that %o failed', (item, output) => {
    expect(read([completed(item)]).at(-1)).toMatchObject({ type: 'tool-result', isError: true, output });
  });

  it('shows searches, and tools it does not know', () => {
    const lines = [
      started({ id: 'a', type: 'webSearch', query: 'weather' }),
      started({ id: 'b', type: 'newTool', size: 3 }),
    ];
    expect(read(lines)).toMatchObject([
      { name: 'web_search', kind: 'fetch', title: 'weather', input: { query: 'weather' } },
      { name: 'newTool', kind: 'other', title: 'newTool', input: { size: 3 } },
    ]);
  });

  it('of agents that it starts is not its own, but their usage counts', () => {
    const other = { threadId: 'thread-2' };
    const events = read([
      ['item/agentMessage/delta', { ...other, itemId: 'a', delta: 'Not mine.' }],
      ['item/started', { ...other, item: COMMAND }],
      ['thread/tokenUsage/updated', { ...other, ...total(tokens(30, 3), tokens(30, 3))[1] }],
    ]);
    expect(events).toMatchObject([{ type: 'usage', usage: { inputTokens: 30, contextTokens: null } }]);
  });

  it('says once what is repeated after a break', () => {
    const retry: Line = ['error', { error: { message: 'Reconnecting... 1/2' }, willRetry: true }];
    const events = read([says('a', 'One. Tw'), retry, says('b', 'One. Two.'), says('b', ' Three.')]);
    expect(events.filter(({ type }) => type === 'text')).toEqual([
      { type: 'text', messageId: 'a', text: 'One. Tw' },
      { type: 'text', messageId: 'a', text: 'o.' },
      { type: 'text', messageId: 'a', text: ' Three.' },
    ]);
  });
});

describe('what Codex refuses on its own', () => {
  const item = (value: Params): Line => ['rawResponseItem/completed', { item: value }];
  const called = item({
    type: 'function_call',
    call_id: 'c',
    name: 'exec_command',
    arguments: '{"cmd":"curl x"}',
  });
  const refused = item({
    type: 'function_call_output',
    call_id: 'c',
    output: 'exec_command failed: CreateProcess { message: "Rejected(\\"policy forbids `curl`\\")" }',
  });

  it('is a denial', () => {
    expect(read([called, refused])).toMatchObject([
      { type: 'tool-call', id: 'c', kind: 'execute', title: 'curl x', input: { command: 'curl x' } },
      { type: 'permission', id: 'c', decision: 'denied', by: 'Codex: policy forbids `curl`' },
      { type: 'tool-result', id: 'c', isError: true, output: 'policy forbids `curl`' },
    ]);
  });

  it('is not reported twice if an item shows it, or if it was done', () => {
    expect(read([called, started(COMMAND), refused])).toHaveLength(1);
    const done = item({ type: 'function_call_output', call_id: 'c', output: 'fine' });
    expect(read([called, done])).toEqual([]);
    expect(read([refused])).toEqual([]);
  });
});

describe('usage', () => {
  const usages = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
  const sum = (all: readonly Usage[]) => all.reduce<Usage | null>(plusUsage, null);

  it('counts each reply once, when it is complete, and does not count cached tokens as input', () => {
    const first = tokens(1_500, 50, { cachedInputTokens: 1_000, cacheWriteInputTokens: 100 });
    const all = usages(
      read([raw(first), total(first, first), raw(tokens(200, 5)), total(tokens(1_700, 55), tokens(200, 5))]),
    );
    expect(all.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])).toEqual([
      [400, 50],
      [0, 0],
      [200, 5],
    ]);
    expect(sum(all)).toEqual({
      inputTokens: 600,
      outputTokens: 55,
      cacheReadTokens: 1_000,
      cacheWriteTokens: 100,
      contextTokens: 205,
      contextWindow: 1_000,
      costUsd: null,
    });
  });

  it('counts each reply by the totals if replies are not reported, as after a resume', () => {
    const meter = new UsageMeter();
    meter.report({ tokenUsage: { total: tokens(900, 90), last: tokens(100, 10) } }, true);
    const reader = newReader(meter);
    const lines = [
      total(tokens(900, 90), tokens(100, 10)),
      total(tokens(950, 95), tokens(50, 5)),
      total(tokens(950, 95), tokens(50, 5)),
    ];
    expect(usages(read(lines, reader))).toMatchObject([
      { inputTokens: 50, outputTokens: 5, contextTokens: 55 },
    ]);
  });

  it('of a reply whose total never came is not counted for the next turn', () => {
    const meter = new UsageMeter();
    expect(usages(read([raw(tokens(10, 1))], newReader(meter)))).toHaveLength(1);
    const next = usages(read([total(tokens(30, 3), tokens(20, 2))], newReader(meter)));
    expect(next).toMatchObject([{ inputTokens: 20, outputTokens: 2 }]);
  });
});

describe('failures', () => {
  it('reports retries, with the reason and the status', () => {
    const line = (message: string, error: Params = {}): Line => [
      'error',
      { error: { message, ...error }, willRetry: true },
    ];
    const info = { responseStreamDisconnected: { httpStatusCode: 429 } };
    const events = read([
      line('Reconnecting... 1/2', { codexErrorInfo: info, additionalDetails: 'exceeded retry limit' }),
      line('Waiting for network'),
    ]);
    expect(events).toEqual([
      { type: 'retry', attempt: 1, delayMs: null, status: 429, message: 'exceeded retry limit' },
      { type: 'retry', attempt: 2, delayMs: null, status: null, message: 'Waiting for network' },
    ]);
  });

  it.each([
    ['exceeded retry limit, last status: 429 Too Many Requests', 'other', 'rate-limited'],
    ['You’ve hit your usage limit.', 'usageLimitExceeded', 'rate-limited'],
    ['in words nobody knows', 'usageLimitExceeded', 'rate-limited'],
    ['in words nobody knows', 'contextWindowExceeded', 'context-overflow'],
    ['{"error":{"code":"context_length_exceeded"}}', 'other', 'context-overflow'],
    ['unexpected status 401 Unauthorized', { httpConnectionFailed: { httpStatusCode: 401 } }, 'failed'],
  ])('maps %s', (message, codexErrorInfo, reason) => {
    const reader = newReader();
    const [first] = read([fails(message, { codexErrorInfo })], reader);
    const ends = reader.readFailure({ message, codexErrorInfo });
    expect(first?.type).toBe(reason === 'rate-limited' ? 'rate-limit' : 'error');
    expect(ends).toEqual([{ type: 'turn-end', reason, message }]);
    // A limit is reported once, however often it is said.
    expect(newReader().readFailure({ message, codexErrorInfo })).toHaveLength(
      reason === 'rate-limited' ? 2 : 1,
    );
  });

  it('ends a turn that gives no reason', () => {
    expect(newReader().readFailure(null)).toEqual([
      { type: 'turn-end', reason: 'failed', message: 'it gave no reason' },
    ]);
  });
});

describe('how much of an allowance is used', () => {
  const updated = (rateLimits: Params): Line => ['account/rateLimits/updated', { rateLimits }];
  const primary = { usedPercent: 42.4, windowDurationMins: 300, resetsAt: 1_794_717_406 };

  it('is reported for each window that says when it ends', () => {
    const weekly = { usedPercent: 91, windowDurationMins: 10_080, resetsAt: 1_794_717_406 };
    expect(read([updated({ primary, secondary: weekly })])).toMatchObject([
      {
        type: 'rate-limit',
        status: 'allowed',
        scope: '5h',
        usedPercent: 42,
        resetsAt: '2026-11-15T04:36:46.000Z',
      },
      { type: 'rate-limit', status: 'allowed', scope: 'weekly', usedPercent: 91 },
    ]);
  });

  it.each([
    {},
    { primary: null },
    { primary: { usedPercent: 1 } },
    { primary: { ...primary, resetsAt: 1e300 } },
  ])('is not reported by %j', (rateLimits) => {
    expect(read([updated(rateLimits)])).toEqual([]);
  });
});
