import type { LogRecord } from '../../storage/index.js';
import { type ConversationStatus, isConversationStatus } from './lifecycle.js';

/**
 * The records of a conversation. Metadata, turns and status are published; the others are ours and a reader of the
 * published format passes over them. Checked by hand: a long conversation has very many, and each is looked at.
 */
export type ConversationRecord =
  | MetadataRecord
  | TurnRecord
  | StatusRecord
  | FailureRecord
  | AgentRecord
  | LaunchRecord
  | ClearRecord
  | UsageRecord
  | RecoveredRecord;

/** The format of the records, in the metadata; a higher one is read and not written to. */
export const FORMAT_VERSION = 1;

export type Role = 'user' | 'assistant' | 'system';

export interface MetadataRecord {
  readonly type: 'metadata';
  readonly sessionId: string | null;
  readonly agent: string;
  readonly createdAt: string | null;
  /** Null where whoever wrote it said none. */
  readonly status: ConversationStatus | null;
  readonly version: number;
  readonly workingDirectory: string | null;
}

export interface TurnRecord {
  readonly type: 'turn';
  readonly role: Role;
  readonly content: string;
  readonly timestamp: string | null;
  readonly tokens: number;
  /** Its number, counted from 1; null in a turn that somebody else wrote. */
  readonly turn: number | null;
  readonly model?: string;
  /** Why the answer ended, in the agent's words. */
  readonly reason?: string;
  /** What the agent reported about its use of tokens and money. */
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Where the conversation belongs by now, if not where its metadata says: the end of the file must tell it. */
  readonly workingDirectory?: string;
}

export interface StatusRecord {
  readonly type: 'status';
  readonly status: ConversationStatus;
  readonly timestamp: string | null;
  readonly reason: string | null;
  /** How many turns there were then; null where whoever wrote it did not say. */
  readonly turns: number | null;
  /** As in a turn. */
  readonly workingDirectory?: string;
}

export interface FailureRecord {
  readonly type: 'turn_failed';
  readonly turn: number;
  readonly reason: string;
  readonly timestamp: string | null;
}

export interface AgentRecord {
  readonly type: 'agent';
  readonly driver: string;
  readonly resumeId: string | null;
  readonly processId: string | null;
  readonly timestamp: string | null;
}

/** How the agent is started for the turns that follow. */
export interface LaunchRecord {
  readonly type: 'launch';
  readonly agent: string;
  readonly model: string | null;
  readonly permissions: string;
  readonly workingDirectory: string;
  readonly timestamp: string | null;
}

export interface ClearRecord {
  readonly type: 'clear';
  readonly afterTurn: number;
  readonly timestamp: string | null;
}

/** What a reply of the model used, written down as soon as it is known. */
export interface UsageRecord {
  readonly type: 'usage';
  /** The turn of the user whose exchange it belongs to. */
  readonly turn: number;
  /** The agent's own name for the reply; null where it has none. */
  readonly reply: string | null;
  readonly model: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** As reported: of everything that the exchange used so far and that had no cost yet. */
  readonly costUsd: number | null;
  /** By a list of prices: of this record alone, or of what a reported cost does not cover; null where nobody knows. */
  readonly pricedUsd: number | null;
  /** The list, with its date. */
  readonly priceSource: string | null;
  /** Who says so: the agent as it worked, its own transcript afterwards, or nobody: then it is a guess from lengths. */
  readonly source: 'reported' | 'transcript' | 'estimated';
  readonly timestamp: string | null;
}

export interface RecoveredRecord {
  readonly type: 'recovered';
  readonly kept: number;
  /** What `SequenceCheck` makes of the numbers of all records before: only these gaps were seen and accepted. */
  readonly sequence: number;
  readonly timestamp: string | null;
}

