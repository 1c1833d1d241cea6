import {
  type Codec,
  lenient,
  named,
  number,
  object,
  oneOf,
  RecordFault,
  record,
  scalar,
  text,
  textThat,
  type ValueOf,
  whole,
} from '../../foundation/index.js';
import type { LogRecord } from '../../storage/index.js';
import { conversationLifecycle } from './lifecycle.js';

/** The format version of the records, stored in the metadata. A file with a higher one is read but not written. */
export const FORMAT_VERSION = 1;

/** Stands in for the agent if the metadata is lost. */
export const UNKNOWN_AGENT = 'unknown';

/** A number beyond this counts nothing real, and must not influence ours. */
const MAX_COUNT = 1_000_000_000;

const counted = whole(0, MAX_COUNT);
const tokenCount = lenient(counted, 0);
const dollars = lenient(number(0), null);
const moment = textThat((value) => !Number.isNaN(Date.parse(value)), 'not a time');
const when = lenient(moment, null);
const word = lenient(text, null);
const statuses = oneOf(conversationLifecycle.states);
const roles = oneOf(['user', 'assistant', 'system']);

/** A required value: `reason` describes the record without it. */
function needed<Value>({ is }: { is: (value: unknown) => value is Value }, reason: string): Codec<Value> {
  return scalar(is, reason, reason);
}

/** A text that is left out of the file if there is none. */
const wordIfAny: Codec<string | null> = {
  fromDisk: word.fromDisk,
  toDisk: (value) => value ?? undefined,
};

/** Log lines are never rewritten, so unknown keys need not be kept. */
const UNKNOWN = 'drop';

/** The directory the conversation belongs to now, if it differs from its metadata: the end of the file must show it. */
const PLACE = { workingDirectory: named('working_directory', lenient(text, undefined)) };

const version = needed(whole(), 'metadata whose version is not a number');

const Metadata = record(
  {
    type: oneOf(['metadata']),
    sessionId: named('session_id', word),
    agent: lenient(text, UNKNOWN_AGENT),
    createdAt: named('created_at', when),
    /** Null if the writer gave none. */
    status: lenient(statuses, null),
    version: {
      fromDisk: (value: unknown) => version.fromDisk(value ?? FORMAT_VERSION),
      toDisk: version.toDisk,
    },
    workingDirectory: named('working_directory', wordIfAny),
  },
  UNKNOWN,
);

const Turn = record(
  {
    type: oneOf(['turn']),
    role: needed(roles, 'a turn with an unknown role'),
    content: needed(text, 'a turn without its content'),
    timestamp: when,
    tokens: lenient(counted, null),
    model: lenient(text, undefined),
    /** Why the answer ended, in the agent's words. */
    reason: lenient(text, undefined),
    /** What the agent reported about its use of tokens and money. */
    usage: lenient(object, undefined),
    /** Its number, counted from 1; null in a turn written by another program. */
    turn: lenient(whole(1, MAX_COUNT), null),
    ...PLACE,
  },
  UNKNOWN,
);

const Status = record(
  {
    type: oneOf(['status']),
    status: needed(statuses, 'a status that is not active, completed or interrupted'),
    timestamp: when,
    reason: wordIfAny,
    /** How many turns there were then; null if the writer did not say. */
    turns: lenient(counted, null),
    ...PLACE,
  },
  UNKNOWN,
);

const Failure = record(
  {
    type: oneOf(['turn_failed']),
    turn: needed(counted, 'a failed turn without its number'),
    reason: lenient(text, ''),
    timestamp: when,
  },
  UNKNOWN,
);

const Agent = record(
  {
    type: oneOf(['agent']),
    driver: needed(text, 'an agent without its driver'),
    resumeId: named('resume_id', word),
    processId: named('process_id', wordIfAny),
    timestamp: when,
  },
  UNKNOWN,
);

const ofLaunch = needed(text, 'a launch without its agent, permissions or directory');

/** How the agent is started for the turns that follow. */
const Launch = record(
  {
    type: oneOf(['launch']),
    agent: ofLaunch,
    model: word,
    permissions: ofLaunch,
    workingDirectory: named('working_directory', ofLaunch),
    timestamp: when,
  },
  UNKNOWN,
);

const Clear = record(
  {
    type: oneOf(['clear']),
    afterTurn: named('after_turn', needed(counted, 'a clear without the number of the last turn')),
    timestamp: when,
  },
  UNKNOWN,
);

