import { join } from 'node:path';
import {
  isHoldfastError,
  listOf,
  messageOf,
  nullable,
  record,
  text,
  time,
  timestamp,
  type ValueOf,
  whole,
  withDefault,
} from '../../../foundation/index.js';
import {
  createFile,
  DOCUMENT_VERSION,
  judgeLife,
  type LifeVerdict,
  listDirectory,
  lookAt,
  ProcessRecord,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../../storage/index.js';
import { roomOf, type WebPlace } from './web-place.js';

/** `<state>/web/servers/<token>.json`: a process that serves the page. Removed when the process ends. */
const ServerRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  process: ProcessRecord,
  /** The first one is used in links. */
  origins: listOf(text, 1),
  port: nullable(whole(1, 65_535)),
  socket: nullable(text),
  since: time,
});
type ServerRecord = Readonly<ValueOf<typeof ServerRecord>>;

/** A server that may be running. */
export interface KnownServer {
  readonly token: string;
  readonly pid: number;
  readonly origins: readonly string[];
  readonly port: number | null;
  readonly socket: string | null;
  readonly since: string;
  readonly life: LifeVerdict['life'];
}

const TOKEN = /^[0-9a-f]{32}$/;

export interface NotedServer {
  /** Calls back when this server is asked to stop. */
  onStop(stop: () => void): void;
  close(): void;
}

/** Records that this process serves the page. Throws ATOMIC_WRITE_FAILED. */
export function noteServer(
  place: WebPlace,
  facts: Pick<ServerRecord, 'origins' | 'port' | 'socket'>,
): NotedServer {
  const { tools } = place;
  const directory = roomOf(place, 'servers');
  const token = tools.ids.token();
  const [path, stopPath] = [join(directory, `${token}.json`), join(directory, `${token}.stop`)];
  const { pid, startTime, bootId, pidNamespace, timeNamespace, host } = tools.identity;
  const process = { pid, startTime, bootId, pidNamespace, timeNamespace, host };
  writeDocument(
    tools,
    path,
    { version: DOCUMENT_VERSION, process, ...facts, since: timestamp(tools.clock) },
    ServerRecord,
  );
  let watch: { close(): void } | undefined;
  return {
    onStop(stop) {
      const look = () => {
        if (lookAt(tools.fileSystem, stopPath) !== undefined) stop();
      };
      watch = tools.watcher.watch(directory, look);
      look();
    },
    close() {
      watch?.close();
      removeQuietly(tools.fileSystem, stopPath);
      removeQuietly(tools.fileSystem, path);
    },
  };
}

/** This user's servers that are not proven dead; records of dead ones are removed. */
export function listServers(place: WebPlace): KnownServer[] {
  const { fileSystem, identity, log } = place.tools;
  const directory = roomOf(place, 'servers');
  return listDirectory(fileSystem, directory).flatMap((name) => {
    const token = name.replace(/\.json$/, '');
    if (token === name || !TOKEN.test(token)) return [];
    const path = join(directory, name);
    try {
      const known = readDocument(fileSystem, path, ServerRecord);
      if (known === undefined) return [];
      const { life } = judgeLife(fileSystem, known.process, identity);
      if (life === 'dead') {
        removeQuietly(fileSystem, path);
        removeQuietly(fileSystem, join(directory, `${token}.stop`));
        return [];
      }
      const { origins, port, socket, since } = known;
      return [{ token, pid: known.process.pid, origins, port, socket, since, life }];
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      log.warn('web.server-unreadable', { path, error: messageOf(error) });
      return [];
    }
  });
}

/** Leaves a stop request for one server, by name, so that no other process can be hit. */
export function askToStop(place: WebPlace, { token }: KnownServer): void {
  createFile(place.tools, join(roomOf(place, 'servers'), `${token}.stop`), '');
}
