import { type FileSystem, readFile, systemCode } from '../storage/index.js';

/** A process as reported by /proc. */
export interface ProcessEntry {
  readonly pid: number;
  /** The name it gives itself, at most 15 bytes. */
  readonly name: string;
  readonly state: string;
  readonly parentPid: number;
  readonly group: number;
  readonly session: number;
  /** Whether it has a terminal, like anything a person started at one. */
  readonly hasTerminal: boolean;
  /** Clock ticks since boot; together with the pid it distinguishes this process from every other. */
  readonly startTime: string;
}

/** Every process on the machine at one moment, by pid. */
export type ProcessTable = ReadonlyMap<number, ProcessEntry>;

/** The environment variable that marks every process of a program; everything it starts inherits it. */
export const MARKER_NAME = 'HOLDFAST_MARKER';

/** One scan of all processes, or of those from a pid on; empty if there is no /proc. */
export function readProcessTable(fileSystem: FileSystem, fromPid = 0): ProcessTable {
  const table = new Map<number, ProcessEntry>();
  for (const pid of pidsIn(fileSystem)) {
    const entry = pid < fromPid ? undefined : findProcess(fileSystem, pid);
    if (entry !== undefined) table.set(pid, entry);
  }
  return table;
}

/** No machine starts more processes than this per millisecond, or more than `MAX_BORN_AT_ONCE` at once. */
const MAX_BORN_PER_MS = 20;
const MAX_BORN_AT_ONCE = 1_000;

/**
 * The lowest pid of anything that a process can have started since it began this long ago. The system assigns pids in
 * order and wraps at the highest. If it may have wrapped since, every pid is possible and the result is 0. See
 * docs/decisions/0275.
 */
export function lowestPidSince(fileSystem: FileSystem, pid: number, agoMs: number): number {
  const highest = Number(readFile(fileSystem, '/proc/sys/kernel/pid_max') ?? 0);
  return pid + MAX_BORN_AT_ONCE + agoMs * MAX_BORN_PER_MS < highest ? pid : 0;
}

/** One process, or undefined if it is gone. */
export function findProcess(fileSystem: FileSystem, pid: number): ProcessEntry | undefined {
  const stat = readOfProcess(fileSystem, pid, 'stat');
  if (stat === undefined) return undefined;
  // The command name may contain spaces and parentheses, so count from the last closing one.
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ', 20);
  const [state = '', parentPid = '', group = '', session = '', terminal = '0'] = fields;
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    state,
    parentPid: Number(parentPid),
    group: Number(group),
    session: Number(session),
    hasTerminal: terminal !== '0',
    startTime: fields[19] ?? '',
  };
}

/** Every living process that carries this marker in the environment it was started with. */
export function findMarked(fileSystem: FileSystem, marker: string, name = MARKER_NAME): ProcessEntry[] {
  const found: ProcessEntry[] = [];
  for (const pid of pidsIn(fileSystem)) {
    if (pid === process.pid || !carriesMarker(fileSystem, pid, marker, name)) continue;
    const entry = findProcess(fileSystem, pid);
    if (entry !== undefined && isAlive(entry)) found.push(entry);
  }
  return found;
}

/** Whether a process is still the one that was found before. */
export function isStill(fileSystem: FileSystem, entry: Pick<ProcessEntry, 'pid' | 'startTime'>): boolean {
  const now = findProcess(fileSystem, entry.pid);
  return now?.startTime === entry.startTime && isAlive(now);
}

/** The running processes that another one started, each with its command line as one text. */
export function runningChildren(
  fileSystem: FileSystem,
  parentPid: number | undefined,
): { readonly pid: number; readonly words: string }[] {
  if (parentPid === undefined) return [];
  return [...readProcessTable(fileSystem).values()]
    .filter((entry) => entry.parentPid === parentPid && isAlive(entry))
    .map(({ pid }) => ({ pid, words: commandLineOf(fileSystem, pid) }));
}

/** The words a process was started with; empty if they cannot be seen. */
export function commandLineOf(fileSystem: FileSystem, pid: number): string {
  return readOfProcess(fileSystem, pid, 'cmdline')?.replaceAll('\0', ' ') ?? '';
}

/** A zombie has already ended; it is only waiting to be reaped. */
export function isAlive(entry: ProcessEntry): boolean {
  return entry.state !== 'Z' && entry.state !== 'X';
}

/** Whether a process is running; one that is only waiting to be reaped is not. */
export function isRunning(fileSystem: FileSystem, pid: number): boolean {
  const entry = findProcess(fileSystem, pid);
  return entry === undefined ? process.platform !== 'linux' && isSignalable(pid) : isAlive(entry);
}

/** For systems without /proc. */
function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function carriesMarker(
  fileSystem: FileSystem,
  pid: number,
  marker: string,
  name = MARKER_NAME,
): boolean {
  return environmentOf(fileSystem, pid)?.includes(`${name}=${marker}`) ?? false;
}

/** The variables a process was started with, as it shows them; undefined if we may not look. */
export function environmentOf(fileSystem: FileSystem, pid: number): string[] | undefined {
  return readOfProcess(fileSystem, pid, 'environ')?.split('\0');
}

/** A process that ends while we look, or belongs to another user, is simply not ours. */
export function readOfProcess(
  fileSystem: FileSystem,
  pid: number | 'self',
  file: 'stat' | 'environ' | 'cgroup' | 'cmdline',
): string | undefined {
  try {
    return readFile(fileSystem, `/proc/${pid}/${file}`);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (['ESRCH', 'EACCES', 'EPERM', 'ENOENT'].includes(systemCode(cause) ?? '')) return undefined;
    throw error;
  }
}

function pidsIn(fileSystem: FileSystem): number[] {
  if (process.platform !== 'linux') return [];
  return fileSystem
    .list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
