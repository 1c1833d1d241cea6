import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../programs/index.js';
import type { AgentEvent } from '../events.js';
import { CodexReader } from './read.js';
import { UsageMeter } from './usage.js';

type Line = Readonly<Record<string, unknown>>;

function newReader(isResumed = false): CodexReader {
  return new CodexReader(new UsageMeter({ isResumed }));
}

function read(lines: readonly Line[], reader = newReader()): AgentEvent[] {
  return lines.flatMap((line) => reader.read(JSON.stringify(line)));
}

const started = (item: Line) => ({ type: 'item.started', item });
const completed = (item: Line) => ({ type: 'item.completed', item });
const turnCompleted = (input: number, output: number, more: Line = {}) => ({
  type: 'turn.completed',
  usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output, ...more },
});
const COMPLETED = { type: 'turn-end', reason: 'completed', message: null };

const CHANGES = [{ path: '/work/made.txt', kind: 'add' }];
const FILE = { id: 'item_2', type: 'file_change', changes: CHANGES };
const CALL = { id: 'item_4', type: 'mcp_tool_call', server: 'asker', tool: 'ask', arguments: { q: 1 } };

const TURN: readonly Line[] = [
  { type: 'thread.started', thread_id: '01a1dd13-48d7' },
  { type: 'turn.started' },
  completed({ id: 'item_0', type: 'reasoning', text: 'Let me think.' }),
  completed({ id: 'item_1', type: 'agent_message', text: 'I will write it.' }),
  started({ ...FILE, status: 'in_progress' }),
  completed({ ...FILE, status: 'completed' }),
  completed({
    id: 'item_3',
    type: 'command_execution',
    command: "/bin/bash -lc 'wc made.txt'",
    aggregated_output: '14 made.txt\n',
    exit_code: 0,
    status: 'completed',
  }),
  started({ ...CALL, result: null, error: null, status: 'in_progress' }),
  completed({
    ...CALL,
    result: { content: [{ type: 'text', text: 'yes' }, { type: 'image' }], structured_content: null },
    error: null,
    status: 'completed',
  }),
  completed({ id: 'item_5', type: 'error', message: 'Model metadata not found' }),
  completed({ id: 'item_6', type: 'todo_list', items: [] }),
  turnCompleted(3_000, 150),
];

const EVENTS = [
  { type: 'thinking', text: 'Let me think.' },
  { type: 'text', text: 'I will write it.' },
  {
    type: 'tool-call',
    id: 'item_2',
    name: 'file_change',
    kind: 'edit',
    title: '/work/made.txt',
    input: { changes: CHANGES },
  },
  { type: 'tool-result', id: 'item_2', isError: false, output: 'add /work/made.txt' },
  {
    type: 'tool-call',
    id: 'item_3',
    name: 'command_execution',
    kind: 'execute',
    title: "/bin/bash -lc 'wc made.txt'",
    input: { command: "/bin/bash -lc 'wc made.txt'" },
  },
  { type: 'tool-result', id: 'item_3', isError: false, output: '14 made.txt\n' },
  {
    type: 'tool-call',
    id: 'item_4',
    name: 'mcp__asker__ask',
    kind: 'other',
    title: 'mcp__asker__ask',
    input: { q: 1 },
  },
  { type: 'tool-result', id: 'item_4', isError: false, output: 'yes\n[image]' },
  { type: 'error', message: 'Model metadata not found', status: null },
  {
    type: 'usage',
    usage: {
      inputTokens: 3_000,
      outputTokens: 150,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      contextTokens: null,
      contextWindow: null,
      costUsd: null,
    },
  },
  COMPLETED,
];

describe('CodexReader', () => {
  it('reads a complete run', () => {
    const reader = newReader();
    expect(read(TURN, reader)).toEqual(EVENTS);
    expect(reader.threadId).toBe('01a1dd13-48d7');
  });

  it.each([
    [{ type: 'command_execution', aggregated_output: 'no', exit_code: 2, status: 'failed' }, 'no'],
    [{ type: 'command_execution', aggregated_output: '', exit_code: null, status: 'declined' }, ''],
    [{ type: 'file_change', changes: [], status: 'failed' }, ''],
    [
      { ...CALL, status: 'failed', error: { message: 'user cancelled MCP tool call' } },
      'user cancelled MCP tool call',
    ],
    [{ type: 'new_tool', status: 'failed', size: 3 }, ''],
  ])('tells that %o failed', (item, output) => {
    expect(read([completed({ ...item, id: 'item_9' })]).at(-1)).toEqual({
      type: 'tool-result',
      id: 'item_9',
      isError: true,
      output,
    });
  });

  it('shows searches, and tools it does not know', () => {
    const lines = [
      started({ id: 'a', type: 'web_search', query: 'weather' }),
      started({ id: 'b', type: 'new_tool', status: 'in_progress', size: 3 }),
    ];
    expect(read(lines)).toEqual([
      {
        type: 'tool-call',
        id: 'a',
        name: 'web_search',
        kind: 'fetch',
        title: 'weather',
        input: { query: 'weather' },
      },
      { type: 'tool-call', id: 'b', name: 'new_tool', kind: 'other', title: 'new_tool', input: { size: 3 } },
    ]);
  });

  it.each(['Warning: x', 'null', '[]', '{"type":3}', '{"type":"item.completed"}', '{"type":"turn.comp'])(
    'reports %s and goes on',
    (line) => {
      const reader = newReader();
      expect(reader.read(line)).toEqual([
        { type: 'error', message: expect.stringContaining(line), status: null },
      ]);
      expect(read([completed({ type: 'agent_message', text: 'Yes.' })], reader)).toEqual([
        { type: 'text', text: 'Yes.' },
      ]);
    },
  );

  it('ends the turn however broken the last line is', () => {
    expect(read([{ type: 'turn.completed', usage: 'much' }])).toEqual([COMPLETED]);
    expect(read([{ type: 'turn.failed' }])).toEqual([
      { type: 'turn-end', reason: 'failed', message: 'it gave no reason' },
    ]);
  });
});

