/** Codec for the OpenAI Responses API. */

import { contentText, namedFrame, newId, pieces } from './common.mjs';

const MODEL_ITEMS = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'reasoning',
  'web_search_call',
  'tool_search_call',
]);
const RESULT_ITEMS = new Set([
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'mcp_tool_call_output',
  'tool_search_output',
]);

function errorBody({ status, message, kind, code, extra }) {
  const type =
    kind ?? (status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error');
  const codes = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };
  return { error: { message, type, param: null, code: code ?? codes[status] ?? null, ...extra } };
}

/** Headers and body of an exhausted ChatGPT-plan allowance. */
function usageLimit(fault, resetsAt) {
  const seconds = Math.max(1, resetsAt - Math.floor(Date.now() / 1000));
  return {
    status: 429,
    message: fault.message ?? 'The usage limit has been reached',
    kind: 'usage_limit_reached',
    code: null,
    extra: { plan_type: fault.planType ?? 'plus', resets_at: resetsAt, resets_in_seconds: seconds },
    headers: {
      'x-codex-primary-used-percent': '100',
      'x-codex-primary-window-minutes': '300',
      'x-codex-primary-reset-at': String(resetsAt),
    },
  };
}

/** Tools may be grouped under a namespace; both levels are listed flat. */
function flatTools(tools) {
  return (tools ?? []).flatMap((t) => {
    if (t.type === 'namespace') {
      return (t.tools ?? []).map((inner) => ({
        name: inner.name,
        namespace: t.name,
        kind: inner.type ?? 'function',
        schema: inner.parameters,
      }));
    }
    const fn = t.function ?? t;
    return [{ name: fn.name ?? t.type, kind: t.type ?? 'function', schema: fn.parameters }];
  });
}

const shared = {
  statusFor: { overloaded: 503 },
  errorBody,
  usageLimit,
  contextOverflowMessage:
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  contextOverflowCode: 'context_length_exceeded',
};

export const modelList = (models) => ({
  object: 'list',
  data: models.map((id) => ({ id, object: 'model', created: 1735689600, owned_by: 'fake' })),
  // Also the shape in which one coding agent asks for its own catalogue.
  models: [],
});

