import { type FileSystem, readFile, systemCode } from '../storage/index.js';

/** A process as /proc tells it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly parentPid: number;
  readonly group: number;
  /** Clock ticks since boot: with the pid, what tells it from every other process. */
  readonly startTime: string;
}

/** The environment variable that marks every process of a program and is inherited by all it starts. */
export const MARKER_NAME = 'HOLDFAST_MARKER';

/** One process, or undefined when it is gone. */
export function findProcess(fileSystem: FileSystem, pid: number): ProcessEntry | undefined {
  const stat = readQuietly(fileSystem, `/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name may hold spaces and parentheses, so count from the last one that closes.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parentPid = '', group = ''] = fields;
  return { pid, state, parentPid: Number(parentPid), group: Number(group), startTime: fields[19] ?? '' };
}

/** Every living process that carries this marker in the environment it was started with. */
export function findMarked(fileSystem: FileSystem, marker: string): ProcessEntry[] {
  const needle = `${MARKER_NAME}=${marker}`;
  const found: ProcessEntry[] = [];
  for (const name of fileSystem.list('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    if (pid === process.pid || !carries(fileSystem, pid, needle)) continue;
    const entry = findProcess(fileSystem, pid);
    if (entry !== undefined && isAlive(entry)) found.push(entry);
  }
  return found;
}

/** Whether a process still is the one that was found before, and still carries the marker. */
export function isStill(fileSystem: FileSystem, entry: ProcessEntry, marker: string): boolean {
  const now = findProcess(fileSystem, entry.pid);
  return (
    now?.startTime === entry.startTime &&
    isAlive(now) &&
    carries(fileSystem, entry.pid, `${MARKER_NAME}=${marker}`)
  );
}

/** A zombie has ended; it only waits to be reaped. */
export function isAlive(entry: ProcessEntry): boolean {
  return entry.state !== 'Z' && entry.state !== 'X';
}

/** Whether a process runs; one that only waits to be reaped does not. */
export function isRunning(fileSystem: FileSystem, pid: number): boolean {
  const entry = findProcess(fileSystem, pid);
  return entry === undefined ? process.platform !== 'linux' && isSignalable(pid) : isAlive(entry);
}

/** Where there is no /proc. */
function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function carries(fileSystem: FileSystem, pid: number, needle: string): boolean {
  const environment = readQuietly(fileSystem, `/proc/${pid}/environ`);
  return environment?.split('\0').includes(needle) ?? false;
}

/** A process that ends, or belongs to somebody else, while we look is simply not ours. */
function readQuietly(fileSystem: FileSystem, path: string): string | undefined {
  try {
    return readFile(fileSystem, path);
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (['ESRCH', 'EACCES', 'EPERM', 'ENOENT'].includes(systemCode(cause) ?? '')) return undefined;
    throw error;
  }
}
