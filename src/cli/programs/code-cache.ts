import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/*
 * Our own code cache: what V8 compiled from one of our files, so that the next start need not parse and compile it again. V8
 * trusts such data: it checks only the length of the source, and damaged data kills the process. So V8 only gets data that is
 * ours, complete, and made from exactly this file; see docs/decisions/0151.
 */

export interface CachedModule<Exports> {
  readonly exports: Exports;
  /** Whether its code came from the cache. */
  readonly isCached: boolean;
  /** Saves what V8 has compiled by now, if that is more than was stored. Called when the command is done. Never throws. */
  save(): void;
}

/** What a module gets as `require`; see Node's documentation. */
type Require = (id: string) => unknown;

export interface CodeCacheOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The SHA-256 of the file, computed by the build. */
  readonly digest: string;
  /** Which data of the file to use: there is one per group of commands, so that none loads what only others use. */
  readonly group: string;
  /** The command within the group; if its code is not in the data yet, it is added. */
  readonly command: string;
}

/**
 * Loads one of our CommonJS files as `require` does, from cached code if there is any that can be trusted. The build has wrapped
 * it in a function, as Node does, and made it pure ASCII, so that a character is a byte.
 */
export function loadCached<Exports>(
  file: string,
  require: Require,
  options: CodeCacheOptions,
): CachedModule<Exports> {
  const { text, stamp } = readSource(file);
  const place = placeOf(file, options);
  const key = keyOf(options.digest, stamp);
  const cached = place === undefined ? undefined : readEntry(place, key);
  const script = new Script(text, { filename: file, cachedData: cached?.data });
  const module = {
    exports: {} as Exports,
    // A `vm` script cannot import without a warning from Node, so the build makes it call this instead.
    importBeside: (name: string) => import(pathToFileURL(join(dirname(file), name)).href),
  };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  const isCached = cached !== undefined && script.cachedDataRejected === false;
  return {
    exports: module.exports,
    isCached,
    save() {
      const known = isCached ? cached.commands : [];
      if (place === undefined || known.includes(options.command) || known.length >= MAX_COMMANDS) return;
      try {
        writeEntry(place, key, script.createCachedData(), [...known, options.command]);
      } catch {
        // The next start is just not faster; that is no reason to complain.
      }
    },
  };
}

/** A file and a stamp that changes whenever somebody writes to it: the digest covers only the file as built. */
function readSource(file: string): { text: string; stamp: readonly unknown[] } {
  const descriptor = openSync(file, constants.O_RDONLY);
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = fstatSync(descriptor);
    const text = readBytes(descriptor, size).toString('latin1');
    return { text, stamp: [file, dev, ino, size, mtimeMs, ctimeMs] };
  } finally {
    closeSync(descriptor);
  }
}

const MAX_COMMANDS = 16;
const MAX_HEADER_BYTES = 4_096;
const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
/** Entries of several releases and Node versions; the oldest are removed first. */
const MAX_ENTRIES = 32;

interface Place {
  readonly directory: string;
  readonly name: string;
}

/** Where the data of a file belongs; undefined if there should be none. */
function placeOf(file: string, { environment, group }: CodeCacheOptions): Place | undefined {
  const directory = codeCacheDirectory(environment);
  if (directory === undefined || process.getuid === undefined) return undefined;
  const name = `${basename(file, '.cjs')}-${group}-${process.version}-${process.arch}-${shortName(file)}`;
  return { directory, name };
}

/** Decided by the environment alone: the configuration is not read yet, and this must not depend on it. */
function codeCacheDirectory(environment: CodeCacheOptions['environment']): string | undefined {
  const { HOLDFAST_CODE_CACHE: own, HOLDFAST_HOME: home, XDG_CACHE_HOME: cache, HOME: user } = environment;
  if (own) return isAbsolute(own) ? own : undefined;
  if (home) return isAbsolute(home) ? join(home, 'cache', 'code') : undefined;
  if (process.platform !== 'darwin' && cache && isAbsolute(cache)) return join(cache, 'holdfast', 'code');
  if (!user || !isAbsolute(user)) return undefined;
  const below = process.platform === 'darwin' ? join('Library', 'Caches') : '.cache';
  return join(user, below, 'holdfast', 'code');
}

