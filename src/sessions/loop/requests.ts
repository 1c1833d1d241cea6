import { join } from 'node:path';
import * as z from 'zod';
import { type Actor, actorIn, isHoldfastError } from '../../foundation/index.js';
import {
  acquireLock,
  type FileSystem,
  isTemporaryName,
  JsonlLog,
  type LockTools,
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
  z.strictObject({ kind: z.literal('guidance'), text: z.string().min(1).max(MAX_TEXT) }),
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

const REQUEST_KEYS = ['kind', 'reason', 'text', 'guidance'] as const;

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
  const record = { ...request, at };
  const from = appliedRequest === undefined ? { actor } : { actor, appliedRequest };
  const signedAs = (number: number) => [record, { kind: SENDER, request: number, ...from }];
  if (JsonlLog.create(tools, path, sessionId, ...signedAs(0))) return { ...record, actor, number: 0 };
  using log = JsonlLog.open(tools, path, { sessionId, lock });
  return { ...record, actor, number: log.appendAll(signedAs(log.nextSeq)) };
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
  const senders = new Map(
    records.filter(({ value }) => value.kind === SENDER).map(({ value }) => [value.request, value.actor]),
  );
  for (const { seq, value } of records) {
    if (seq === null || seq <= after) continue;
    const actor = senders.get(seq);
    // Keys of a newer release are ignored: the keys we know say what is asked.
    const known = REQUEST_KEYS.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]);
    const parsed = LoopRequestInput.safeParse(Object.fromEntries(known));
    if (!parsed.success) continue;
    const by = typeof actor === 'string' ? { actor: actorIn(actor) } : {};
    requests.push({ ...parsed.data, number: seq, at: String(value.at), ...by });
  }
  return requests;
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
  const signed = records.find(
    ({ value }) => value.kind === SENDER && value.appliedRequest === appliedRequest,
  );
  const number = signed?.value.request;
  const kind = records.find(({ seq }) => seq !== null && seq === number)?.value.kind;
  const known = LoopRequestInput.options.find((option) => option.shape.kind.value === kind);
  return known === undefined || typeof number !== 'number'
    ? undefined
    : { kind: known.shape.kind.value, number };
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
