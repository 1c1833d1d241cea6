import { type Codec, messageOf } from '../foundation/index.js';
import { DocumentDamagedError, type LockTools, readDocument, setAside } from '../storage/index.js';

/** Reads a file of an account. One that cannot be read is logged and set aside, and counts as absent: it must not stop a run. */
export function readOrSetAside<Document>(
  tools: LockTools,
  path: string,
  codec: Codec<Document>,
): Document | undefined {
  try {
    return readDocument(tools.fileSystem, path, codec);
  } catch (error) {
    tools.log.warn('account.file-unreadable', { path, error: messageOf(error) });
    if (error instanceof DocumentDamagedError) trySetAside(tools, path);
    return undefined;
  }
}

function trySetAside(tools: LockTools, path: string): void {
  try {
    setAside(tools, path);
  } catch (error) {
    tools.log.warn('account.file-not-set-aside', { path, error: messageOf(error) });
  }
}
