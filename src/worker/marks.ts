import { basename, join } from 'node:path';
import { count, record, text, time, type ValueOf, whole, withDefault } from '../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  judgeLife,
  type LockTools,
  listDirectory,
  ProcessRecord,
  readDocument,
  removeQuietly,
  replaceQuick,
} from '../storage/index.js';

/** `queue/workers/<token>.json`: a living worker, for people who look. Its locks say what it has taken. */
const WorkerFile = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  process: ProcessRecord,
  slots: count,
  since: time,
  command: text,
});

/** A worker at work. */
export interface WorkerView {
  readonly pid: number;
  readonly host: string;
  readonly slots: number;
  readonly since: string;
  /** The command that started it. */
  readonly command: string;
}

/** Leaves a mark that a worker is here, until disposed of. */
export function markWorker(tools: LockTools, directory: string, slots: number): Disposable {
  const { fileSystem, ids, clock, identity, command } = tools;
  ensureDirectory(fileSystem, directory);
  const path = join(directory, `${ids.token()}.json`);
  const mark: ValueOf<typeof WorkerFile> = {
    version: DOCUMENT_VERSION,
    process: identity,
    slots,
    since: clock.now().toISOString(),
    command,
  };
  replaceQuick(tools, path, JSON.stringify(WorkerFile.toDisk(mark)));
  return { [Symbol.dispose]: () => removeQuietly(fileSystem, path) };
}

/** The workers that live on this machine; removes the marks of dead ones. */
export function listWorkers({ fileSystem, identity }: LockTools, directory: string): WorkerView[] {
  return listDirectory(fileSystem, directory)
    .filter((name) => /^[0-9a-f]+\.json$/.test(basename(name)))
    .flatMap((name) => {
      const path = join(directory, name);
      const mark = readQuietly(() => readDocument(fileSystem, path, WorkerFile));
      if (mark === undefined) return [];
      if (judgeLife(fileSystem, mark.process, identity).life === 'dead') {
        removeQuietly(fileSystem, path);
        return [];
      }
      const { slots, since, command } = mark;
      return [{ pid: mark.process.pid, host: mark.process.host, slots, since, command }];
    });
}

function readQuietly<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined; // half a mark, left by a crash, says nothing about anybody
  }
}
