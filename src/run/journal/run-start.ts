import { type FileSystem, scanLog } from '../../storage/index.js';
import type { RunEvent } from './events.js';
import { journalPlace } from './journal-place.js';

export type RunStartEvent = Extract<RunEvent, { type: 'run-start' }>;

/** How a run began, from the first lines of its journal; undefined if it has none. Throws STORAGE_FAILED. */
export function readRunStart(
  fileSystem: FileSystem,
  runs: string,
  sessionId: string,
): RunStartEvent | undefined {
  const { path } = journalPlace(runs, sessionId);
  for (const found of scanLog(fileSystem, path, { sessionId, chunkBytes: FIRST_BYTES })) {
    if (found.kind === 'record' && found.value.type === 'run-start')
      return found.value as unknown as RunStartEvent;
    if (found.offset > FIRST_BYTES) break;
  }
  return undefined;
}

/** It is the first event after the line that says what this file is. */
const FIRST_BYTES = 16 * 1_024;
