import { describe, expect, it } from 'vitest';
import {
  assistant,
  blockStart,
  COMPLETED,
  delta,
  messageStart,
  read,
  result,
  SESSION,
  stream,
  TOOL_EVENTS,
  TOOL_TURN,
  text,
  WITHOUT_USAGE,
} from '../../../test/support/claude-lines.js';
import { ClaudeReader } from './read.js';

describe('ClaudeReader', () => {
  it('reads a turn with thinking, text and a tool', () => {
    const reader = new ClaudeReader({ isResumed: false });
    expect(read(TOOL_TURN, reader)).toEqual(TOOL_EVENTS);
    expect(reader.facts).toEqual({ version: '2.1.325', model: 'claude-opus-5-5' });
    expect(reader.sessionId).toBe(SESSION.session_id);
  });

  it('passes a block on whole if no pieces of it came', () => {
    const lines = [
      assistant([{ type: 'thinking', thinking: 'Hm.' }]),
      assistant([text('One.')]),
      assistant([text('Two.')], {}, { id: 'msg_2' }),
    ];
    expect(read(lines)).toEqual([{ type: 'thinking', text: 'Hm.' }, text('One.'), text('Two.')]);
  });

  it('passes on what is missing if pieces were lost', () => {
    const lines = [messageStart('msg_1'), delta('Hel'), assistant([text('Hello')])];
    expect(read(lines)).toEqual([text('Hel'), text('lo')]);
  });

  it('does not repeat a block that differs from its pieces', () => {
    const lines = [messageStart('msg_1'), delta('Hel'), delta('o'), assistant([text('Hello')])];
    expect(read(lines)).toEqual([text('Hel'), text('o')]);
  });

  it('says a reply that came in one piece after another broke off', () => {
    const lines = [messageStart('msg_1'), delta('Some'), assistant([text('Other')], {}, { id: 'msg_2' })];
    expect(read(lines)).toEqual([text('Some'), text('Other')]);
  });

  it('says a reply once if it broke off and came again', () => {
    const lines = [
      messageStart('msg_1'),
      delta('Hello '),
      delta('wor'),
      messageStart('msg_2'),
      delta('Hel'),
      delta('lo world'),
      assistant([text('Hello world')], {}, { id: 'msg_2' }),
      stream({ type: 'message_delta', usage: { output_tokens: 2 } }),
      messageStart('msg_3'),
      delta('Hello again'),
    ];
    expect(read(lines)).toEqual([text('Hello '), text('wor'), text('ld'), text('Hello again')]);
  });

  it('says a reply again if it came differently after it broke off', () => {
    const lines = [messageStart('msg_1'), delta('Hello'), messageStart('msg_2'), delta('He'), delta('y')];
    expect(read(lines)).toEqual([text('Hello'), text('Hey')]);
  });

  it('says two equal blocks of one reply twice', () => {
    const lines = [
      messageStart('msg_1'),
      blockStart(0, 'text'),
      delta('Yes.', 0),
      assistant([text('Yes.')]),
      blockStart(1, 'text'),
      delta('Yes.', 1),
      assistant([text('Yes.')]),
      assistant([text('Yes.')]),
    ];
    expect(read(lines)).toEqual([text('Yes.'), text('Yes.'), text('Yes.')]);
  });

  it('leaves out what sub-agents say and keeps what they do', () => {
    const parent = { parent_tool_use_id: 'toolu_9' };
    const bash = { type: 'tool_use', id: 'toolu_2', name: 'Bash', input: { command: 'ls\n-l' } };
    const lines = [
      stream({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'inner' } }, parent),
      assistant([text('inner'), bash], parent, { model: 'claude-haiku-5', usage: { input_tokens: 5 } }),
      result({ modelUsage: undefined }),
    ];
    expect(read(lines)).toEqual([
      {
        type: 'tool-call',
        id: 'toolu_2',
        name: 'Bash',
        kind: 'execute',
        title: 'ls\\n-l',
        input: bash.input,
      },
      {
        type: 'usage',
        usage: expect.objectContaining({ contextTokens: null, contextWindow: null }),
      },
      COMPLETED,
    ]);
  });

  it.each([
    ['Read', { file_path: '/a' }, 'read', '/a'],
    ['Glob', { pattern: '*.ts', path: '/b' }, 'read', '*.ts'],
    ['Grep', { pattern: 'x', path: '/b' }, 'read', 'x'],
    ['LS', { path: '/b' }, 'read', '/b'],
    ['Edit', { file_path: '/a', old_string: '' }, 'edit', '/a'],
    ['MultiEdit', { file_path: '/a' }, 'edit', '/a'],
    ['NotebookEdit', { notebook_path: '/n' }, 'edit', '/n'],
    ['Bash', { command: 'ls' }, 'execute', 'ls'],
    ['Bash', null, 'execute', 'Bash'],
    ['WebFetch', { url: 'https://a', prompt: 'p' }, 'fetch', 'https://a'],
    ['WebSearch', { query: 'q' }, 'fetch', 'q'],
    ['Task', { description: 'd' }, 'other', 'Task'],
    ['mcp__holdfast__ask_user_questions', { command: 'no' }, 'other', 'mcp__holdfast__ask_user_questions'],
    ['constructor', {}, 'other', 'constructor'],
  ])('reports what %s does', (name, input, kind, title) => {
    expect(read([assistant([{ type: 'tool_use', id: 't', name, input }])])).toEqual([
      { type: 'tool-call', id: 't', name, kind, title, input },
    ]);
  });

  it('shows the text of tool results', () => {
    const blocks = [
      { type: 'tool_result', tool_use_id: 'a', content: 'no such file', is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [text('1'), { type: 'image' }, text('2')],
      },
      { type: 'tool_result', tool_use_id: 'c' },
      { type: 'text', text: '[Request interrupted by user]' },
    ];
    expect(read([{ type: 'user', message: { role: 'user', content: blocks } }])).toEqual([
      { type: 'tool-result', id: 'a', isError: true, output: 'no such file' },
      { type: 'tool-result', id: 'b', isError: false, output: '1\n[image]\n2' },
      { type: 'tool-result', id: 'c', isError: false, output: '' },
    ]);
    expect(read([{ type: 'user', message: { content: 'hi' }, isReplay: true }])).toEqual([]);
  });

  it('reports a lost connection as one, not as unknown', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 535, error: 'unknown' };
    expect(read([{ ...retry, error_status: null }])).toEqual([
      { type: 'retry', attempt: 1, delayMs: 535, status: null, message: 'connection lost' },
    ]);
    expect(read([{ ...retry, error_status: 502 }])).toMatchObject([{ message: 'the service answered 502' }]);
  });

  it('reports retries', () => {
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 3,
      retry_delay_ms: 1_000,
      error_status: 429,
      error: 'rate_limit',
    };
    expect(read([retry])).toEqual([
      { type: 'retry', attempt: 1, delayMs: 1_000, status: 429, message: 'rate limit' },
    ]);
  });

  it('reports requests and withdrawals', () => {
    const request = { subtype: 'can_use_tool', tool_name: 'Write', input: { a: 1 }, tool_use_id: 't' };
    const lines = [
      { type: 'control_request', request_id: 'r', request },
      { type: 'control_cancel_request', request_id: 'r' },
      { type: 'control_response', response: { subtype: 'success', request_id: 'i' } },
    ];
    expect(read(lines)).toEqual([
      { type: 'control-request', id: 'r', request },
      { type: 'control-withdrawal', id: 'r' },
    ]);
  });

  it('reports a malformed line and continues', () => {
    const lines = [{ type: 'assistant', message: { content: 'text' } }, assistant([text('Yes.')])];
    expect(read(lines)).toEqual([
      {
        type: 'error',
        message: 'A line of type assistant is malformed at message.content',
        status: null,
      },
      text('Yes.'),
    ]);
    const reader = new ClaudeReader({ isResumed: false });
    expect(reader.read('Warning: something')).toMatchObject([{ type: 'error' }]);
  });

  it('ends the turn however broken the result is', () => {
    const broken = { type: 'result', subtype: 4, is_error: 'no', usage: 'much', modelUsage: [], errors: {} };
    expect(read([broken])).toEqual([{ type: 'turn-end', reason: 'failed', message: 'it gave no reason' }]);
  });

  it('reads an answer of 559 kB on one line', () => {
    const long = 'x'.repeat(559_000);
    expect(read([assistant([text(long)]), result(WITHOUT_USAGE)])).toEqual([text(long), COMPLETED]);
  });
});
