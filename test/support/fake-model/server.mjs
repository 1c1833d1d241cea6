/**
 * A stand-in for the model APIs that coding agents talk to: it answers according to a script and keeps every request.
 * Real agent programs run against it unchanged, offline, with every word of the "model" under control.
 */
import { createServer } from 'node:http';
import * as zlib from 'node:zlib';

import * as anthropic from './anthropic.mjs';
import * as google from './google.mjs';
import * as openai from './openai.mjs';
import {
  createRunner,
  resolveToolCall,
  ScenarioError,
  stubForSchema,
  turnText,
  turnUsage,
} from './scenario.mjs';

const DEFAULT_MODELS = ['fake-model'];

function inflate(buffer, encoding) {
  switch (encoding) {
    case undefined:
    case '':
    case 'identity':
      return buffer;
    case 'gzip':
      return zlib.gunzipSync(buffer);
    case 'deflate':
      return zlib.inflateSync(buffer);
    case 'br':
      return zlib.brotliDecompressSync(buffer);
    case 'zstd':
      if (zlib.zstdDecompressSync) return zlib.zstdDecompressSync(buffer);
      throw new Error('a zstd body needs Node 22.15 or newer');
    default:
      throw new Error(`unknown content-encoding ${encoding}`);
  }
}

async function readBody(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return inflate(Buffer.concat(chunks), req.headers['content-encoding']).toString('utf8');
}

/** Keys that are not obviously fake never reach the log. */
function loggableHeaders(headers) {
  const secret = /^(authorization|x-api-key|x-goog-api-key|api-key|cookie)$/;
  const obviouslyFake = /^(Bearer )?(sk-fake|fake)/;
  return Object.fromEntries(
    Object.entries(headers).map(([k, v]) => [k, secret.test(k) && !obviouslyFake.test(v) ? '[redacted]' : v]),
  );
}

function loggableQuery(params) {
  return Object.fromEntries(
    [...params].map(([k, v]) => [k, k === 'key' && !/^(sk-)?fake/.test(v) ? '[redacted]' : v]),
  );
}

/**
 * Decides what a path asks for. `/s/<name>` in front selects a named script and
 * an API's usual prefixes (/v1, /v1beta, …) may be present or absent.
 */
function route(method, pathname) {
  const named = /^\/s\/([\w.-]+)(\/.*|$)/.exec(pathname);
  const script = named ? named[1] : 'default';
  const path = named ? named[2] || '/' : pathname;
  const is = (re) => re.exec(path);
  if (method === 'POST') {
    if (is(/\/messages\/count_tokens$/)) return { script, kind: 'count', codec: anthropic };
    if (is(/\/messages$/)) return { script, kind: 'generate', codec: anthropic };
    if (is(/\/responses$/)) return { script, kind: 'generate', codec: openai.responses };
    const call = is(/\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/);
    if (call) {
      const kind = call[2] === 'countTokens' ? 'count' : 'generate';
      return {
        script,
        kind,
        codec: google,
        extra: { model: call[1], stream: call[2] === 'streamGenerateContent' },
      };
    }
  }
  if (method === 'GET') {
    if (is(/^\/v1beta\/models$/)) return { script, kind: 'models', codec: google };
    if (is(/\/models$/)) return { script, kind: 'models', codec: null };
  }
  if (method === 'HEAD' || (method === 'GET' && path === '/')) return { script, kind: 'ping' };
  return { script, kind: 'unknown' };
}

const DEFAULT_MESSAGES = {
  rate_limit: 'Rate limit reached for requests. Please retry later.',
  overloaded: 'Overloaded',
  server_error: 'Internal server error',
  auth: 'Invalid API key',
};

/** Faults that replace the whole reply with an HTTP error; null for the others. */
function httpFault(fault, codec) {
  const message = fault.message ?? DEFAULT_MESSAGES[fault.type];
  switch (fault.type) {
    case 'rate_limit': {
      const seconds = fault.retryAfter ?? 1;
      const details = codec.retryDetails?.(seconds);
      return { status: 429, message, details, headers: { 'retry-after': String(seconds) } };
    }
    case 'overloaded':
      return { status: fault.status ?? codec.statusFor.overloaded, message };
    case 'server_error':
      return { status: fault.status ?? 500, message };
    case 'auth':
      return { status: 401, message };
    case 'context_overflow':
      return {
        status: 400,
        message: fault.message ?? codec.contextOverflowMessage,
        code: codec.contextOverflowCode,
      };
    case 'usage_limit': {
      const resetsAt = fault.resetsAt ?? Math.floor(Date.now() / 1000) + (fault.resetsInSeconds ?? 3600);
      return codec.usageLimit(fault, resetsAt);
    }
    case 'http':
      return {
        status: fault.status ?? 500,
        message: message ?? 'Scripted error',
        kind: fault.kind,
        code: fault.code,
      };
    default:
      return null;
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Resolves when the client has gone. */
function gone(res) {
  return new Promise((resolve) => res.on('close', resolve));
}

/** Resolves when the client has read enough to continue, or has gone. */
function drained(res) {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done);
      res.off('close', done);
      resolve();
    };
    res.on('drain', done);
    res.on('close', done);
  });
}

/**
 * Creates the HTTP server.
 * @param {object} scenario  parsed scenario JSON
 * @param {{ variables?: Record<string,string>, log?: (record: object) => void }} options
 */
