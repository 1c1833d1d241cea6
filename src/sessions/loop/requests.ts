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

/** What somebody outside may ask of a loop. */
export const LoopRequestInput = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pause'), reason: z.string().max(MAX_TEXT).optional() }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('stop'), reason: z.string().max(MAX_TEXT).optional() }),
  z.strictObject({ kind: z.literal('guidance'), text: z.string().min(1).max(MAX_TEXT) }),
  z.strictObject({ kind: z.literal('reset'), guidance: z.string().max(MAX_TEXT).optional() }),
]);
export type LoopRequestInput = z.infer<typeof LoopRequestInput>;

/** A request as it stands in the file: numbered, with its time and who left it, where that was written down. */
export type LoopRequest = LoopRequestInput & {
  readonly number: number;
  readonly at: string;
  readonly actor?: Actor;
};

/** Who leaves a request: an actor, and where it came from another machine, its id there. */
export interface RequestSender {
  readonly actor: Actor;
  readonly appliedRequest?: string | undefined;
}

/** A request of another machine that was left here. */
export interface AppliedRequest {
  readonly kind: LoopRequestInput['kind'];
  readonly number: number;
}

/**
 * Who left a request stands in a line of its own behind it: release 0.1 refuses a request with a key that it does not
 * know, and passes over a line of a kind that it does not know (docs/decisions/0169).
 */
const SENDER = 'sender';

const REQUEST_KEYS = ['kind', 'reason', 'text', 'guidance'] as const;

const REQUESTS = 'requests.jsonl';

/** The lock that orders those who send. The owner of the loop does not need it to read. */
export function requestLock(directory: string): string {
  return join(directory, 'requests');
}

/**
 * Puts a request into the file, durably, and returns its number. `whichSession` is asked under the lock, so that a
 * request never goes to a session that was replaced meanwhile. One of another machine that is there already is not put in
 * again: its id is in the same write. Throws LOCKED, STORAGE_FAILED.
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

/** The requests that came after a number, in order. A line that does not verify is none, and is warned about. */
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
    // Keys of a newer release are passed over: what it asks for is in those that we know.
    const known = REQUEST_KEYS.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]);
    const parsed = LoopRequestInput.safeParse(Object.fromEntries(known));
    if (!parsed.success) continue;
    const by = typeof actor === 'string' ? { actor: actorIn(actor) } : {};
    requests.push({ ...parsed.data, number: seq, at: String(value.at), ...by });
  }
  return requests;
}

/** The request of another machine that was left here under this id. Throws STORAGE_FAILED. */
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

/** Who let a loop rest or stopped it; null where it was nobody's request, or nobody wrote down whose. */
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
    // Good to know, and no reason not to tell how the loop stands.
    if (isHoldfastError(error)) return null;
    throw error;
  }
}

/** Reads the requests of a loop again and again, the file only when it has changed: it is looked at very often. */
export class RequestReader {
  readonly #tools: { fileSystem: FileSystem; log: LockTools['log'] };
  readonly #directory: string;
  #stamp = '';
  #requests: LoopRequest[] = [];

  constructor(tools: { fileSystem: FileSystem; log: LockTools['log'] }, directory: string) {
    this.#tools = tools;
    this.#directory = directory;
  }

  /** The requests that came after a number, in order. */
  after(sessionId: string, number: number): LoopRequest[] {
    const path = join(this.#directory, REQUESTS);
    const facts = lookAt(this.#tools.fileSystem, path);
    // Every change of it is an append, so its size tells.
    const stamp = `${sessionId} ${facts?.inode} ${facts?.size}`;
    if (stamp !== this.#stamp) this.#requests = readRequests(this.#tools, this.#directory, sessionId, number);
    this.#stamp = stamp;
    return this.#requests.filter((request) => request.number > number);
  }
}

/** Whoever creates the file holds the lock, so a temporary one that is here now was left by a sender that died. */
function sweepTemporaries(fileSystem: FileSystem, directory: string): void {
  for (const name of listDirectory(fileSystem, directory))
    if (isTemporaryName(name, REQUESTS)) removeQuietly(fileSystem, join(directory, name));
}
