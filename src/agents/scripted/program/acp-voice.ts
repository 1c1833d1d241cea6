import * as acp from '@agentclientprotocol/sdk';
import { newId } from './actor.js';
import type { TurnUsage } from './conversation.js';
import { limitText } from './limit-text.js';
import { piecesOf } from './output.js';
import type { StepValue } from './script.js';
import {
  isFree,
  type Tool,
  type ToolOutcome,
  type ToolUse,
  type TurnOutcome,
  toolName,
  toolTitle,
  type Voice,
} from './voice.js';

const KINDS: Readonly<Record<string, acp.ToolKind>> = {
  write: 'edit',
  edit: 'edit',
  run: 'execute',
  mcp: 'other',
};
const OPTIONS: acp.PermissionOption[] = [
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** How an ACP agent speaks: updates of its session. */
export class AcpVoice implements Voice {
  readonly #client: acp.AgentContext;
  readonly #sessionId: string;
  readonly #mode: () => string;
  readonly #showsNotices: boolean;

  constructor(client: acp.AgentContext, sessionId: string, mode: () => string, showsNotices: boolean) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#mode = mode;
    this.#showsNotices = showsNotices;
  }

  /** Usage is reported at the end. */
  note(): void {}

  say(text: string): Promise<void> {
    return this.#speak('agent_message_chunk', text);
  }

  think(text: string): Promise<void> {
    return this.#speak('agent_thought_chunk', text);
  }

  toolStart(use: ToolUse): Promise<void> {
    return this.#update({ sessionUpdate: 'tool_call', ...describe(use), status: 'pending' });
  }

  toolEnd({ id }: ToolUse, { isError, output }: ToolOutcome): Promise<void> {
    return this.#update({
      sessionUpdate: 'tool_call_update',
      toolCallId: id,
      status: isError ? 'failed' : 'completed',
      content: [{ type: 'content', content: { type: 'text', text: output } }],
      rawOutput: output,
    });
  }

  async refusal(use: ToolUse, signal: AbortSignal): Promise<string | null> {
    if (isFree(this.#mode(), use.tool)) return null;
    const { outcome } = await this.#client.request(acp.methods.client.session.requestPermission, {
      sessionId: this.#sessionId,
      toolCall: describe(use),
      options: OPTIONS,
    });
    if (signal.aborted) throw new Error('interrupted');
    const isAllowed = outcome.outcome === 'selected' && outcome.optionId !== 'reject';
    return isAllowed ? null : 'The user refused permission for this tool';
  }

  /** As a notice if the client shows those, otherwise as codex-acp does. */
  async retry({ attempt = 1, of = 3, status, message = 'overloaded' }: StepValue<'retry'>): Promise<void> {
    const title = `Retrying (${attempt}/${of}): ${message}`;
    const error = { message, ...(status === undefined ? {} : { httpStatusCode: status }) };
    if (this.#showsNotices) await this.#update({ sessionUpdate: 'notice', severity: 'warning', title });
    else await this.#update({ sessionUpdate: 'session_info_update', _meta: { codex: { error } } });
  }

  /** The protocol cannot say that an allowance is nearly used up. */
  async warn(): Promise<void> {}

  sayUsage({ input, output, cacheRead, cacheWrite, window }: TurnUsage, totalCost: number): Promise<void> {
    return this.#update({
      sessionUpdate: 'usage_update',
      used: input + output + cacheRead + cacheWrite,
      size: window,
      cost: { amount: totalCost, currency: 'USD' },
    });
  }

  /** A used-up allowance is also reported as text. */
  async sayOutcome(outcome: TurnOutcome): Promise<void> {
    if (outcome.end === 'rate-limited') await this.say(limitText(outcome.resetsAt));
  }

  async #speak(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
    const messageId = newId();
    for (const piece of piecesOf(text)) {
      await this.#update({ sessionUpdate, messageId, content: { type: 'text', text: piece } });
    }
  }

  #update(update: acp.SessionUpdate): Promise<void> {
    return this.#client.notify(acp.methods.client.session.update, { sessionId: this.#sessionId, update });
  }
}

function describe({ id, tool }: ToolUse): acp.ToolCall {
  return {
    toolCallId: id,
    title: toolTitle(tool),
    name: toolName(tool),
    kind: tool.type === 'other' ? tool.kind : (KINDS[tool.type] ?? 'other'),
    rawInput: inputOf(tool),
    ...('path' in tool ? { locations: [{ path: tool.path }] } : {}),
  };
}

function inputOf(tool: Tool): unknown {
  if ('input' in tool) return tool.input;
  const { type: _, ...input } = tool;
  return input;
}
