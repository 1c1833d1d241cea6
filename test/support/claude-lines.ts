import { type ClaudeOutput, ClaudeReader } from '../../src/agents/claude/read.js';
import type { Usage } from '../../src/agents/events.js';
import { plusUsage } from '../../src/agents/usage.js';

/** A line from Claude Code, written by hand after measured output. */
export type Line = Readonly<Record<string, unknown>>;

export const SESSION = { session_id: '8b3a2c11-0000-4000-8000-000000000000', uuid: 'u' };

export function init(overrides: Line = {}): Line {
  return {
    type: 'system',
    subtype: 'init',
    cwd: '/work',
    tools: ['Task', 'Bash'],
    model: 'claude-opus-5-5',
    claude_code_version: '2.1.325',
    ...SESSION,
    ...overrides,
  };
}

const USAGE = { input_tokens: 1_000, cache_creation_input_tokens: 20, cache_read_input_tokens: 300 };

export function assistant(content: readonly Line[], overrides: Line = {}, message: Line = {}): Line {
  return {
    type: 'assistant',
    message: {
      id: 'msg_1',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: null,
      usage: { ...USAGE, output_tokens: 1 },
      ...message,
    },
    parent_tool_use_id: null,
    ...SESSION,
    ...overrides,
  };
}

export function stream(event: Line, overrides: Line = {}): Line {
  return { type: 'stream_event', event, parent_tool_use_id: null, ...SESSION, ...overrides };
}

export function delta(text: string, index = 0): Line {
  return stream({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
}

export function thought(thinking: string, index = 0): Line {
  return stream({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking } });
}

export function blockStart(index: number, type: string): Line {
  return stream({ type: 'content_block_start', index, content_block: { type } });
}

export function messageStart(id: string): Line {
  return stream({ type: 'message_start', message: { id, usage: { ...USAGE, output_tokens: 1 } } });
}

/** As in the real one, `type` is in the middle. */
export function result(overrides: Line = {}): Line {
  return {
    duration_api_ms: 200,
    duration_ms: 309,
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    type: 'result',
    result: 'Done.',
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    api_error_status: null,
    total_cost_usd: 0.015,
    usage: {
      input_tokens: 3_000,
      output_tokens: 157,
      cache_creation_input_tokens: 40,
      cache_read_input_tokens: 600,
    },
    modelUsage: {
      'claude-haiku-5': { inputTokens: 9_000, costUSD: 0.001, contextWindow: 200_000 },
      'claude-opus-5-5': { inputTokens: 3_000, costUSD: 0.014, contextWindow: 1_000_000 },
    },
    permission_denials: [],
    ...SESSION,
    ...overrides,
  };
}

/** What a reader makes of these lines. */
export function read(
  lines: readonly Line[],
  reader = new ClaudeReader({ isResumed: false }),
): ClaudeOutput[] {
  return withUsageInAll(lines.flatMap((line) => reader.read(JSON.stringify(line))));
}

/** The usage of replies arrives one by one; here it is added to the totals at the end of their turn. */
export function withUsageInAll(outputs: readonly ClaudeOutput[]): ClaudeOutput[] {
  let usage: Usage | null = null;
  return outputs.flatMap((output): ClaudeOutput[] => {
    if (output.type !== 'usage') return [output];
    usage = plusUsage(usage, output.usage);
    if (output.reply !== undefined) return [];
    const told = { type: 'usage', usage } as const;
    usage = null;
    return [told];
  });
}

export const WITHOUT_USAGE = { usage: undefined };
export const COMPLETED = { type: 'turn-end', reason: 'completed', message: null };
/** As a block of a reply, and as the event. */
export const text = (words: string) => ({ type: 'text', text: words });

/** A whole turn: thinking, text, a tool, text. */
export const TOOL_TURN: readonly Line[] = [
  init(),
  { type: 'system', subtype: 'status', status: 'requesting', ...SESSION },
  messageStart('msg_1'),
  blockStart(0, 'thinking'),
  thought('Let me '),
  thought('think.'),
  assistant([{ type: 'thinking', thinking: 'Let me think.', signature: 's' }]),
  stream({ type: 'content_block_stop', index: 0 }),
  blockStart(1, 'text'),
  delta('I will ', 1),
  delta('write it.', 1),
  assistant([text('I will write it.')]),
  assistant([
    { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { file_path: '/work/made.txt', content: 'x' } },
  ]),
  stream({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 77 } }),
  stream({ type: 'message_stop' }),
  {
    type: 'user',
    message: {
      role: 'user',
      content: [{ tool_use_id: 'toolu_1', type: 'tool_result', content: 'File created' }],
    },
    tool_use_result: { type: 'create', filePath: '/work/made.txt', structuredPatch: [] },
    ...SESSION,
  },
  messageStart('msg_2'),
  delta('Done.'),
  assistant([text('Done.')], {}, { id: 'msg_2' }),
  stream({ type: 'message_delta', delta: {}, usage: { output_tokens: 80 } }),
  result(),
];

/** What comes out of it. */
export const TOOL_EVENTS = [
  { type: 'thinking', text: 'Let me ' },
  { type: 'thinking', text: 'think.' },
  text('I will '),
  text('write it.'),
  {
    type: 'tool-call',
    id: 'toolu_1',
    name: 'Write',
    kind: 'edit',
    title: '/work/made.txt',
    input: { file_path: '/work/made.txt', content: 'x' },
  },
  { type: 'tool-result', id: 'toolu_1', isError: false, output: 'File created' },
  text('Done.'),
  {
    type: 'usage',
    usage: {
      inputTokens: 3_000,
      outputTokens: 157,
      cacheReadTokens: 600,
      cacheWriteTokens: 40,
      contextTokens: 1_000 + 20 + 300 + 80,
      contextWindow: 1_000_000,
      costUsd: 0.015,
    },
  },
  COMPLETED,
];
