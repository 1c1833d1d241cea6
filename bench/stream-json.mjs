// Lines as Claude Code writes them with partial messages, by the share in which a working session has them (PERF-23).
const SESSION = '8b3a2c11-0000-4000-8000-000000000000';
const WORDS =
  'the file is read then the test runs and fails because “naïve” parsing drops\tthe last line of it'.split(
    ' ',
  );
const USAGE = {
  input_tokens: 4,
  cache_creation_input_tokens: 1_532,
  cache_read_input_tokens: 48_211,
  cache_creation: { ephemeral_5m_input_tokens: 1_532, ephemeral_1h_input_tokens: 0 },
  output_tokens: 3,
  service_tier: 'standard',
};

/** About so many bytes of lines: exchanges of two replies with a tool between them, one after the other. */
export function streamJsonLines(bytes) {
  const lines = [];
  let written = 0;
  for (let turn = 0; written < bytes; turn++) {
    for (const value of exchange(turn)) {
      const line = JSON.stringify(value);
      written += Buffer.byteLength(line) + 1;
      lines.push(line);
    }
  }
  return lines;
}

function* exchange(turn) {
  yield line('system', {
    subtype: 'init',
    cwd: '/work/shop',
    model: 'claude-opus-5-5',
    tools: TOOLS,
    claude_code_version: '2.1.325',
  });
  const call = {
    type: 'tool_use',
    id: `toolu_${turn}`,
    name: 'Bash',
    input: { command: `npm test -- ${turn}`, description: words(9, turn) },
  };
  yield* reply(`msg_${turn}_a`, turn, 1_200, call);
  const output = words(1_400, turn);
  yield line('user', {
    message: {
      role: 'user',
      content: [{ tool_use_id: call.id, type: 'tool_result', content: output, is_error: false }],
    },
    tool_use_result: { stdout: output, stderr: '', interrupted: false, isImage: false },
  });
  yield* reply(`msg_${turn}_b`, turn, 400, undefined);
  yield {
    duration_api_ms: 9_120,
    duration_ms: 9_309,
    subtype: 'success',
    is_error: false,
    type: 'result',
    result: words(60, turn),
    stop_reason: 'end_turn',
    total_cost_usd: 0.015 * (turn + 1),
    usage: USAGE,
    modelUsage: {
      'claude-opus-5-5': { inputTokens: 3_000, outputTokens: 150, costUSD: 0.015, contextWindow: 1_000_000 },
    },
    session_id: SESSION,
    uuid: uuid(turn),
  };
}

function* reply(id, turn, count, call) {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    stop_reason: null,
    usage: USAGE,
  };
  yield streamed({ type: 'message_start', message: { ...message, content: [] } });
  yield streamed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  const pieces = Array.from({ length: count / 4 }, (_, at) => `${words(4, turn + at)} `);
  for (const text of pieces)
    yield streamed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  yield line('assistant', { message: { ...message, content: [{ type: 'text', text: pieces.join('') }] } });
  yield streamed({ type: 'content_block_stop', index: 0 });
  if (call !== undefined) {
    yield streamed({ type: 'content_block_start', index: 1, content_block: { ...call, input: {} } });
    for (const part of JSON.stringify(call.input).match(/.{1,12}/g)) {
      yield streamed({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: part },
      });
    }
    yield line('assistant', { message: { ...message, content: [call] } });
    yield streamed({ type: 'content_block_stop', index: 1 });
  }
  yield streamed({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: count },
  });
  yield streamed({ type: 'message_stop' });
}

let lineNumber = 0;
const uuid = (number) => `${number.toString(16).padStart(8, '0')}-71b2-4c55-9d0e-5c1fd53a2f10`;
const TOOLS = Array.from({ length: 24 }, (_, at) => `mcp__server__tool_${at}`);

function line(type, fields) {
  return { type, ...fields, parent_tool_use_id: null, session_id: SESSION, uuid: uuid(lineNumber++) };
}

const streamed = (event) => line('stream_event', { event });

function words(count, from) {
  return Array.from({ length: count }, (_, at) => WORDS[(from + at) % WORDS.length]).join(' ');
}