export const responses = {
  ...shared,
  api: 'openai-responses',
  malformedFrame: 'event: response.output_text.delta\ndata: {"type":"response.output_text.delta",\n\n',

  parse(body) {
    const items =
      typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []);
    const isModel = (it) => MODEL_ITEMS.has(it.type) || it.role === 'assistant';
    const lastModel = items.map(isModel).lastIndexOf(true);
    const isResult = (it) => RESULT_ITEMS.has(it.type);
    // Adjacent items from the model belong to one reply.
    const replies = items.flatMap((it, i) => (isModel(it) && (i === 0 || !isModel(items[i - 1])) ? [i] : []));
    const lastUser = items.findLastIndex((it) => it.role === 'user' && contentText(it.content));
    return {
      api: this.api,
      model: body.model ?? '',
      stream: body.stream === true,
      system: [
        body.instructions ?? '',
        ...items
          .filter((it) => it.role === 'developer' || it.role === 'system')
          .map((it) => contentText(it.content)),
      ].join('\n'),
      // Some agents announce their tools inside the input instead of alongside it.
      tools: [
        ...flatTools(body.tools),
        ...items.filter((it) => it.type === 'additional_tools').flatMap((it) => flatTools(it.tools)),
      ],
      modelTurns: replies.length,
      lastUserText: contentText(items[lastUser]?.content),
      step: replies.filter((i) => i > lastUser).length,
      toolResults: items
        .slice(lastModel + 1)
        .filter(isResult)
        .map((it) => ({
          id: it.call_id,
          text:
            typeof it.output === 'string'
              ? it.output
              : contentText(it.output?.content ?? it.output) || JSON.stringify(it.output ?? it),
          isError: it.success === false,
        })),
      jsonSchema: body.text?.format?.schema ?? null,
    };
  },

  items(reply) {
    const items = [];
    if (reply.thinking) {
      items.push({
        type: 'reasoning',
        id: newId('rs_'),
        summary: [{ type: 'summary_text', text: reply.thinking }],
        encrypted_content: null,
      });
    }
    if (reply.text) {
      items.push({
        type: 'message',
        id: newId('msg_'),
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: reply.text, annotations: [] }],
      });
    }
    for (const call of reply.toolCalls) {
      const base = {
        call_id: newId('call_'),
        name: call.name,
        ...(call.namespace ? { namespace: call.namespace } : {}),
        status: 'completed',
      };
      if (call.kind === 'custom')
        items.push({ type: 'custom_tool_call', id: newId('ctc_'), ...base, input: String(call.input) });
      else
        items.push({
          type: 'function_call',
          id: newId('fc_'),
          ...base,
          arguments: JSON.stringify(call.input),
        });
    }
    return items;
  },

  shell(reply, request, id, status, output) {
    const u = reply.usage;
    const total = u.input + u.cacheRead + u.cacheWrite;
    return {
      id,
      object: 'response',
      created_at: Math.floor(Date.now() / 1000),
      status,
      model: request.model,
      output,
      parallel_tool_calls: true,
      tools: [],
      error: null,
      incomplete_details: null,
      end_turn: reply.toolCalls.length === 0,
      usage:
        status === 'in_progress'
          ? null
          : {
              input_tokens: total,
              input_tokens_details: { cached_tokens: u.cacheRead },
              output_tokens: u.output,
              output_tokens_details: { reasoning_tokens: u.reasoning },
              total_tokens: total + u.output,
            },
    };
  },

  whole(reply, request) {
    return this.shell(reply, request, newId('resp_'), 'completed', this.items(reply));
  },

  frames(reply, request) {
    const out = [];
    const id = newId('resp_');
    const send = (type, data) => out.push(namedFrame(type, { type, sequence_number: out.length, ...data }));
    const items = this.items(reply);
    send('response.created', { response: this.shell(reply, request, id, 'in_progress', []) });
    send('response.in_progress', { response: this.shell(reply, request, id, 'in_progress', []) });
    items.forEach((item, index) => {
      const at = { output_index: index, item_id: item.id };
      if (item.type === 'message') {
        const text = item.content[0].text;
        send('response.output_item.added', {
          output_index: index,
          item: { ...item, status: 'in_progress', content: [] },
        });
        send('response.content_part.added', {
          ...at,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        });
        for (const delta of pieces(text, reply.chunkChars))
          send('response.output_text.delta', { ...at, content_index: 0, delta });
        send('response.output_text.done', { ...at, content_index: 0, text });
        send('response.content_part.done', { ...at, content_index: 0, part: item.content[0] });
      } else if (item.type === 'reasoning') {
        send('response.output_item.added', { output_index: index, item: { ...item, summary: [] } });
        send('response.reasoning_summary_part.added', {
          ...at,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        });
        for (const delta of pieces(item.summary[0].text, reply.chunkChars)) {
          send('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta });
        }
        send('response.reasoning_summary_part.done', { ...at, summary_index: 0, part: item.summary[0] });
      } else if (item.type === 'function_call') {
        send('response.output_item.added', {
          output_index: index,
          item: { ...item, arguments: '', status: 'in_progress' },
        });
        for (const delta of pieces(item.arguments, reply.chunkChars))
          send('response.function_call_arguments.delta', { ...at, delta });
        send('response.function_call_arguments.done', { ...at, arguments: item.arguments });
      } else {
        send('response.output_item.added', {
          output_index: index,
          item: { ...item, input: '', status: 'in_progress' },
        });
        for (const delta of pieces(item.input, reply.chunkChars))
          send('response.custom_tool_call_input.delta', { ...at, delta });
        send('response.custom_tool_call_input.done', { ...at, input: item.input });
      }
      send('response.output_item.done', { output_index: index, item });
    });
    send('response.completed', { response: this.shell(reply, request, id, 'completed', items) });
    return out;
  },

  errorFrame(error) {
    const body = errorBody(error).error;
    const code = body.code ?? body.type;
    return namedFrame('response.failed', {
      type: 'response.failed',
      response: {
        id: newId('resp_'),
        object: 'response',
        status: 'failed',
        output: [],
        error: { code, message: body.message },
      },
    });
  },
};
