import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isUuidV4 } from '../../foundation/index.js';

const FILE = 'events.jsonl';

/**
 * Where the journal of a session is. The id comes from a file in the project, so anything but a UUID never becomes part of a
 * path.
 */
export function journalPlace(runs: string, sessionId: string): { directory: string; path: string } {
  const directory = join(runs, isUuidV4(sessionId) ? sessionId.toLowerCase() : nameFor(sessionId));
  return { directory, path: join(directory, FILE) };
}

function nameFor(sessionId: string): string {
  return `other-${createHash('sha256').update(sessionId).digest('hex').slice(0, 32)}`;
}