/** A record, what is wrong with it, or null for one of a type that we do not know. */
export function fromDisk(value: LogRecord): ConversationRecord | string | null {
  if (!('crc' in value) && OURS.has(value.type)) return 'a record of ours without its checksum';
  switch (value.type) {
    case 'metadata':
      return metadataOf(value);
    case 'turn':
      return turnOf(value);
    case 'status':
      return statusOf(value);
    case 'turn_failed':
      if (!isCount(value.turn)) return 'a failed turn without its number';
      return {
        type: 'turn_failed',
        turn: value.turn,
        reason: textOr(value.reason, ''),
        timestamp: timeOf(value.timestamp),
      };
    case 'agent':
      if (typeof value.driver !== 'string') return 'an agent without its driver';
      return {
        type: 'agent',
        driver: value.driver,
        resumeId: textOr(value.resume_id, null),
        processId: textOr(value.process_id, null),
        timestamp: timeOf(value.timestamp),
      };
    case 'launch':
      return launchOf(value);
    case 'clear':
      if (!isCount(value.after_turn)) return 'a clear without the number of the turn before';
      return { type: 'clear', afterTurn: value.after_turn, timestamp: timeOf(value.timestamp) };
    case 'usage':
      if (!isCount(value.turn)) return 'a use of tokens without the number of its turn';
      return usageOf(value, value.turn);
    case 'recovered':
      if (!isCount(value.kept) || typeof value.sequence !== 'number') return 'a recovery without its numbers';
      return {
        type: 'recovered',
        kept: value.kept,
        sequence: value.sequence,
        timestamp: timeOf(value.timestamp),
      };
    default:
      return typeof value.type === 'string' ? null : 'a record without a type';
  }
}

/** Nobody else writes these. */
const OURS: ReadonlySet<unknown> = new Set(['turn_failed', 'agent', 'launch', 'clear', 'usage', 'recovered']);

/** A record as it stands in the file, keys in the published order. */
export function toDisk(record: ConversationRecord): LogRecord {
  switch (record.type) {
    case 'metadata':
      return {
        type: 'metadata',
        session_id: record.sessionId,
        agent: record.agent,
        created_at: record.createdAt,
        status: record.status,
        version: record.version,
        ...(record.workingDirectory === null ? {} : { working_directory: record.workingDirectory }),
      };
    case 'turn': {
      const { turn, workingDirectory, ...published } = record;
      return { ...published, turn, ...placeOnDisk(workingDirectory) };
    }
    case 'status': {
      const { reason, turns, workingDirectory, ...published } = record;
      return {
        ...published,
        ...(reason === null ? {} : { reason }),
        turns,
        ...placeOnDisk(workingDirectory),
      };
    }
    case 'turn_failed':
    case 'recovered':
      return { ...record };
    case 'agent': {
      const { driver, resumeId, processId, timestamp } = record;
      return {
        type: 'agent',
        driver,
        resume_id: resumeId,
        ...(processId === null ? {} : { process_id: processId }),
        timestamp,
      };
    }
    case 'launch': {
      const { agent, model, permissions, workingDirectory, timestamp } = record;
      return { type: 'launch', agent, model, permissions, working_directory: workingDirectory, timestamp };
    }
    case 'clear':
      return { type: 'clear', after_turn: record.afterTurn, timestamp: record.timestamp };
    case 'usage':
      return {
        type: 'usage',
        turn: record.turn,
        reply: record.reply,
        model: record.model,
        input_tokens: record.inputTokens,
        output_tokens: record.outputTokens,
        cache_read_tokens: record.cacheReadTokens,
        cache_write_tokens: record.cacheWriteTokens,
        cost_usd: record.costUsd,
        priced_usd: record.pricedUsd,
        price_source: record.priceSource,
        source: record.source,
        timestamp: record.timestamp,
      };
  }
}

function placeOnDisk(workingDirectory: string | undefined): { working_directory?: string } {
  return workingDirectory === undefined ? {} : { working_directory: workingDirectory };
}