/** What a reply of the model used, written as soon as it is known. */
const Usage = record(
  {
    type: oneOf(['usage']),
    /** The user's turn whose exchange it belongs to. */
    turn: needed(counted, 'usage without its turn number'),
    /** The agent's own name for the reply; null if it has none. */
    reply: word,
    model: word,
    inputTokens: named('input_tokens', tokenCount),
    outputTokens: named('output_tokens', tokenCount),
    cacheReadTokens: named('cache_read_tokens', tokenCount),
    cacheWriteTokens: named('cache_write_tokens', tokenCount),
    /** As reported: covers everything the exchange has used so far that had no cost yet. */
    costUsd: named('cost_usd', dollars),
    /** By a price list: for this record alone, or for what a reported cost does not cover; null if unknown. */
    pricedUsd: named('priced_usd', dollars),
    /** The price list, with its date. */
    priceSource: named('price_source', word),
    /** Where the numbers come from: the agent while working, its transcript afterwards, or an estimate from lengths. */
    source: lenient(oneOf(['reported', 'transcript', 'estimated']), 'reported' as const),
    timestamp: when,
  },
  UNKNOWN,
);

const ofRecovery = 'a recovery without its numbers';
const Recovered = record(
  {
    type: oneOf(['recovered']),
    kept: needed(counted, ofRecovery),
    /** The `SequenceCheck` value of all earlier numbers: exactly these gaps were seen and accepted. */
    sequence: needed(number(), ofRecovery),
    timestamp: when,
  },
  UNKNOWN,
);

export type TurnRole = ValueOf<typeof roles>;
export type MetadataRecord = Readonly<ValueOf<typeof Metadata>>;
export type TurnRecord = Readonly<Omit<ValueOf<typeof Turn>, 'tokens'>> & { readonly tokens: number };
export type UsageRecord = Readonly<ValueOf<typeof Usage>>;

/**
 * The records of a conversation. Metadata, turns and status are published; the others are ours, and readers of the
 * published format skip them.
 */
export type ConversationRecord =
  | MetadataRecord
  | TurnRecord
  | UsageRecord
  | Readonly<ValueOf<typeof Status>>
  | Readonly<ValueOf<typeof Failure>>
  | Readonly<ValueOf<typeof Agent>>
  | Readonly<ValueOf<typeof Launch>>
  | Readonly<ValueOf<typeof Clear>>
  | Readonly<ValueOf<typeof Recovered>>;

type RecordType = ConversationRecord['type'];

const RECORDS: Readonly<Record<RecordType, Codec<unknown>>> = {
  metadata: Metadata,
  turn: {
    fromDisk(value) {
      const turn = Turn.fromDisk(value);
      turn.tokens ??= estimateTokens(turn.content);
      return turn;
    },
    toDisk: Turn.toDisk as Codec<unknown>['toDisk'],
  },
  status: Status,
  turn_failed: Failure,
  agent: Agent,
  launch: Launch,
  clear: Clear,
  usage: Usage,
  recovered: Recovered,
};

/** The records that other programs write, with these keys and without a checksum. */
const PUBLISHED: ReadonlySet<unknown> = new Set<RecordType>(['metadata', 'turn', 'status']);
const PUBLISHED_KEYS: ReadonlySet<string> = new Set([
  'type',
  'session_id',
  'agent',
  'created_at',
  'status',
  'role',
  'content',
  'timestamp',
  'tokens',
]);

export function hasPublishedKeysOnly(value: LogRecord): boolean {
  return Object.keys(value).every((key) => PUBLISHED_KEYS.has(key));
}

/** A record, a string that says what is wrong with it, or null if its type is unknown. */
export function fromDisk(value: LogRecord): ConversationRecord | string | null {
  const { type } = value;
  if (typeof type !== 'string') return 'a record without a type';
  if (!Object.hasOwn(RECORDS, type)) return null;
  const isSummed = 'crc' in value;
  if (!isSummed && !PUBLISHED.has(type)) return 'a record of Holdfast without its checksum';
  try {
    const found = RECORDS[type as RecordType].fromDisk(value) as ConversationRecord;
    return isSummed ? found : (faultWithoutSum(found, value) ?? found);
  } catch (error) {
    if (error instanceof RecordFault) return error.reason;
    throw error;
  }
}

/** Bytes that moved can form something that reads like a record but has no checksum to prove it. */
function faultWithoutSum(found: ConversationRecord, value: LogRecord): string | undefined {
  const hasTokens = value.tokens === null || typeof value.tokens === 'number';
  if (found.type === 'turn' && (found.timestamp === null || !hasTokens))
    return 'a turn without its time or tokens';
  return found.type === 'status' && found.timestamp === null ? 'a status without its time' : undefined;
}

/** A record as stored in the file, keys in the published order. Throws RecordFault if no reader could read it. */
export function toDisk(found: ConversationRecord): LogRecord {
  return RECORDS[found.type].toDisk(found) as LogRecord;
}

/** The published estimate for unreported tokens: one token per four characters. */
export function estimateTokens(said: string): number {
  return Math.ceil(said.length / 4);
}
