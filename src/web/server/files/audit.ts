import { join } from 'node:path';
import { timestamp } from '../../../foundation/index.js';
import { acquireLock, JsonlLog } from '../../../storage/index.js';
import { roomOf, type WebPlace } from './place.js';

/** What was done through the page, and by whom. Never what was said, and nothing of a secret. */
export interface AuditEntry {
  readonly what:
    | 'sign-in'
    | 'sign-in-refused'
    | 'sign-out'
    | 'revoked'
    | 'answer'
    | 'reject'
    | 'steer'
    | 'recover'
    | 'link';
  /** The device, by id and name; null where there is none. */
  readonly device: string | null;
  readonly name?: string | undefined;
  readonly can?: string | undefined;
  /** Where the request came from. */
  readonly address?: string | undefined;
  /** The set or run that it is about. */
  readonly id?: string | undefined;
  /** What came of it: `done`, or the code of an error. */
  readonly result: string;
  readonly reason?: string | undefined;
}

/** Not of a session; it seeds the checksums of the log. */
const LOG_NAME = 'web-audit';

/** Writes a line of `<state>/web/audit.jsonl`, durably. Throws LOCKED, STORAGE_FAILED. */
export async function writeAudit(place: WebPlace, entry: AuditEntry): Promise<void> {
  const { tools } = place;
  const path = join(roomOf(place), 'audit.jsonl');
  await using lock = await acquireLock(tools, join(place.directory, 'audit'));
  const line = { at: timestamp(tools.clock), ...entry };
  if (JsonlLog.create(tools, path, LOG_NAME, line)) return;
  using log = JsonlLog.open(tools, path, { sessionId: LOG_NAME, lock });
  log.append(line);
}
