/** Codec for the Anthropic Messages API. */

import { contentText, namedFrame, newId, pieces } from './common.mjs';

export const api = 'anthropic';

const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

export const statusFor = { overloaded: 529 };

/** The agent's own notes are mixed in with what the user says. */
const isOfUser = (block) => block.type === 'text' && !block.text.startsWith('<system-reminder>');

export function parse(body) {
  const messages = body.messages ?? [];
  const lastModel = messages.map((m) => m.role).lastIndexOf('assistant');
  const recent = messages.slice(lastModel + 1);
  const blocks = recent.flatMap((m) =>
    Array.isArray(m.content) ? m.content : [{ type: 'text', text: m.content }],
  );
  const userText = (m) =>
    Array.isArray(m.content) ? contentText(m.content.filter(isOfUser)) : contentText(m.content);
  const lastUser = messages.findLastIndex((m) => m.role === 'user' && userText(m));
  const replies = messages.flatMap((m, i) =>
    m.role === 'assistant' && messages[i - 1]?.role !== 'assistant' ? [i] : [],
  );
  return {
    api,
    model: body.model ?? '',
    stream: body.stream === true,
    system: [
      contentText(body.system ?? ''),
      ...messages.filter((m) => m.role === 'system').map((m) => contentText(m.content)),
    ].join('\n'),
    tools: (body.tools ?? [])
      .filter((t) => t.name)
      .map((t) => ({ name: t.name, kind: 'function', schema: t.input_schema })),
    modelTurns: replies.length,
    lastUserText: lastUser === -1 ? '' : userText(messages[lastUser]),
    step: replies.filter((i) => i > lastUser).length,
    toolResults: blocks
      .filter((b) => b.type === 'tool_result')
      .map((b) => ({ id: b.tool_use_id, text: contentText(b.content), isError: b.is_error === true })),
    jsonSchema: body.output_config?.format?.schema ?? body.output_format?.schema ?? null,
  };
}

const usageOf = (u) => ({
  input_tokens: u.input,
  cache_creation_input_tokens: u.cacheWrite,
  cache_read_input_tokens: u.cacheRead,
  output_tokens: u.output,
  service_tier: 'standard',
});

const stopReason = (reply) => reply.stopReason ?? (reply.toolCalls.length > 0 ? 'tool_use' : 'end_turn');

function contentBlocks(reply) {
  const blocks = [];
  if (reply.thinking) blocks.push({ type: 'thinking', thinking: reply.thinking, signature: 'ZmFrZQ==' });
  if (reply.text) blocks.push({ type: 'text', text: reply.text });
  for (const call of reply.toolCalls) {
    blocks.push({ type: 'tool_use', id: newId('toolu_'), name: call.name, input: call.input });
  }
  return blocks;
}

export function whole(reply, request) {
  return {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: contentBlocks(reply),
    stop_reason: stopReason(reply),
    stop_sequence: null,
    usage: usageOf(reply.usage),
  };
}

export function frames(reply, request) {
  const out = [];
  const usage = usageOf(reply.usage);
  const send = (event, data) => out.push(namedFrame(event, { type: event, ...data }));
  send('message_start', {
    message: {
      id: newId('msg_'),
      type: 'message',
      role: 'assistant',
      model: request.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  });
  send('ping', {});
  contentBlocks(reply).forEach((block, index) => {
    const delta = (d) => send('content_block_delta', { index, delta: d });
    if (block.type === 'text') {
      send('content_block_start', { index, content_block: { type: 'text', text: '' } });
      for (const text of pieces(block.text, reply.chunkChars)) delta({ type: 'text_delta', text });
    } else if (block.type === 'thinking') {
      send('content_block_start', {
        index,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      });
      for (const thinking of pieces(block.thinking, reply.chunkChars))
        delta({ type: 'thinking_delta', thinking });
      delta({ type: 'signature_delta', signature: block.signature });
    } else {
      send('content_block_start', { index, content_block: { ...block, input: {} } });
      for (const json of pieces(JSON.stringify(block.input), reply.chunkChars)) {
        delta({ type: 'input_json_delta', partial_json: json });
      }
    }
    send('content_block_stop', { index });
  });
  send('message_delta', { delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage });
  send('message_stop', {});
  return out;
}

export function errorBody({ status, message, kind }) {
  return {
    type: 'error',
    error: { type: kind ?? ERROR_TYPES[status] ?? 'api_error', message },
    request_id: newId('req_'),
  };
}

export const errorFrame = (error) => namedFrame('error', errorBody(error));

/** A frame of a known kind whose JSON is cut off. */
export const malformedFrame =
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":\n\n';

/** Headers and text of an exhausted subscription allowance. */
export function usageLimit(fault, resetsAt) {
  const claim = fault.claim ?? 'five_hour';
  const window = claim === 'seven_day' ? '7d' : '5h';
  return {
    status: 429,
    message: fault.message ?? "This request would exceed your account's rate limit. Please try again later.",
    headers: {
      'retry-after': String(Math.max(1, resetsAt - Math.floor(Date.now() / 1000))),
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(resetsAt),
      'anthropic-ratelimit-unified-representative-claim': claim,
      [`anthropic-ratelimit-unified-${window}-status`]: 'rejected',
      [`anthropic-ratelimit-unified-${window}-reset`]: String(resetsAt),
      [`anthropic-ratelimit-unified-${window}-utilization`]: '1.0',
      'anthropic-ratelimit-unified-overage-status': 'rejected',
      'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
    },
  };
}

export const contextOverflowMessage = 'prompt is too long: 250000 tokens > 200000 maximum';

export const modelList = (models) => ({
  data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2025-01-01T00:00:00Z' })),
  has_more: false,
  first_id: models[0] ?? null,
  last_id: models.at(-1) ?? null,
});
