import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { type Clock, type Logger, messageOf } from '../../foundation/index.js';
import type { McpServerSpec } from '../driver.js';
import {
  decidePermission,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRequest,
} from '../permission.js';
import { aborted, LATE } from '../time-limit.js';
import type { AcpExchange } from './acp-exchange.js';
import { type AskPerson, CANCELLED, type ElicitationAnswer, optionFor, selected } from './answers.js';
import { isOfGivenServer } from './given-server.js';
import type { PeerHandlers } from './peer.js';
import type { AcpPreset } from './presets.js';
import { type PermissionOption, type PermissionParams, SessionNotification } from './schema.js';
import { describeRequest } from './tool-calls.js';
import type { UsageMeter } from './usage.js';

export interface IncomingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: UsageMeter;
  readonly preset: AcpPreset;
  readonly permissions: PermissionPolicy;
  readonly mcpServers: readonly McpServerSpec[];
  readonly askPerson: AskPerson | undefined;
}

/** Handles what the agent sends unasked, for the exchange it belongs to. Outside an exchange only usage counts. */
export class Incoming implements PeerHandlers {
  turn: AcpExchange | undefined;
  /** Known once the session is open; updates of other sessions (sub-agents) are not part of our conversation. */
  sessionId: string | undefined;
  lastUpdateMs = Number.NEGATIVE_INFINITY;
  readonly #options: IncomingOptions;
  /** What people said with a denial: the protocol's answer has no field for it, so it goes with the next prompt. */
  readonly #untold: string[] = [];

  constructor(options: IncomingOptions) {
    this.#options = options;
  }

  onUpdate(params: unknown): void {
    this.lastUpdateMs = this.#options.clock.monotonicMs();
    const parsed = SessionNotification.safeParse(params);
    if (!parsed.success) {
      this.#options.log.debug('acp.update-unreadable');
      return;
    }
    const { sessionId, update } = parsed.data;
    if (this.sessionId !== undefined && sessionId !== this.sessionId) return;
    if (update.sessionUpdate === 'usage_update') this.#options.meter.note(update);
    this.turn?.receive(update);
  }

  /** What the agent still has to be told about its denials; returned once. */
  takeUntold(): string | null {
    const untold = this.#untold.splice(0);
    return untold.length === 0 ? null : untold.join('\n');
  }

  onNoise(line: string): void {
    this.#options.log.debug('acp.line-skipped', { length: line.length });
    this.turn?.hear(line);
  }

  async onPermission(
    { sessionId, toolCall, options }: PermissionParams,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const { turn } = this;
    if (turn === undefined) return CANCELLED; // no prompt is being answered
    const { call, changes, events } = turn.translator.ask(toolCall, toolCall.content);
    for (const event of events) turn.exchange.push(event);
    const request = describeRequest(call, changes);
    const facts = {
      isOfGivenServer: isOfGivenServer(call, this.#options.mcpServers, this.#options.preset),
      isOfOtherSession: sessionId !== this.sessionId,
    };
    const decision = await this.#whileWanted(turn, signal, (wanted) =>
      decidePermission(this.#options.permissions, request, { ...facts, signal: wanted }),
    );
    if (decision === LATE) return CANCELLED;
    const { answer, by, isAllowed, message } = answerOf(decision, options);
    if (!isAllowed && message !== undefined) this.#untold.push(wordsAbout(request, message));
    const { id, name, kind, title, input } = request;
    turn.exchange.push({
      type: 'permission',
      ...{ id, name, kind, title, input },
      decision: isAllowed ? 'allowed' : 'denied',
      by,
      ...(message === undefined ? {} : { message }),
    });
    return answer;
  }

  async onElicitation(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse> {
    const { turn } = this;
    const { askPerson } = this.#options;
    // We announced forms only; whoever answers cannot be shown a page to visit.
    if (turn === undefined || askPerson === undefined || request.mode !== 'form')
      return { action: 'decline' };
    const toolCallId =
      'toolCallId' in request && typeof request.toolCallId === 'string' ? request.toolCallId : null;
    const { message, requestedSchema } = request as { message: string; requestedSchema?: unknown };
    const answer = await this.#whileWanted(turn, signal, (wanted) =>
      askPerson({ message, requestedSchema, toolCallId }, wanted),
    );
    return answer === LATE ? { action: 'cancel' } : toResponse(answer);
  }

  /** Asks until the exchange ends or the agent takes the question back. */
  async #whileWanted<Answer>(
    turn: AcpExchange,
    signal: AbortSignal,
    ask: (wanted: AbortSignal) => Promise<Answer>,
  ): Promise<Answer | typeof LATE> {
    const wanted = AbortSignal.any([turn.interrupted, signal]);
    try {
      const answer = await turn.question(() => Promise.race([ask(wanted), aborted(wanted)]));
      return wanted.aborted ? LATE : answer;
    } catch (error) {
      if (!wanted.aborted) this.#options.log.warn('acp.question-failed', { error: messageOf(error) });
      return LATE;
    }
  }
}

function wordsAbout({ name, title }: PermissionRequest, message: string): string {
  return `You were not permitted to use ${name}${title === name ? '' : ` (${title})`}. The person says: ${message}`;
}

function answerOf(
  decision: PermissionDecision,
  options: readonly PermissionOption[],
): PermissionDecision & { readonly answer: RequestPermissionResponse } {
  const option = optionFor(decision.isAllowed, options);
  if (option !== undefined) return { ...decision, answer: selected(option) };
  return { isAllowed: false, by: `${decision.by}; the agent offers no such choice`, answer: CANCELLED };
}

function toResponse(answer: ElicitationAnswer): CreateElicitationResponse {
  return answer.action === 'accept' ? { action: 'accept', content: { ...answer.content } } : { ...answer };
}
