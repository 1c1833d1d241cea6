import { join } from 'node:path';
import * as z from 'zod';
import {
  type Actor,
  actorIn,
  type Codec,
  count,
  isHoldfastError,
  oneOf,
  optional,
  RecordFault,
  record,
  text,
  textThat,
} from '../../foundation/index.js';
import {
  acquireLock,
  type FileSystem,
  isTemporaryName,
  JsonlLog,
  type LockTools,
  type LogEntry,
  listDirectory,
  lookAt,
  readLog,
  removeQuietly,
} from '../../storage/index.js';
import type { LoopState } from './schema.js';

const MAX_TEXT = 64 * 1024;

/** What can be asked of a loop from outside. */
export const LoopRequestInput = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pause'), reason: z.string().max(MAX_TEXT).optional() }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('stop'), reason: z.string().max(MAX_TEXT).optional() }),
  z.strictObject({ kind: z.literal('guidance'), text: z.string().min(1, 'the text is empty').max(MAX_TEXT) }),
  z.strictObject({ kind: z.literal('reset'), guidance: z.string().max(MAX_TEXT).optional() }),
]);
export type LoopRequestInput = z.infer<typeof LoopRequestInput>;

/** A request as stored in the file: numbered, with its time and, if recorded, its sender. */
export type LoopRequest = LoopRequestInput & {
  readonly number: number;
  readonly at: string;
  readonly actor?: Actor;
};

/** Who sends a request: an actor and, if it came from another machine, its id there. */
export interface RequestSender {
  readonly actor: Actor;
  readonly appliedRequest?: string | undefined;
}

/** A request from another machine that was stored here. */
export interface AppliedRequest {
  readonly kind: LoopRequestInput['kind'];
  readonly number: number;
}

/**
 * The sender of a request is stored in a separate line after it. Release 0.1 refuses a request with a key it does not
 * know, but skips a line of a kind it does not know (docs/decisions/0169).
 */
const SENDER = 'sender';

const words = textThat((value) => value.length <= MAX_TEXT, 'not a text, or too long');
const filledWords = textThat((value) => value !== '' && value.length <= MAX_TEXT, 'empty, or too long');

/** A line of the file by its kind. Keys of a newer release are ignored: those we know say what is asked. */
const LINES = {
  pause: record({ kind: oneOf(['pause']), reason: optional(words), at: text }, 'drop'),
  resume: record({ kind: oneOf(['resume']), at: text }, 'drop'),
  stop: record({ kind: oneOf(['stop']), reason: optional(words), at: text }, 'drop'),
  guidance: record({ kind: oneOf(['guidance']), text: filledWords, at: text }, 'drop'),
  reset: record({ kind: oneOf(['reset']), guidance: optional(words), at: text }, 'drop'),
} satisfies {
  readonly [Kind in LoopRequestInput['kind']]: Codec<
    Extract<LoopRequestInput, { kind: Kind }> & { readonly at: string }
  >;
};
const SenderLine = record(
  { kind: oneOf([SENDER]), request: count, actor: text, appliedRequest: optional(text) },
  'drop',
);

const REQUESTS = 'requests.jsonl';

/** The lock that orders senders. The owner of the loop does not need it to read. */
export function requestLock(directory: string): string {
  return join(directory, 'requests');
}

/**
 * Puts a request into the file, durably, and returns its number. `whichSession` is called under the lock, so a request
 * never goes to a session that has since been replaced. A request from another machine that is already there is not
 * added again: its id is part of the same write. Throws LOCKED, STORAGE_FAILED.
 */
export async function sendRequest(
  tools: LockTools,
  directory: string,
  request: LoopRequestInput,
  { actor, appliedRequest }: RequestSender,
  whichSession: () => string,
): Promise<LoopRequest> {
  using lock = await acquireLock(tools, requestLock(directory), { waitMs: 30_000 });
  const sessionId = whichSession();
  const before =
    appliedRequest === undefined ? undefined : findApplied(tools, directory, sessionId, appliedRequest);
  const left = before && readRequests(tools, directory, sessionId, before.number - 1)[0];
  if (left !== undefined) return left;
  sweepTemporaries(tools.fileSystem, directory);
  const path = join(directory, REQUESTS);
  const at = tools.clock.now().toISOString();
  const line = { ...request, at };
  const from = appliedRequest === undefined ? { actor } : { actor, appliedRequest };
  const signedAs = (number: number) => [line, { kind: SENDER, request: number, ...from }];
  if (JsonlLog.create(tools, path, sessionId, ...signedAs(0))) return { ...line, actor, number: 0 };
  using log = JsonlLog.open(tools, path, { sessionId, lock });
  return { ...line, actor, number: log.appendAll(signedAs(log.nextSeq)) };
}

