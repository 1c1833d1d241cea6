import { type Clock, InvalidInputError, next, RecordFault, timestamp } from '../../foundation/index.js';
import { DocumentRefusedError, type TailRepair } from '../../storage/index.js';
import { type ConversationFold, type ConversationState, EPOCH } from './fold.js';
import { isHiddenId } from './ids.js';
import { type ConversationStatus, conversationLifecycle, LEADING_TO } from './lifecycle.js';
import {
  type ConversationRecord,
  estimateTokens,
  fromDisk,
  type Role,
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

/** What may be told about a turn beside its text. */
export interface TurnFacts {
  /** As reported; estimated where nobody reported it. */
  readonly tokens?: number | undefined;
  readonly usage?: Readonly<Record<string, unknown>> | undefined;
  /** Why the answer ended. */
  readonly reason?: string | undefined;
  readonly model?: string | undefined;
}

/** A turn that was said elsewhere, to be taken over as it was. */
export interface ImportedTurn extends Pick<TurnFacts, 'tokens'> {
  readonly role: Role;
  readonly content: string;
  readonly timestamp?: string | undefined;
}

export interface ConversationTools {
  readonly clock: Clock;
  readonly redact: (text: string) => string;
}

/**
 * A conversation that this process owns and appends to, until it is disposed of. Every method returns only after what
 * it wrote would survive power loss. They throw LOCK_LOST, LOG_POISONED, STORAGE_FAILED, INVALID_INPUT.
 */
export class Conversation implements Disposable {
  readonly id: string;
  readonly metadata: ConversationMetadata;
  /** What was mended at the end of the file when it was opened. */
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

  /** What has been said so far, and how it stands. */
  get view(): ConversationView {
    return viewOf(this.id, this.#state, this.#state.status ?? 'completed', this.#damage);
  }

  get status(): ConversationStatus {
    return this.#state.status ?? 'completed';
  }

  /** The turns that belong to the prompt: good ones since the last clear. */
  get context(): Turn[] {
    return contextOf(this.#state);
  }

  /** Keeps what the person said. To be called before the agent runs, so that it cannot be lost. */
  addUserTurn(content: string, more: Pick<TurnFacts, 'tokens'> = {}): TurnRef {
    return this.#addTurn('user', content, more);
  }

  /** Keeps what the agent answered. */
  addAssistantTurn(content: string, more: TurnFacts = {}): TurnRef {
    return this.#addTurn('assistant', content, more);
  }

  /** Takes over turns that were said elsewhere, all or none. They belong to the context. */
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

  /** Keeps what a reply used, before the exchange is over: what was paid for is known whatever becomes of us. */
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

  /** Notes that the exchange of a turn failed: it is kept, and left out of the context from now on. */
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

  /** Notes how a later process goes on with the agent's own conversation; the last note counts. */
  noteAgent(facts: { driver: string; resumeId: string | null; processId?: string }): void {
    const { driver, resumeId, processId = null } = facts;
    const known = this.#state.agentHandle;
    if (known?.driver === driver && known.resumeId === resumeId && known.processId === processId) return;
    this.#append([
      {
        type: 'agent',
        driver: this.#tools.redact(driver),
        // Half a handle would lead nowhere: without it the conversation is told again.
        resumeId: resumeId !== null && this.#tools.redact(resumeId) === resumeId ? resumeId : null,
        processId: processId === null ? null : this.#tools.redact(processId),
        timestamp: timestamp(this.#tools.clock),
      },
    ]);
  }

  /** Notes how the agent is started from now on; nothing is written where that is known. */
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

  /** Writes down how the conversation stands; nothing is written where it stands so already. */
  setStatus(status: ConversationStatus, reason?: string): void {
    if (status === this.status) return;
    this.#append([this.#statusRecord(status, reason)]);
  }

  /** Gives the conversation free. Its status stays as it was written. */
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

  /** Whoever speaks in a conversation that was over makes it active again, in the same write. */
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

  /** Where it belongs by now, if not where its metadata says. */
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

/** What a conversation was begun with, as far as its file tells. */
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
 * A record as its reader will have it. An odd number costs the number, never what was said; what a reader would refuse as a
 * whole is not written. Throws DOCUMENT_REFUSED.
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

/** Usage is numbers and names of models; whatever text it has passes the funnel as well. */
function redactUsage(
  usage: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): Record<string, unknown> {
  return JSON.parse(JSON.stringify(usage), (_key, value) =>
    typeof value === 'string' ? redact(value) : value,
  ) as Record<string, unknown>;
}
