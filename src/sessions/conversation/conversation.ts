import { type Clock, InvalidInputError, next, RecordFault, timestamp } from '../../foundation/index.js';
import { DocumentRefusedError, type TailRepair } from '../../storage/index.js';
import { type ConversationFold, type ConversationState, EPOCH } from './fold.js';
import { isHiddenId } from './ids.js';
import { type ConversationStatus, conversationLifecycle, LEADING_TO } from './lifecycle.js';
import {
  type ConversationRecord,
  estimateTokens,
  fromDisk,
  type TurnRole,
  toDisk,
  UNKNOWN_AGENT,
  type UsageRecord,
} from './schema.js';
import type { HeldConversation } from './store.js';
import {
  type ConversationDamage,
  type ConversationLaunch,
  type ConversationMetadata,
  type ConversationView,
  contextOf,
  type Turn,
  type TurnRef,
} from './view.js';

/** What can be recorded about a turn besides its text. */
export interface TurnFacts {
  /** As reported; estimated if absent. */
  readonly tokens?: number | undefined;
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
  /** Why the answer ended. */
  readonly reason?: string | undefined;
  readonly model?: string | undefined;
}

/** A turn from elsewhere, to be copied as it is. */
export interface ImportedTurn extends Pick<TurnFacts, 'tokens'> {
  readonly role: TurnRole;
  readonly content: string;
  readonly timestamp?: string | undefined;
}

export interface ConversationTools {
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

/**
 * A conversation that this process owns and appends to until it is disposed of. Every method returns only once what it
 * wrote would survive power loss. They throw LOCK_LOST, LOG_POISONED, STORAGE_FAILED, INVALID_INPUT.
 */
export class Conversation implements Disposable {
  readonly id: string;
  readonly metadata: ConversationMetadata;
  /** What was repaired at the end of the file when it was opened. */
  readonly repairs: readonly TailRepair[];
  readonly #tools: ConversationTools;
  readonly #held: HeldConversation;
  readonly #state: ConversationState;
  readonly #damage: readonly ConversationDamage[];

  constructor(tools: ConversationTools, held: HeldConversation, fold: ConversationFold) {
    this.id = held.id;
    this.#tools = tools;
    this.#held = held;
    this.#damage = fold.notes.list;
    this.#state = fold.state();
    this.metadata = metadataOf(held.id, this.#state);
    this.repairs = held.repairs;
  }

  /** What has been said so far, and the current status. */
  get view(): ConversationView {
    return viewOf(this.id, this.#state, this.#state.status ?? 'completed', this.#damage);
  }

  get status(): ConversationStatus {
    return this.#state.status ?? 'completed';
  }

  /** The turns that belong in the prompt: successful ones since the last clear. */
  get context(): Turn[] {
    return contextOf(this.#state);
  }

  /** Stores what the person said. Call it before the agent runs, so that nothing is lost. */
  addUserTurn(content: string, more: Pick<TurnFacts, 'tokens'> = {}): TurnRef {
    return this.#addTurn('user', content, more);
  }

  /** Stores what the agent answered. */
  addAssistantTurn(content: string, more: TurnFacts = {}): TurnRef {
    return this.#addTurn('assistant', content, more);
  }

  /** Copies turns from elsewhere, all or none. They belong to the context. */
  importTurns(turns: readonly ImportedTurn[]): void {
    const now = timestamp(this.#tools.clock);
    const records = turns.map((turn, index): ConversationRecord => {
      const content = this.#tools.redact(checkText(turn.content, `turns[${index}].content`));
      return {
        type: 'turn',
        role: turn.role,
        content,
        timestamp: turn.timestamp ?? now,
        tokens: turn.tokens ?? estimateTokens(content),
        turn: this.#state.turnCount + 1 + index,
      };
    });
    if (records.length > 0) this.#append([...this.#becomeActive(), ...records]);
  }

  /** What was used so far, record by record. */
  get usage(): readonly UsageRecord[] {
    return this.#state.usage;
  }

  /** Stores what a reply used before the exchange is over, so that paid usage is known even if this process dies. */
  addUsage(used: Omit<UsageRecord, 'type' | 'timestamp'>): void {
    const { redact, clock } = this.#tools;
    const safe = (text: string | null) => (text === null ? null : redact(text));
    const { reply, model, priceSource } = used;
    this.#append([
      {
        ...used,
        type: 'usage',
        reply: safe(reply),
        model: safe(model),
        priceSource: safe(priceSource),
        timestamp: timestamp(clock),
      },
    ]);
  }

  /** Notes that the exchange of a turn failed: it is kept, but left out of the context from now on. */
  markFailed({ turn }: Pick<TurnRef, 'turn'>, reason: string): void {
    if (!this.#state.turns.some(({ number }) => number === turn))
      throw new InvalidInputError(`Session ${this.id} has no turn ${turn}`, { place: 'turn' });
    this.#append([
      {
        type: 'turn_failed',
        turn,
        reason: this.#tools.redact(checkText(reason, 'reason')),
        timestamp: timestamp(this.#tools.clock),
      },
    ]);
  }

  /** Notes how a later process can resume the agent's own conversation; the last note counts. */
  noteAgent(facts: { driver: string; resumeId: string | null; processId?: string }): void {
    const { driver, resumeId, processId = null } = facts;
    const known = this.#state.agentHandle;
    if (known?.driver === driver && known.resumeId === resumeId && known.processId === processId) return;
    this.#append([
      {
        type: 'agent',
        driver: this.#tools.redact(driver),
        // A redacted id would resume nothing. Without an id, the conversation is replayed to the agent.
        resumeId: resumeId !== null && this.#tools.redact(resumeId) === resumeId ? resumeId : null,
        processId: processId === null ? null : this.#tools.redact(processId),
        timestamp: timestamp(this.#tools.clock),
      },
    ]);
  }

  /** Notes how the agent is started from now on; writes nothing if that is already noted. */
  noteLaunch(launch: ConversationLaunch): void {
    const { redact, clock } = this.#tools;
    const { agent, model, permissions, workingDirectory } = launch;
    const noted = {
      agent: redact(agent),
      model: model === null ? null : redact(model),
      permissions: redact(permissions),
      workingDirectory: redact(workingDirectory),
    };
    const known = this.#state.launch;
    if (known !== null && LAUNCH_KEYS.every((key) => known[key] === noted[key])) return;
    this.#append([{ type: 'launch', ...noted, timestamp: timestamp(clock) }]);
  }

  /** Leaves everything said so far out of the context. The file keeps it. */
  clearContext(): void {
    this.#append([
      { type: 'clear', afterTurn: this.#state.turnCount, timestamp: timestamp(this.#tools.clock) },
    ]);
  }

