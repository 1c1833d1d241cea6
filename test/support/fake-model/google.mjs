/** Codec for Google's generateContent and streamGenerateContent. */

import { newId, pieces, plainFrame } from './common.mjs';

export const api = 'google';

const STATUS_NAMES = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

export const statusFor = { overloaded: 503 };

const partsText = (parts) =>
  (parts ?? [])
    .map((p) => p.text ?? '')
    .filter(Boolean)
    .join('\n');

/** The model name and the streaming flag are in the path, not in the body. */
export function parse(body, { model, stream }) {
  const contents = Array.isArray(body.contents) ? body.contents : body.contents ? [body.contents] : [];
  const lastModel = contents.map((c) => c.role).lastIndexOf('model');
  const recent = contents.slice(lastModel + 1).flatMap((c) => c.parts ?? []);
  const lastUser = contents.findLastIndex((c) => c.role !== 'model' && partsText(c.parts));
  const replies = contents.flatMap((c, i) =>
    c.role === 'model' && contents[i - 1]?.role !== 'model' ? [i] : [],
  );
  const config = body.generationConfig ?? {};
  return {
    api,
    model,
    stream,
    system: partsText(body.systemInstruction?.parts),
    tools: (body.tools ?? [])
      .flatMap((t) => t.functionDeclarations ?? [])
      .map((f) => ({ name: f.name, kind: 'function', schema: f.parametersJsonSchema ?? f.parameters })),
    modelTurns: replies.length,
    lastUserText: partsText(contents[lastUser]?.parts),
    step: replies.filter((i) => i > lastUser).length,
    toolResults: recent
      .filter((p) => p.functionResponse)
      .map((p) => ({
        id: p.functionResponse.id ?? p.functionResponse.name,
        text: p.functionResponse.response?.output ?? JSON.stringify(p.functionResponse.response ?? {}),
        isError: p.functionResponse.response?.error !== undefined,
      })),
    jsonSchema: config.responseJsonSchema ?? config.responseSchema ?? null,
  };
}

const usageOf = (u) => ({
  promptTokenCount: u.input + u.cacheRead + u.cacheWrite,
  candidatesTokenCount: u.output,
  totalTokenCount: u.input + u.cacheRead + u.cacheWrite + u.output + u.reasoning,
  ...(u.cacheRead ? { cachedContentTokenCount: u.cacheRead } : {}),
  ...(u.reasoning ? { thoughtsTokenCount: u.reasoning } : {}),
});

const finishReason = (reply) => ({ max_tokens: 'MAX_TOKENS', refusal: 'SAFETY' })[reply.stopReason] ?? 'STOP';

/** `chunked` cuts texts into pieces; a function call always travels whole. */
function replyParts(reply, chunked) {
  const cut = (text) => (chunked ? pieces(text, reply.chunkChars) : [text].filter(Boolean));
  return [
    ...cut(reply.thinking ?? '').map((text) => ({ text, thought: true })),
    ...cut(reply.text).map((text) => ({ text })),
    ...reply.toolCalls.map((call) => ({
      functionCall: { id: newId('call_'), name: call.name, args: call.input },
    })),
  ];
}

const chunk = (reply, request, parts, last) => ({
  candidates: [
    { content: { role: 'model', parts }, index: 0, ...(last ? { finishReason: finishReason(reply) } : {}) },
  ],
  ...(last ? { usageMetadata: usageOf(reply.usage) } : {}),
  modelVersion: request.model,
  responseId: reply.id,
});

export function whole(reply, request) {
  return chunk({ ...reply, id: newId('resp-') }, request, replyParts(reply, false), true);
}

export function frames(reply, request) {
  const withId = { ...reply, id: newId('resp-') };
  const parts = replyParts(reply, true);
  const out = parts.map((part) => plainFrame(chunk(withId, request, [part], false)));
  out.push(plainFrame(chunk(withId, request, [{ text: '' }], true)));
  return out;
}

export function errorBody({ status, message, kind, details }) {
  return {
    error: {
      code: status,
      message,
      status: kind ?? STATUS_NAMES[status] ?? 'UNKNOWN',
      ...(details ? { details } : {}),
    },
  };
}

export const errorFrame = (error) => plainFrame(errorBody(error));

/** A frame whose JSON is cut off. */
export const malformedFrame = 'data: {"candidates":[{"content":{\n\n';

/** A daily quota that is used up: the client should not retry it. */
export function usageLimit(fault) {
  return {
    status: 429,
    message: fault.message ?? 'You exceeded your current quota, please check your plan and billing details.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
            quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
            quotaValue: '100',
          },
        ],
      },
    ],
  };
}

/** A short wait, in the form clients read from the body. */
export const retryDetails = (seconds) => [
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
];

export const contextOverflowMessage =
  'The input token count exceeds the maximum number of tokens allowed (1048576).';

export const modelList = (models) => ({
  models: models.map((id) => ({
    name: `models/${id}`,
    displayName: id,
    inputTokenLimit: 1048576,
    outputTokenLimit: 65536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  })),
});
