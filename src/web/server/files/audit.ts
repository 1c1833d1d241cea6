import { join } from 'node:path';
import { timestamp } from '../../../foundation/index.js';
import { acquireLock, JsonlLog, lookAt, readLastRecords } from '../../../storage/index.js';
import { roomOf, type WebPlace } from './web-place.js';

/** What was done through the page, and by whom. Never what was said, and never a secret. */
export interface AuditEntry {
  readonly what:
    | 'sign-in'
    | 'sign-in-refused'
    | 'sign-out'
    | 'revoked'
    | 'answer'
    | 'reject'
    | 'take-back'
    | 'steer'
    | 'recover'
    | 'link'
    | 'notify';
  /** The device, by id and name; null if there is none. */
  readonly device: string | null;
  readonly name?: string | undefined;
  readonly can?: string | undefined;
  /** Where the request came from. */
  readonly address?: string | undefined;
  /** The set or run it is about. */
  readonly id?: string | undefined;
  /** The result: `done`, or an error code. */
  readonly result: string;
  readonly reason?: string | undefined;
}

/** Not a session's name; it seeds the checksums of the log. */
const LOG_NAME = 'web-audit';

/** Appends a line to `<state>/web/audit.jsonl`, durably. Throws LOCKED, STORAGE_FAILED. */
export async function writeAudit(place: WebPlace, entry: AuditEntry): Promise<void> {
  const { tools } = place;
  const path = join(roomOf(place), 'audit.jsonl');
  await using lock = await acquireLock(tools, join(place.directory, 'audit'));
  const line = { at: timestamp(tools.clock), ...entry };
  if (JsonlLog.create(tools, path, LOG_NAME, line)) return;
  using log = JsonlLog.open(tools, path, { sessionId: LOG_NAME, lock });
  log.append(line);
}

/** A line as written, with what any device allowed to look may know. */
export interface AuditedLine {
  readonly at: string;
  readonly what: string;
  readonly name: string | null;
  readonly address: string | null;
  readonly id: string | null;
  readonly result: string;
}

/** The last lines, newest first. Damaged lines are left out: `holdfast` never repairs this log on its own. */
export function readAudit(place: WebPlace, count: number): AuditedLine[] {
  const path = join(roomOf(place), 'audit.jsonl');
  const { fileSystem } = place.tools;
  if (lookAt(fileSystem, path) === undefined) return [];
  const { records } = readLastRecords(fileSystem, path, count, { sessionId: LOG_NAME });
  return records
    .map(({ value: { at, what, name, address, id, result } }) => ({
      at: wordOf(at) ?? '',
      what: wordOf(what) ?? '',
      name: wordOf(name),
      address: wordOf(address),
      id: wordOf(id),
      result: wordOf(result) ?? '',
    }))
    .reverse();
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