  /** Records the status of the conversation; writes nothing if it is unchanged. */
  setStatus(status: ConversationStatus, reason?: string): void {
    if (status === this.status) return;
    this.#append([this.#statusRecord(status, reason)]);
  }

  /** Releases the conversation. Its status stays as written. */
  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  #addTurn(role: 'user' | 'assistant', said: string, more: TurnFacts): TurnRef {
    const { redact, clock } = this.#tools;
    const content = redact(checkText(said, 'content'));
    const turn = this.#state.turnCount + 1;
    const active = this.#becomeActive();
    const seq = this.#append([
      ...active,
      {
        type: 'turn',
        role,
        content,
        timestamp: timestamp(clock),
        tokens: more.tokens ?? estimateTokens(content),
        ...(more.model === undefined ? {} : { model: redact(more.model) }),
        ...(more.reason === undefined ? {} : { reason: redact(more.reason) }),
        ...(more.usage === undefined ? {} : { usage: redactUsage(more.usage, redact) }),
        turn,
      },
    ]);
    return { turn, seq: seq + active.length };
  }

  /** A new turn makes a conversation that was over active again, in the same write. */
  #becomeActive(): ConversationRecord[] {
    return this.#state.status === 'active' ? [] : [this.#statusRecord('active')];
  }

  #statusRecord(status: ConversationStatus, reason?: string): ConversationRecord {
    return {
      type: 'status',
      status: next(conversationLifecycle, this.status, LEADING_TO[status]),
      timestamp: timestamp(this.#tools.clock),
      reason: reason === undefined ? null : this.#tools.redact(reason),
      turns: this.#state.turnCount,
    };
  }

  /** The directory it belongs to now, if it differs from its metadata. */
  get #place(): string | undefined {
    const { place, metadata } = this.#state;
    return place === null || place === metadata?.workingDirectory ? undefined : place;
  }

  #append(records: readonly ConversationRecord[]): number {
    const place = this.#place;
    const placed = records.map((record) =>
      place !== undefined && (record.type === 'turn' || record.type === 'status')
        ? { ...record, workingDirectory: place }
        : record,
    );
    const readable = placed.map((record) => asRead(this.#held.path, record));
    const seq = this.#held.append(readable.map(toDisk));
    for (const record of readable) this.#state.apply(record);
    return seq;
  }
}

const LAUNCH_KEYS = ['agent', 'model', 'permissions', 'workingDirectory'] as const;

/** How a conversation began, as far as its file says. */
export function metadataOf(id: string, state: ConversationState): ConversationMetadata {
  return {
    id,
    agent: state.metadata?.agent ?? UNKNOWN_AGENT,
    createdAt: state.metadata?.createdAt ?? state.firstActivity ?? EPOCH,
    workingDirectory: state.metadata?.workingDirectory ?? null,
    isHidden: isHiddenId(id),
  };
}

export function viewOf(
  id: string,
  state: ConversationState,
  status: ConversationStatus,
  damage: ConversationView['damage'],
): ConversationView {
  const metadata = metadataOf(id, state);
  return {
    metadata,
    status,
    statusReason: status === state.status ? state.statusReason : null,
    lastActivity: state.lastActivity ?? metadata.createdAt,
    turnCount: state.turnCount,
    turns: [...state.turns],
    usage: [...state.usage],
    clearedAfter: state.clearedAfter,
    agentHandle: state.agentHandle,
    workingDirectory: state.place ?? metadata.workingDirectory,
    launch: state.launch,
    damage,
  };
}

function checkText(text: string, place: string): string {
  if (typeof text === 'string') return text;
  throw new InvalidInputError(`${place} must be text`, { place });
}

/**
 * The record as a reader will see it. An odd number is dropped without losing what was said; a record that a reader
 * would refuse as a whole is not written. Throws DOCUMENT_REFUSED.
 */
function asRead(path: string, record: ConversationRecord): ConversationRecord {
  try {
    const read = fromDisk({ ...toDisk(record), crc: '' });
    if (read !== null && typeof read !== 'string') return read;
    throw new RecordFault(`${read}`);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw new DocumentRefusedError(path, error.reason, { cause: error });
  }
}

/** Usage is numbers and model names, but any text in it is redacted as well. */
function redactUsage(
  usage: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> {
  return JSON.parse(JSON.stringify(usage), (_key, value) =>
    typeof value === 'string' ? redact(value) : value,
  ) as Record<string, unknown>;
}
