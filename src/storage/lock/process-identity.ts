import { hostname } from 'node:os';
import { nullable, optional, record, text, type ValueOf, whole } from '../../foundation/index.js';
import { readFile } from '../bytes/atomic-file.js';
import { type FileSystem, systemCode } from '../bytes/file-system.js';
import { StorageError } from '../errors.js';

/** The keys that describe a process in every record that names one. */
export const PROCESS_KEYS = {
  pid: whole(1),
  /** When it started, in clock ticks since boot; null if the system does not say. */
  startTime: nullable(text),
  bootId: nullable(text),
  pidNamespace: nullable(text),
  /** Start times are shifted by this namespace. Records of earlier releases lack it. */
  timeNamespace: optional(nullable(text)),
  host: text,
};

export const ProcessRecord = record(PROCESS_KEYS);

/** What distinguishes one process from every other, even after its pid was reused. */
export type ProcessIdentity = Readonly<ValueOf<typeof ProcessRecord>>;

/** Whether a process exists, and how we know. `unknown` counts as alive for every decision. */
export interface LifeVerdict {
  readonly life: 'alive' | 'dead' | 'unknown';
  readonly reason: string;
}

/** The identity of this process. It costs five small reads, made on first use. */
export function ownIdentity(fileSystem: FileSystem): ProcessIdentity {
  let known: ProcessIdentity | undefined;
  const identity = () => {
    known ??= readOwnIdentity(fileSystem);
    return known;
  };
  return {
    pid: process.pid,
    get startTime() {
      return identity().startTime;
    },
    get bootId() {
      return identity().bootId;
    },
    get pidNamespace() {
      return identity().pidNamespace;
    },
    get timeNamespace() {
      return identity().timeNamespace;
    },
    get host() {
      return identity().host;
    },
  };
}

function readOwnIdentity(fileSystem: FileSystem): ProcessIdentity {
  const isLinux = process.platform === 'linux';
  return {
    pid: process.pid,
    startTime: isLinux ? (readProcess(fileSystem, 'self')?.startTime ?? null) : null,
    bootId: isLinux ? (readFile(fileSystem, '/proc/sys/kernel/random/boot_id')?.trim() ?? null) : null,
    pidNamespace: isLinux ? readNamespace(fileSystem, 'pid') : null,
    timeNamespace: isLinux ? readNamespace(fileSystem, 'time') : null,
    host: hostname(),
  };
}

/**
 * Judges whether a process that recorded its identity is gone. Death needs proof: the same host, and either an older
 * boot, or the same pid namespace and a pid that is gone, is a zombie, or has another start time as seen from the same
 * time namespace.
 */
export function judgeLife(
  fileSystem: FileSystem,
  other: ProcessIdentity,
  self: ProcessIdentity,
): LifeVerdict {
  if (other.host !== self.host)
    return unknown(`it runs on host ${other.host}, which cannot be seen from here`);
  if (other.bootId !== null && self.bootId !== null && other.bootId !== self.bootId) {
    return dead('the machine was restarted');
  }
  if (other.pidNamespace !== self.pidNamespace) {
    return unknown('it runs in another pid namespace, which cannot be seen from here');
  }
  return self.pidNamespace === null ? judgeByProbe(other) : judgeByProc(fileSystem, other, self);
}

function judgeByProc(fileSystem: FileSystem, other: ProcessIdentity, self: ProcessIdentity): LifeVerdict {
  const found = readProcess(fileSystem, String(other.pid));
  const verdict = found === undefined ? judgeByProbe(other) : judgeByFacts(found, other, self);
  if (verdict.life !== 'dead') return verdict;
  // A /proc that does not know us belongs to another namespace and proves nothing.
  return readProcess(fileSystem, String(self.pid))?.startTime === self.startTime
    ? verdict
    : unknown('/proc does not show the processes of this namespace');
}

function judgeByFacts(
  found: { state: string; startTime: string },
  other: ProcessIdentity,
  self: ProcessIdentity,
): LifeVerdict {
  if (found.state === 'Z' || found.state === 'X') return dead(`process ${other.pid} has ended`);
  if (other.startTime !== null && found.startTime !== other.startTime) {
    return seesSameTimes(other, self)
      ? dead(`process ${other.pid} is gone: its number now belongs to another process`)
      : unknown(`process ${other.pid} was started in another time namespace, so it may be the same one`);
  }
  return { life: 'alive', reason: `process ${other.pid} is running` };
}

/** Of the processes that did not record it, nearly all were in the machine's initial namespace. */
function seesSameTimes(other: ProcessIdentity, self: ProcessIdentity): boolean {
  const namespace = other.timeNamespace === undefined ? INITIAL_TIME_NAMESPACE : other.timeNamespace;
  return namespace === self.timeNamespace || self.timeNamespace === null;
}

const INITIAL_TIME_NAMESPACE = 'time:[4026531834]';

function judgeByProbe(other: ProcessIdentity): LifeVerdict {
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return dead(`process ${other.pid} is gone`);
  }
  return unknown(`process ${other.pid} may still be running`);
}

function readProcess(fileSystem: FileSystem, pid: string): { state: string; startTime: string } | undefined {
  const stat = readStat(fileSystem, `/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name may contain spaces and parentheses, so count from the last closing one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
}

function readStat(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return readFile(fileSystem, path);
  } catch (error) {
    // Gone between open and read, or hidden from us: asking for the pid itself shows which.
    const code = error instanceof StorageError ? systemCode(error.cause) : undefined;
    if (code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

function readNamespace(fileSystem: FileSystem, kind: 'pid' | 'time'): string | null {
  try {
    return fileSystem.readLink(`/proc/self/ns/${kind}`);
  } catch {
    // Without a pid namespace no death can be proven by pid, so everything counts as held. Old kernels have no time namespaces.
    return null;
  }
}

function dead(reason: string): LifeVerdict {
  return { life: 'dead', reason };
}

function unknown(reason: string): LifeVerdict {
  return { life: 'unknown', reason };
}
