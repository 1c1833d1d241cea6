import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createConnection } from 'node:net';
import { dirname } from 'node:path';
import {
  ensureDirectory,
  type FileSystem,
  lookAt,
  removeQuietly,
  systemCode,
  UnsafePathError,
} from '../../storage/index.js';
import { SocketTakenError } from './errors.js';
import type { Reach } from './gate/reach.js';

/** Something that listens for us. */
export type Listener = Server;

/** Limits how long a slow sender is waited for, and the number of connections. */
const SERVER = {
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};
const MAX_CONNECTIONS = 512;
const TRIES = 10;

/** Listens on this machine's own addresses, and on a requested one. Throws the system's EADDRINUSE. */
export async function listenOnPort(reach: Reach, port: number, answer: RequestListener): Promise<Listener[]> {
  for (let tries = 1; ; tries += 1) {
    const open: Listener[] = [];
    try {
      const first = await listen(reach, answer, { host: '127.0.0.1', port });
      open.push(first);
      const chosen = portOf(first);
      const sixth = await listen(reach, answer, { host: '::1', port: chosen }).catch(unlessWithout);
      if (sixth !== undefined) open.push(sixth);
      const { bind } = reach;
      if (bind !== undefined && bind !== '127.0.0.1' && bind !== '::1')
        open.push(await listen(reach, answer, { host: bind, port: chosen, ipv6Only: true }));
      return open;
    } catch (error) {
      for (const one of open) one.close();
      // Any port will do if it is free for both kinds of addresses.
      if (port !== 0 || systemCode(error) !== 'EADDRINUSE' || tries === TRIES) throw error;
    }
  }
}

export function portOf(listener: Listener): number {
  return (listener.address() as AddressInfo).port;
}

/** Listens on a socket that only this user can open, in their own directory. Throws UNSAFE_PATH, PORT_TAKEN, STORAGE_FAILED. */
export async function listenOnSocket(
  fileSystem: FileSystem,
  path: string,
  answer: RequestListener,
): Promise<Listener> {
  ensureDirectory(fileSystem, dirname(path));
  const there = lookAt(fileSystem, path);
  if (there !== undefined) {
    if (there.kind !== 'other') throw new UnsafePathError(path, 'something is there already');
    if (await isAnswered(path)) throw new SocketTakenError(path);
    removeQuietly(fileSystem, path); // left behind by a killed server
  }
  // It must not be open to others even for a moment.
  const before = process.umask(0o177);
  try {
    return await listen({ behind: [] }, answer, { path });
  } finally {
    process.umask(before);
  }
}

/** Ends a listener with all its connections. */
export function stopListening(listener: Listener): Promise<void> {
  return new Promise((resolve) => {
    listener.close(() => resolve());
    listener.closeIdleConnections();
    setImmediate(() => listener.closeAllConnections());
  });
}

function listen(
  { tls }: Pick<Reach, 'tls' | 'behind'>,
  answer: RequestListener,
  where: { host: string; port: number; ipv6Only?: boolean } | { path: string },
): Promise<Listener> {
  const server =
    tls === undefined
      ? createServer(SERVER, answer)
      : createSecureServer({ ...SERVER, cert: tls.certificate, key: tls.key }, answer);
  server.maxConnections = MAX_CONNECTIONS;
  // Input that is not even a request gets no answer, since that answer would lack our headers.
  server.on('clientError', (_error, socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server
      .once('error', reject)
      .listen({ ...where, exclusive: true }, () => resolve(server.off('error', reject)));
  });
}

/** Machines without IPv6 have one address fewer. */
function unlessWithout(error: unknown): undefined {
  const code = systemCode(error);
  if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error;
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