/** The requests after a number, in order. A line that does not verify is skipped with a warning. */
function readRequests(
  tools: { fileSystem: FileSystem; log: LockTools['log'] },
  directory: string,
  sessionId: string,
  after: number,
): LoopRequest[] {
  const path = join(directory, REQUESTS);
  if (lookAt(tools.fileSystem, path) === undefined) return [];
  const { records, damage } = readLog(tools.fileSystem, path, { sessionId });
  if (damage.length > 0)
    tools.log.warn('loop.requests-damaged', { path, lines: damage.map(({ line }) => line) });
  const requests: LoopRequest[] = [];
  const senders = new Map(sendersIn(records).map(({ request, actor }) => [request, actorIn(actor)]));
  for (const { seq, value } of records) {
    if (seq === null || seq <= after) continue;
    const request = isKind(value.kind) ? readLine<LoopLine>(LINES[value.kind], value) : undefined;
    if (request === undefined) continue;
    const actor = senders.get(seq);
    requests.push({ ...request, number: seq, ...(actor === undefined ? {} : { actor }) });
  }
  return requests;
}

type LoopLine = LoopRequestInput & { readonly at: string };

function isKind(kind: unknown): kind is LoopRequestInput['kind'] {
  return typeof kind === 'string' && Object.hasOwn(LINES, kind);
}

/** Undefined for a line that says nothing we understand: the file verifies, so another release wrote it. */
function readLine<Value>(line: Codec<Value>, value: unknown): Value | undefined {
  try {
    return line.fromDisk(value);
  } catch (error) {
    if (error instanceof RecordFault) return undefined;
    throw error;
  }
}

function sendersIn(records: readonly LogEntry[]) {
  return records.flatMap(({ value }) => readLine(SenderLine, value) ?? []);
}

/** The request from another machine that was stored here under this id. Throws STORAGE_FAILED. */
export function findApplied(
  { fileSystem }: { fileSystem: FileSystem },
  directory: string,
  sessionId: string,
  appliedRequest: string,
): AppliedRequest | undefined {
  const path = join(directory, REQUESTS);
  if (lookAt(fileSystem, path) === undefined) return undefined;
  const { records } = readLog(fileSystem, path, { sessionId });
  const number = sendersIn(records).find((sender) => sender.appliedRequest === appliedRequest)?.request;
  if (number === undefined) return undefined;
  const kind = records.find(({ seq }) => seq === number)?.value.kind;
  return isKind(kind) ? { kind, number } : undefined;
}

/** Who paused or stopped a loop; null if no request did, or its sender was not recorded. */
export function whoHalted(
  tools: { fileSystem: FileSystem; log: LockTools['log'] },
  directory: string,
  {
    sessionId,
    status,
    pausedAt,
    lastRequest,
  }: Pick<LoopState, 'sessionId' | 'status' | 'pausedAt' | 'lastRequest'>,
): Actor | null {
  if (status !== 'paused' && status !== 'suspended') return null;
  try {
    const request = readRequests(tools, directory, sessionId, -1).findLast(({ kind, at, number }) =>
      status === 'paused' ? kind === 'pause' && at === pausedAt : kind === 'stop' && number === lastRequest,
    );
    return request?.actor ?? null;
  } catch (error) {
    // Good to know, but no reason to fail to report the loop's state.
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

/** Reads the requests of a loop repeatedly, but the file only when it has changed: it is checked very often. */
export class RequestReader {
  readonly #tools: { fileSystem: FileSystem; log: LockTools['log'] };
  readonly #directory: string;
  #stamp = '';
  #requests: LoopRequest[] = [];

  constructor(tools: { fileSystem: FileSystem; log: LockTools['log'] }, directory: string) {
    this.#tools = tools;
    this.#directory = directory;
  }

  /** The requests after a number, in order. */
  after(sessionId: string, number: number): LoopRequest[] {
    const path = join(this.#directory, REQUESTS);
    const facts = lookAt(this.#tools.fileSystem, path);
    // Every change is an append, so the size reveals it.
    const stamp = `${sessionId} ${facts?.inode} ${facts?.size}`;
    if (stamp !== this.#stamp) this.#requests = readRequests(this.#tools, this.#directory, sessionId, number);
    this.#stamp = stamp;
    return this.#requests.filter((request) => request.number > number);
  }
}

/** Only the holder of the lock creates the file, so a temporary file found now was left by a sender that died. */
function sweepTemporaries(fileSystem: FileSystem, directory: string): void {
  for (const name of listDirectory(fileSystem, directory))
    if (isTemporaryName(name, REQUESTS)) removeQuietly(fileSystem, join(directory, name));
}
