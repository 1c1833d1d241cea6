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

/** The format of the records, in the metadata; a higher one is read and not written to. */
export const FORMAT_VERSION = 1;

/** Stands for the agent where the metadata is lost. */
export const UNKNOWN_AGENT = 'unknown';

/** A number beyond these counts nothing that exists, and must not lead ours away. */
const MAX_COUNT = 1_000_000_000;

const counted = whole(0, MAX_COUNT);
const tokenCount = lenient(counted, 0);
const dollars = lenient(number(0), null);
const moment = textThat((value) => !Number.isNaN(Date.parse(value)), 'not a time');
const when = lenient(moment, null);
const word = lenient(text, null);
const statuses = oneOf(conversationLifecycle.states);
const roles = oneOf(['user', 'assistant', 'system']);

/** What nobody can do without: `reason` says what the whole record is then. */
function needed<Value>({ is }: { is: (value: unknown) => value is Value }, reason: string): Codec<Value> {
  return scalar(is, reason, reason);
}

/** A text that is left out of the file where there is none. */
const wordIfAny: Codec<string | null> = {
  fromDisk: word.fromDisk,
  toDisk: (value) => value ?? undefined,
};

/** A line of a log is never written anew: what of it we do not know is not carried along. */
const UNKNOWN = 'drop';

/** Where the conversation belongs by now, if not where its metadata says: the end of the file must tell it. */
const PLACE = { workingDirectory: named('working_directory', lenient(text, undefined)) };

const version = needed(whole(), 'metadata with a version that is no number');

const Metadata = record(
  {
    type: oneOf(['metadata']),
    sessionId: named('session_id', word),
    agent: lenient(text, UNKNOWN_AGENT),
    createdAt: named('created_at', when),
    /** Null where whoever wrote it said none. */
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
    role: needed(roles, 'a turn of no known role'),
    content: needed(text, 'a turn without its content'),
    timestamp: when,
    tokens: lenient(counted, null),
    model: lenient(text, undefined),
    /** Why the answer ended, in the agent's words. */
    reason: lenient(text, undefined),
    /** What the agent reported about its use of tokens and money. */
    usage: lenient(object, undefined),
    /** Its number, counted from 1; null in a turn that somebody else wrote. */
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
    /** How many turns there were then; null where whoever wrote it did not say. */
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
    afterTurn: named('after_turn', needed(counted, 'a clear without the number of the turn before')),
    timestamp: when,
  },
  UNKNOWN,
);

/** What a reply of the model used, written down as soon as it is known. */
const Usage = record(
  {
    type: oneOf(['usage']),
    /** The turn of the user whose exchange it belongs to. */
    turn: needed(counted, 'a use of tokens without the number of its turn'),
    /** The agent's own name for the reply; null where it has none. */
    reply: word,
    model: word,
    inputTokens: named('input_tokens', tokenCount),
    outputTokens: named('output_tokens', tokenCount),
    cacheReadTokens: named('cache_read_tokens', tokenCount),
    cacheWriteTokens: named('cache_write_tokens', tokenCount),
    /** As reported: of everything that the exchange used so far and that had no cost yet. */
    costUsd: named('cost_usd', dollars),
    /** By a list of prices: of this record alone, or of what a reported cost does not cover; null where nobody knows. */
    pricedUsd: named('priced_usd', dollars),
    /** The list, with its date. */
    priceSource: named('price_source', word),
    /** Who says so: the agent as it worked, its own transcript afterwards, or nobody: then it is a guess from lengths. */
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
    /** What `SequenceCheck` makes of the numbers of all records before: only these gaps were seen and accepted. */
    sequence: needed(number(), ofRecovery),
    timestamp: when,
  },
  UNKNOWN,
);

export type Role = ValueOf<typeof roles>;
export type MetadataRecord = Readonly<ValueOf<typeof Metadata>>;
export type TurnRecord = Readonly<Omit<ValueOf<typeof Turn>, 'tokens'>> & { readonly tokens: number };
export type UsageRecord = Readonly<ValueOf<typeof Usage>>;

/**
 * The records of a conversation. Metadata, turns and status are published; the others are ours and a reader of the
 * published format passes over them.
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

/** Who else writes conversations writes these, with these keys, and without a checksum. */
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

/** A record, what is wrong with it, or null for one of a type that we do not know. */
export function fromDisk(value: LogRecord): ConversationRecord | string | null {
  const { type } = value;
  if (typeof type !== 'string') return 'a record without a type';
  if (!Object.hasOwn(RECORDS, type)) return null;
  const isSummed = 'crc' in value;
  if (!isSummed && !PUBLISHED.has(type)) return 'a record of ours without its checksum';
  try {
    const found = RECORDS[type as RecordType].fromDisk(value) as ConversationRecord;
    return isSummed ? found : (faultWithoutSum(found, value) ?? found);
  } catch (error) {
    if (error instanceof RecordFault) return error.reason;
    throw error;
  }
}

/** Bytes that changed places can make something that reads like a record and carries no checksum to tell. */
function faultWithoutSum(found: ConversationRecord, value: LogRecord): string | undefined {
  const hasTokens = value.tokens === null || typeof value.tokens === 'number';
  if (found.type === 'turn' && (found.timestamp === null || !hasTokens))
    return 'a turn without its time or tokens';
  return found.type === 'status' && found.timestamp === null ? 'a status without its time' : undefined;
}

/** A record as it stands in the file, keys in the published order. Throws RecordFault for what nobody could read. */
export function toDisk(found: ConversationRecord): LogRecord {
  return RECORDS[found.type].toDisk(found) as LogRecord;
}

/** As the published format estimates what nobody reported: a token is four characters. */
export function estimateTokens(said: string): number {
  return Math.ceil(said.length / 4);
}
