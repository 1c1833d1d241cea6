import type { Actor, Answer } from './actor.js';
import type { ClaudeVoice } from './claude-voice.js';
import type { Conversation, TurnUsage } from './conversation.js';
import { limitText } from './limit-text.js';
import type { TurnOutcome } from './voice.js';

type Json = Record<string, unknown>;

/** The line that begins every turn. */
export function initLine({ launch, stage }: Actor, sessionId: string, voice: ClaudeVoice): Json {
  return {
    type: 'system',
    subtype: 'init',
    cwd: stage.directory,
    session_id: sessionId,
    tools: ['Bash', 'Edit', 'Write'],
    mcp_servers: Object.keys(launch.mcpServers).map((name) => ({ name, status: 'connected' })),
    model: voice.model,
    permissionMode: voice.permissionMode,
    apiKeySource: 'none',
    claude_code_version: '2.1.325',
  };
}

/**
 * The line that ends a turn. Its keys are in no order, like the real one's; `usage` is the turn's own, cost and model use
 * are totals.
 */
export function resultLine(
  played: Answer,
  conversation: Conversation,
  voice: ClaudeVoice,
  index: number,
): Json {
  const { outcome, text, usage } = played;
  const total = conversation.total;
  return {
    duration_api_ms: 1,
    duration_ms: 2,
    num_turns: 1,
    stop_reason: outcome.end === 'refused' ? 'refusal' : 'end_turn',
    session_id: conversation.id,
    total_cost_usd: total.cost,
    usage: {
      input_tokens: usage.input,
      cache_creation_input_tokens: usage.cacheWrite,
      cache_read_input_tokens: usage.cacheRead,
      output_tokens: usage.output,
    },
    ...endOf(outcome, text),
    type: 'result',
    modelUsage: { [voice.model]: modelUse(total) },
    model_usage_since_last_result: { [voice.model]: modelUse(usage) },
    permission_denials: voice.denials,
    result_index: index,
  };
}

function endOf(outcome: TurnOutcome, text: string): Json {
  const failed = { subtype: 'success', is_error: true, api_error_status: null };
  switch (outcome.end) {
    case 'completed':
    case 'refused':
      return { ...failed, is_error: false, result: text, terminal_reason: 'completed' };
    case 'cancelled':
      return { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' };
    case 'turn-limit':
      return { subtype: 'error_max_turns', is_error: true, terminal_reason: 'max_turns' };
    case 'context-overflow':
      return { ...failed, result: 'Prompt is too long', terminal_reason: 'prompt_too_long' };
    case 'failed':
      return {
        ...failed,
        api_error_status: outcome.status,
        result: `API Error: ${outcome.message}`,
        terminal_reason: 'api_error',
      };
    case 'rate-limited':
      return {
        ...failed,
        api_error_status: 429,
        result: limitText(outcome.resetsAt),
        terminal_reason: 'api_error',
      };
  }
}

function modelUse(usage: TurnUsage): Json {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheCreationInputTokens: usage.cacheWrite,
    costUSD: usage.cost,
    contextWindow: usage.window,
    maxOutputTokens: 32_000,
  };
}