/** Keeps the data of two installations apart. It only makes names; the content is checked separately. */
function shortName(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** The start of every entry: data of another file, Node, V8, machine or set of flags is not ours. */
function keyOf(digest: string, stamp: readonly unknown[]): string {
  const { version, versions, arch, platform, execArgv, env } = process;
  const made = [digest, stamp, version, versions.v8, arch, platform, execArgv, env.NODE_OPTIONS ?? ''];
  return `holdfast-code-1 ${JSON.stringify(made)} `;
}

interface Entry {
  readonly commands: readonly string[];
  readonly data: Buffer;
}

/**
 * An entry is a line and then the data twice, which reveals damage. Comparing bytes costs next to nothing; a digest would load
 * `node:crypto`, which takes a twentieth of a start.
 */
function readEntry({ directory, name }: Place, key: string): Entry | undefined {
  let bytes: Buffer;
  try {
    if (!isOurs(lstatSync(directory), 'isDirectory')) return undefined;
    bytes = readOwnFile(join(directory, name));
  } catch {
    return undefined; // there is none, or none that we may read
  }
  const start = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(0x0a) + 1;
  const header = bytes.toString('latin1', 0, Math.max(0, start - 1));
  if (!header.startsWith(key)) return undefined;
  const [length, ...commands] = header.slice(key.length).split(',');
  const size = Number(length);
  if (!Number.isSafeInteger(size) || size <= 0 || bytes.length !== start + 2 * size) return undefined;
  const data = bytes.subarray(start, start + size);
  return bytes.subarray(start + size).equals(data) ? { commands, data } : undefined;
}

/** Throws if it is not a file of this user alone, or is reached through a link. */
function readOwnFile(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (!isOurs(stat, 'isFile') || stat.size > MAX_ENTRY_BYTES) throw new Error(`Not ours: ${path}`);
    return readBytes(descriptor, stat.size);
  } finally {
    closeSync(descriptor);
  }
}

/** At most this many bytes of a file; fewer if it ends sooner. */
function readBytes(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(descriptor, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}

/** Whether it belongs to this user, and nobody else may read or write it. */
function isOurs(
  stat: { readonly uid: number; readonly mode: number; isFile(): boolean; isDirectory(): boolean },
  type: 'isFile' | 'isDirectory',
): boolean {
  return stat[type]() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

/**
 * Writes next to its place and then moves it there, so that readers always get one whole entry. Not synced: an entry torn by a
 * power failure is recognized as incomplete. Throws if it cannot be written.
 */
function writeEntry(
  { directory, name }: Place,
  key: string,
  data: Buffer,
  commands: readonly string[],
): void {
  const header = Buffer.from(`${key}${[data.length, ...commands].join(',')}\n`, 'latin1');
  const entry = Buffer.concat([header, data, data]);
  if (header.length > MAX_HEADER_BYTES || entry.length > MAX_ENTRY_BYTES) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!isOurs(lstatSync(directory), 'isDirectory')) return;
  const temporary = join(directory, `.${name}.${process.pid}`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      for (let at = 0; at < entry.length; ) at += writeSync(descriptor, entry, at);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, join(directory, name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  removeOldest(directory);
}

function removeOldest(directory: string): void {
  const names = readdirSync(directory);
  if (names.length <= MAX_ENTRIES) return;
  const byAge = names
    .map((name) => ({ path: join(directory, name), time: lstatSync(join(directory, name)).mtimeMs }))
    .sort((one, other) => one.time - other.time);
  for (const { path } of byAge.slice(0, names.length - MAX_ENTRIES)) rmSync(path, { force: true });
}