export function createFakeModel(scenario, { variables = {}, log = () => {} } = {}) {
  const runner = createRunner(scenario, variables);
  let seq = 0;

  function sendJson(res, status, body, headers = {}) {
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  /** Sends a streamed reply, applying the faults that strike inside a stream. */
  async function sendStream(res, frames, { turn, fault, codec, headers }) {
    const strikeAt = fault
      ? Math.min(fault.afterFrames ?? Math.ceil(frames.length / 2), frames.length - 1)
      : Infinity;
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
    for (const [i, frame] of frames.entries()) {
      if (turn.chunkDelayMs) await sleep(turn.chunkDelayMs);
      if (res.destroyed) return;
      if (i === strikeAt) {
        if (fault.type === 'reset') return void res.socket.resetAndDestroy();
        if (fault.type === 'truncate') return void res.end();
        if (fault.type === 'stall') return void (await gone(res));
        if (fault.type === 'malformed_sse') res.write(fault.raw ?? codec.malformedFrame);
        if (fault.type === 'stream_error') {
          const status = fault.status ?? codec.statusFor.overloaded;
          return void res.end(
            codec.errorFrame({
              status,
              message: fault.message ?? 'Overloaded',
              kind: fault.kind,
              code: fault.code,
            }),
          );
        }
      }
      if (!res.write(frame)) await drained(res);
    }
    res.end();
  }

  async function generate(res, body, { script, codec, extra }, outcome) {
    const request = codec.parse(body, extra);
    const { label, turn, fault } = runner.answer(script, request);
    Object.assign(outcome, { answeredBy: label, fault: fault?.type });
    log({ kind: 'answer', seq: outcome.seq, answeredBy: label, fault: fault?.type });
    if (turn.delayMs) await sleep(turn.delayMs);
    if (res.destroyed) return;

    const failure = fault && httpFault(fault, codec);
    if (failure) {
      const errorBody = fault.body ?? codec.errorBody(failure);
      return void sendJson(res, failure.status, errorBody, { ...failure.headers, ...fault.headers });
    }
    if (fault?.type === 'reset_before_headers') return void res.socket.resetAndDestroy();

    const wantsStub = label === 'side' && turn.text === undefined && request.jsonSchema;
    const reply = {
      text: wantsStub
        ? JSON.stringify(stubForSchema(request.jsonSchema))
        : turnText(label === 'side' ? { text: 'ok', ...turn } : turn),
      thinking: turn.thinking ?? '',
      toolCalls: (turn.toolCalls ?? []).map((call) => resolveToolCall(call, request)),
      usage: turnUsage(turn),
      stopReason: turn.stopReason,
      chunkChars: turn.chunkChars ?? 40,
    };
    Object.assign(outcome, { toolCalls: reply.toolCalls.map((c) => c.name), usage: reply.usage });
    if (request.stream)
      await sendStream(res, codec.frames(reply, request), { turn, fault, codec, headers: turn.headers });
    else if (fault) res.socket.resetAndDestroy();
    else sendJson(res, 200, codec.whole(reply, request), turn.headers);
  }

  async function handle(req, res) {
    const url = new URL(req.url, 'http://127.0.0.1');
    const text = await readBody(req);

    seq += 1;
    const id = seq;
    const started = Date.now();
    const target = route(req.method, url.pathname);
    let body = null;
    try {
      body = text ? JSON.parse(text) : null;
    } catch {
      // Kept as text in the log; the codecs then see an empty request.
    }
    log({
      kind: 'request',
      seq: id,
      at: new Date(started).toISOString(),
      method: req.method,
      path: url.pathname,
      query: loggableQuery(url.searchParams),
      api: target.codec?.api ?? null,
      script: target.script,
      purpose: target.kind,
      headers: loggableHeaders(req.headers),
      body: body ?? (text || null),
    });
    const outcome = { kind: 'response', seq: id };
    res.on('close', () =>
      log({
        ...outcome,
        at: new Date().toISOString(),
        status: res.headersSent ? res.statusCode : null,
        completed: res.writableFinished,
        durationMs: Date.now() - started,
      }),
    );

    const models = runner.models ?? DEFAULT_MODELS;
    switch (target.kind) {
      case 'generate':
        return generate(res, body ?? {}, target, outcome);
      case 'count': {
        const tokens = Math.ceil(text.length / 4);
        return sendJson(
          res,
          200,
          target.codec === google ? { totalTokens: tokens } : { input_tokens: tokens },
        );
      }
      case 'models': {
        const codec = target.codec ?? (req.headers['anthropic-version'] ? anthropic : openai);
        return sendJson(res, 200, codec.modelList(models));
      }
      case 'ping':
        return sendJson(res, 200, {});
      default:
        return sendJson(res, 404, {
          error: { type: 'not_found_error', message: `fake-model: no ${req.method} ${url.pathname}` },
        });
    }
  }

  const server = createServer((req, res) => {
    handle(req, res).catch((error) => {
      const status = error instanceof ScenarioError ? 400 : 500;
      if (!res.headersSent)
        sendJson(res, status, { error: { type: 'fake_model_error', message: error.message } });
      else res.destroy();
    });
  });
  // Clients that try a WebSocket first get a plain refusal and fall back to HTTP.
  server.on('upgrade', (req, socket) => {
    log({ kind: 'upgrade-refused', at: new Date().toISOString(), path: req.url });
    socket.end('HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  });
  return server;
}
