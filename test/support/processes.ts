import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { nodeFileSystem, ownIdentity, type ProcessIdentity } from '../../src/storage/index.js';
import { WAIT_MS } from './deadlines.js';

/** What /proc says about a process: its state letter and start time; undefined if it is gone. */
export function processFacts(pid: number): { state: string; startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** The identity of a process that was alive a moment ago and is gone. */
export async function deadIdentity(): Promise<ProcessIdentity> {
  const child = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  const pid = pidOf(child);
  const startTime = processFacts(pid)?.startTime ?? null;
  child.stdin?.end();
  await once(child, 'exit');
  return { ...ownIdentity(nodeFileSystem), pid, startTime };
}

/** Another process, alive until disposed of. */
export async function livingIdentity(): Promise<ProcessIdentity & Disposable> {
  const child = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  const pid = pidOf(child);
  const startTime = processFacts(pid)?.startTime ?? null;
  const end = () => child.stdin?.end();
  return { ...ownIdentity(nodeFileSystem), pid, startTime, [Symbol.dispose]: () => void end() };
}

/** A process that has ended but whose parent does not reap it. */
export async function zombie(): Promise<ProcessIdentity & Disposable> {
  const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  if (parent.stdout === null) throw new Error('no output');
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
  const pid = Number(line);
  // A shell would reap its child; the program that replaces it does not.
  await until(() => readFileSync(`/proc/${pidOf(parent)}/comm`, 'utf8').trim() === 'cat');
  process.kill(pid, 'SIGKILL');
  await until(() => processFacts(pid)?.state === 'Z');
  return {
    ...ownIdentity(nodeFileSystem),
    pid,
    startTime: processFacts(pid)?.startTime ?? null,
    [Symbol.dispose]: () => parent.kill('SIGKILL'),
  };
}

/**
 * Checks repeatedly until something is true: often at first, since most things take only a moment, then less and less.
 * Never uses more than a fifth of the time, so that waiting does not slow down what it is waiting for.
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const begunMs = performance.now();
  for (;;) {
    const lookMs = performance.now();
    if (await isSo()) return;
    const nowMs = performance.now();
    const waitedMs = nowMs - begunMs;
    if (waitedMs > WAIT_MS) throw new Error(`never so, in ${WAIT_MS / 1_000} s: ${isSo}`);
    const pauseMs = Math.max(waitedMs / 5, (nowMs - lookMs) * 4);
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, MAX_PAUSE_MS)));
  }
}

const MAX_PAUSE_MS = 100;

export function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process did not start');
  return child.pid;
}

/** Kills everything alive here until nothing is left: a killed process may have started another one since we looked. */
export async function endAll(directory: string): Promise<void> {
  await until(() => {
    const left = living(directory);
    for (const pid of left) killQuietly(pid);
    return left.length === 0;
  });
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended while we looked.
  }
}

/** The ids of living processes with a word in their environment or command line. */
export function living(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      try {
        return (
          ['environ', 'cmdline'].some((file) => read(file).includes(word)) && !/\) [ZX] /.test(read('stat'))
        );
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

/**
 * The ids of living processes of a program that refer to a directory. For a moment, a process that one of them has
 * forked still looks like that program; those are left out.
 */
export function livingIn(directory: string, program: string): number[] {
  const here = new Set(living(directory));
  const found = living(program).filter((pid) => here.has(pid));
  return found.filter((pid) => !found.includes(parentOf(pid)));
}

/** -1 if it is gone. */
export function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return -1;
  }
}

/** Lets the clock advance: things made in the same millisecond have no order. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  await until(() => Date.now() > now);
}
