import { relative, sep } from 'node:path';
import type { FileSystem } from '../storage/index.js';
import type { Family } from './family.js';
import {
  environmentOf,
  isAlive,
  MARKER_NAME,
  type ProcessEntry,
  type ProcessTable,
  readOfProcess,
} from './process-table.js';

/** A process that the program may have left behind. */
export interface LeftProcess {
  readonly pid: number;
  readonly name: string;
}

/** The directory and environment that a program was started with. */
export interface Surroundings {
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Marks what we start to outlive us, so it does not count as an escape. */
export const DETACHED_NAME = 'HOLDFAST_DETACHED';

/**
 * Processes that cannot be attributed to anyone and that a program, now gone, may have started. They were born during
 * its life, are ours by user and control group, and have no living parent. They have no terminal (what we start has
 * none; a shell that a person opens has one). Their environment is wiped, or is the program's without its marker. They
 * are reported, never ended.
 */
export function findEscapes(
  fileSystem: FileSystem,
  table: ProcessTable,
  family: Family,
  around: Surroundings,
): LeftProcess[] {
  const adopters = ancestorsOf(table, process.pid);
  const group = readOfProcess(fileSystem, 'self', 'cgroup');
  return [...table.values()]
    .filter((entry) => isAlive(entry) && entry.pid !== process.pid && adopters.has(entry.parentPid))
    .filter(({ hasTerminal }) => !hasTerminal)
    .filter((entry) => Number(entry.startTime) >= Number(family.leader.startTime))
    .filter((entry) => !adopters.has(entry.pid) && isOfOurUser(fileSystem, entry))
    .filter(({ pid }) => readOfProcess(fileSystem, pid, 'cgroup') === group)
    .filter((entry) => isUnaccounted(fileSystem, entry, around))
    .map(({ pid, name }) => ({ pid, name }));
}

/** The processes that may adopt orphans of this process: the first process, or a subreaper among its ancestors. */
function ancestorsOf(table: ProcessTable, from: number): Set<number> {
  const found = new Set([1]);
  let at = table.get(from)?.parentPid ?? 0;
  while (at > 0 && !found.has(at)) {
    found.add(at);
    at = table.get(at)?.parentPid ?? 0;
  }
  return found;
}

function isOfOurUser(fileSystem: FileSystem, { pid }: ProcessEntry): boolean {
  try {
    return fileSystem.look(`/proc/${pid}`)?.uid === process.getuid?.();
  } catch {
    return false; // gone meanwhile
  }
}

function isUnaccounted(fileSystem: FileSystem, { pid }: ProcessEntry, around: Surroundings): boolean {
  const variables = environmentOf(fileSystem, pid);
  if (variables === undefined) return false;
  if (variables.some((line) => line.startsWith(`${MARKER_NAME}=`) || line.startsWith(`${DETACHED_NAME}=`)))
    return false;
  const home = variables.find((line) => line.startsWith('HOME='));
  if (home === undefined) return true;
  return home === `HOME=${around.environment.HOME}` && isIn(fileSystem, pid, around.workingDirectory);
}

function isIn(fileSystem: FileSystem, pid: number, directory: string): boolean {
  try {
    const inside = relative(fileSystem.resolve(directory), fileSystem.readLink(`/proc/${pid}/cwd`));
    return inside !== '..' && !inside.startsWith(`..${sep}`);
  } catch {
    return false; // gone meanwhile
  }
}