/** As the published format estimates what nobody reported: a token is four characters. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function metadataOf(value: LogRecord): MetadataRecord | string {
  const version = value.version ?? FORMAT_VERSION;
  if (typeof version !== 'number' || !Number.isInteger(version))
    return 'metadata with a version that is no number';
  return {
    type: 'metadata',
    sessionId: textOr(value.session_id, null),
    agent: textOr(value.agent, UNKNOWN_AGENT),
    createdAt: timeOf(value.created_at),
    status: isConversationStatus(value.status) ? value.status : null,
    version,
    workingDirectory: textOr(value.working_directory, null),
  };
}

function turnOf(value: LogRecord): TurnRecord | string {
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return 'a turn of no known role';
  if (typeof content !== 'string') return 'a turn without its content';
  // Bytes that changed places can make something that reads like a turn and carries no checksum to tell.
  if (!('crc' in value) && (timeOf(value.timestamp) === null || !('tokens' in value)))
    return 'a turn without its time or tokens';
  return {
    type: 'turn',
    role,
    content,
    timestamp: timeOf(value.timestamp),
    tokens: isCount(value.tokens) ? value.tokens : estimateTokens(content),
    ...(typeof value.model === 'string' ? { model: value.model } : {}),
    ...(typeof value.reason === 'string' ? { reason: value.reason } : {}),
    ...(isObject(value.usage) ? { usage: value.usage } : {}),
    ...placeIn(value),
    turn: isCount(value.turn) && value.turn > 0 ? value.turn : null,
  };
}

/** A number that cannot be counted is none: what else the record says still holds. */
function usageOf(value: LogRecord, turn: number): UsageRecord {
  const count = (tokens: unknown) => (isCount(tokens) ? tokens : 0);
  const { source } = value;
  return {
    type: 'usage',
    turn,
    reply: textOr(value.reply, null),
    model: textOr(value.model, null),
    inputTokens: count(value.input_tokens),
    outputTokens: count(value.output_tokens),
    cacheReadTokens: count(value.cache_read_tokens),
    cacheWriteTokens: count(value.cache_write_tokens),
    costUsd: dollarsOr(value.cost_usd, null),
    pricedUsd: dollarsOr(value.priced_usd, null),
    priceSource: textOr(value.price_source, null),
    source: source === 'transcript' || source === 'estimated' ? source : 'reported',
    timestamp: timeOf(value.timestamp),
  };
}

function dollarsOr<Fallback>(value: unknown, fallback: Fallback): number | Fallback {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : fallback;
}

function statusOf(value: LogRecord): StatusRecord | string {
  if (!isConversationStatus(value.status)) return 'a status that is not active, completed or interrupted';
  if (!('crc' in value) && timeOf(value.timestamp) === null) return 'a status without its time';
  return {
    type: 'status',
    status: value.status,
    timestamp: timeOf(value.timestamp),
    reason: textOr(value.reason, null),
    turns: isCount(value.turns) ? value.turns : null,
    ...placeIn(value),
  };
}

function launchOf(value: LogRecord): LaunchRecord | string {
  const { agent, permissions, working_directory: workingDirectory } = value;
  if (typeof agent !== 'string' || typeof permissions !== 'string' || typeof workingDirectory !== 'string')
    return 'a launch without its agent, permissions or directory';
  const model = textOr(value.model, null);
  return { type: 'launch', agent, model, permissions, workingDirectory, timestamp: timeOf(value.timestamp) };
}

function placeIn(value: LogRecord): { workingDirectory?: string } {
  return typeof value.working_directory === 'string' ? { workingDirectory: value.working_directory } : {};
}

/** Stands for the agent where the metadata is lost. */
export const UNKNOWN_AGENT = 'unknown';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number beyond these counts nothing that exists, and must not lead ours away. */
const MAX_COUNT = 1_000_000_000;

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT;
}

function textOr<Fallback>(value: unknown, fallback: Fallback): string | Fallback {
  return typeof value === 'string' ? value : fallback;
}

function timeOf(value: unknown): string | null {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;
}