describe('usage', () => {
  const usages = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));

  it('is the difference of the totals, and what was cached is not counted twice', () => {
    const lines = [
      turnCompleted(3_000, 150, { cached_input_tokens: 1_000, cache_write_input_tokens: 500 }),
      turnCompleted(5_000, 200, { cached_input_tokens: 2_500, cache_write_input_tokens: 500 }),
    ];
    expect(usages(read(lines))).toMatchObject([
      { inputTokens: 1_500, cacheReadTokens: 1_000, cacheWriteTokens: 500, outputTokens: 150 },
      { inputTokens: 500, cacheReadTokens: 1_500, cacheWriteTokens: 0, outputTokens: 50 },
    ]);
  });

  it('of the first turn after a resume, or of a total that fell, is not known', () => {
    const lines = [turnCompleted(9_000, 100), turnCompleted(9_500, 110), turnCompleted(200, 1)];
    const events = read(lines, newReader(true));
    expect(usages(events)).toMatchObject([{ inputTokens: 500, outputTokens: 10 }]);
    expect(events.filter(({ type }) => type === 'turn-end')).toHaveLength(3);
  });
});

describe('failures', () => {
  it('says once what is told again when a request is repeated', () => {
    const said = (id: string, text: string) => completed({ id, type: 'agent_message', text });
    const retry = { type: 'error', message: 'Reconnecting... 1/2 (stream disconnected)' };
    const lines = [said('item_0', 'One.'), retry, said('item_2', 'One.'), said('item_3', 'Two.')];
    const texts = read(lines).filter(({ type }) => type === 'text');
    expect(texts).toEqual([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ]);
  });

  it('tells of retries', () => {
    const message = 'Reconnecting... 1/2 (exceeded retry limit, last status: 429 Too Many Requests)';
    expect(
      read([
        { type: 'error', message },
        { type: 'error', message: 'Reconnecting... 2/5' },
      ]),
    ).toEqual([
      {
        type: 'retry',
        attempt: 1,
        delayMs: null,
        status: 429,
        message: 'exceeded retry limit, last status: 429 Too Many Requests',
      },
      { type: 'retry', attempt: 2, delayMs: null, status: null, message: 'Reconnecting... 2/5' },
    ]);
  });

  it.each([
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate-limited'],
    ["Codex ran out of room in the model's context window. Start a new conversation.", 'context-overflow'],
    ['Your input exceeds the context window of this model.', 'context-overflow'],
    ['{"error":{"code":"context_length_exceeded"}}', 'context-overflow'],
    ['unexpected status 401 Unauthorized', 'failed'],
    ['exceeded retry limit, last status: 500 Internal Server Error', 'failed'],
  ])('maps %s', (message, reason) => {
    const events = read([
      { type: 'error', message },
      { type: 'turn.failed', error: { message } },
    ]);
    expect(events).toEqual([
      reason === 'rate-limited'
        ? { type: 'rate-limit', status: 'rejected', resetsAt: null, message }
        : { type: 'error', message, status: null },
      { type: 'turn-end', reason, message },
    ]);
  });

  it.each([
    ['try again at 4:41 AM.', null],
    ['try again in 3 days 6 hours.', null],
    ['try again at Aug 8th, 2026 12:30 PM.', new Date(2026, 7, 8, 12, 30).toISOString()],
    ['try again at February 21st, 2027 4:05PM.', new Date(2027, 1, 21, 16, 5).toISOString()],
    ['try again at Nonsense 8th, 2026 12:30 PM.', null],
    ['try again at 2026-08-08T12:30:00Z.', '2026-08-08T12:30:00.000Z'],
  ])('tells when a usage limit ends, once: %s', (when, resetsAt) => {
    const message = `You’ve hit your usage limit. Upgrade to Pro or ${when}`;
    const events = read([
      { type: 'error', message },
      { type: 'turn.failed', error: { message } },
    ]);
    expect(events).toEqual([
      { type: 'rate-limit', status: 'rejected', resetsAt, message },
      { type: 'turn-end', reason: 'rate-limited', message },
    ]);
    expect(read([{ type: 'turn.failed', error: { message } }])).toEqual(events);
  });
});

describe('whatever the transcript looks like', () => {
  it('gives the same events for any chunks', () => {
    const whole = Buffer.from(TURN.map((line) => `${JSON.stringify(line)}\r\n`).join(''));
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
        const reader = newReader();
        const events: AgentEvent[] = [];
        const splitter = new LineSplitter({
          maxBytes: 1_000_000,
          onLine: (line) => events.push(...reader.read(line)),
          onOversized: () => {},
        });
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        for (const [at, end] of places.slice(1).entries()) splitter.push(whole.subarray(places[at], end));
        splitter.end();
        expect(events).toEqual(EVENTS);
      }),
    );
  });

  it('gives the same events with any unknown lines in between', () => {
    const unknown = fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.string(), fc.jsonValue())
        .map(([type, value]) => JSON.stringify({ value, type: `new ${type}` })),
      fc.constant(JSON.stringify({ type: 'item.updated', item: { id: 'item_6', type: 'todo_list' } })),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(TURN.length), unknown)), (insertions) => {
        const lines = TURN.map((line) => JSON.stringify(line));
        for (const [at, line] of insertions) lines.splice(at, 0, line);
        const reader = newReader();
        expect(lines.flatMap((line) => reader.read(line))).toEqual(EVENTS);
      }),
    );
  });
});
