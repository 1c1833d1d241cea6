import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deadIdentity, processFacts, until } from '../../test/support/processes.js';
import { programTools } from '../../test/support/program-world.js';
import { RecordingLog } from '../../test/support/recording-log.js';
import { storageTools } from '../../test/support/storage-tools.js';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { nodeFileSystem } from '../storage/index.js';
import { Family } from './family.js';
import type { ProcessEntry, ProcessTable } from './process-table.js';
import { type Program, startProgram } from './program.js';
import { ProgramRegistry } from './registry.js';

const AT_ONCE = { graceMs: 0, termMs: 0 };

describe('the processes of an agent', () => {
  it.each([
    ['has wiped its environment', 'env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 987" & wait'],
    [
      'has wiped its environment in a session of its own',
      'setsid env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 987" & wait',
    ],
  ])('include one that %s, and it ends with them', async (_what, script) => {
    await using dir = await tempDir();
    const { program } = await startAgent(dir, script);
    const pid = await written(dir);
    const exit = await program.stop(AT_ONCE);
    await until(() => !isThere(pid));
    expect(exit.leftBehind).toBeUndefined();
  });

  it('that nobody can know any more are told, and left alone', async () => {
    await using dir = await tempDir();
    const log = new RecordingLog();
    // The parent is gone before anyone could look, and the control group is not used here.
    const { program } = await startAgent(dir, DAEMON, { isGrouped: false, log });
    const pid = await written(dir);
    const exit = await program.stop(AT_ONCE);
    try {
      expect(exit.leftBehind).toContainEqual({ pid, name: 'sleep' });
      expect(log.named('program.left-behind')).toHaveLength(1);
      expect(isThere(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('cannot leave their control group, or are told where none can be made', async () => {
    await using dir = await tempDir();
    const { program, tools } = await startAgent(dir, DAEMON);
    const path = tools.registry.groupOf(program.marker)?.path ?? '';
    const groupOf = (pid: number | 'self') => readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    expect(groupOf('self')).not.toContain(program.marker);
    const pid = await written(dir);
    const isGrouped = groupOf(pid).includes(program.marker);
    const exit = await program.stop(AT_ONCE);
    if (!isGrouped) {
      expect(exit.leftBehind).toMatchObject([{ pid }]);
      process.kill(pid, 'SIGKILL');
      return;
    }
    await until(() => !isThere(pid));
    expect(exit.leftBehind).toBeUndefined();
    await until(() => !existsSync(path));
  });

  it('that lost the marker are found by the next start after a kill', async () => {
    await using dir = await tempDir();
    const identity = await deadIdentity();
    const registry = new ProgramRegistry({ ...storageTools(), identity }, dir.at('programs'));
    const { program } = await startAgent(
      dir,
      'setsid env -i /bin/sh -c "echo \\$\\$ > pid; exec sleep 987" & wait',
      {
        isGrouped: false,
        registry,
      },
    );
    const pid = await written(dir);
    const record = () => JSON.parse(readFileSync(dir.at('programs', `${program.marker}.json`), 'utf8'));
    await until(async () => {
      await setTimeout(10);
      registry.sign();
      return record().unmarked?.some((known: { pid: number }) => known.pid === pid) === true;
    });
    const { ended } = programTools(dir.at('programs')).registry.endOrphans();
    expect(ended.map((one) => one.pid)).toContain(pid);
    await program.stop(AT_ONCE);
    expect(readdirSync(dir.at('programs'))).toEqual([]);
  });
});

describe('a family', () => {
  const entry = (pid: number, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
    pid,
    name: 'x',
    state: 'S',
    parentPid: 1,
    group: pid,
    session: pid,
    hasTerminal: false,
    startTime: '500',
    ...more,
  });
  const table = (...entries: ProcessEntry[]): ProcessTable => new Map(entries.map((one) => [one.pid, one]));
  // No such processes exist, so their environment cannot be read.
  const [LEADER, CHILD, OTHER, LATE] = [9_000_001, 9_000_002, 9_000_003, 9_000_004];
  const learn = (family: Family, ...entries: ProcessEntry[]) =>
    family.learn(nodeFileSystem, table(...entries)).map(({ pid }) => pid);
  const family = () => new Family('m', { pid: LEADER, startTime: '500' });

  it('keeps a process that it has seen, wherever it goes', () => {
    const kin = family();
    expect(learn(kin, entry(LEADER), entry(CHILD, { parentPid: LEADER }))).toEqual([LEADER, CHILD]);
    expect(learn(kin, entry(CHILD), entry(OTHER, { parentPid: CHILD }))).toEqual([CHILD, OTHER]);
    expect(kin.unmarked.map(({ pid }) => pid)).toEqual([CHILD, OTHER]);
  });

  it('includes every process in a session that it has seen, once its leader is gone', () => {
    const kin = family();
    learn(kin, entry(LEADER), entry(CHILD, { parentPid: LEADER }));
    expect(learn(kin, entry(OTHER, { session: CHILD }))).toEqual([OTHER]);
  });

  it.each([
    ['a pid that was given to another', [entry(CHILD, { startTime: '900' })]],
    [
      'a session of which the leader is another now',
      [entry(CHILD, { startTime: '900' }), entry(OTHER, { session: CHILD })],
    ],
    ['what is older than itself', [entry(OTHER, { parentPid: LEADER, startTime: '499' })]],
    ['what has ended', [entry(OTHER, { parentPid: LEADER, state: 'Z' })]],
  ])('does not have %s', (_what, entries) => {
    const kin = family();
    learn(kin, entry(LEADER), entry(CHILD, { parentPid: LEADER }));
    expect(learn(kin, entry(LEADER), ...entries)).toEqual([LEADER]);
  });

  it('gives up a session that a scan found empty', () => {
    const kin = family();
    learn(kin, entry(LEADER), entry(CHILD, { parentPid: LEADER }));
    learn(kin, entry(LEADER));
    expect(learn(kin, entry(LEADER), entry(LATE, { session: CHILD }))).toEqual([LEADER]);
  });
});

/** Forks twice, with its own session, and wipes its environment. */
const DAEMON = `(setsid env -i /bin/sh -c 'sleep 987 & echo $! > pid') > /dev/null 2>&1 < /dev/null; exec cat`;

interface Wishes {
  readonly isGrouped?: boolean;
  readonly log?: RecordingLog;
  readonly registry?: ProgramRegistry;
}

async function startAgent(dir: TempDir, script: string, wishes: Wishes = {}) {
  const { isGrouped = true, log, registry } = wishes;
  const base = programTools(dir.at('programs'));
  const tools = { ...base, ...(registry && { registry }), ...(log && { log }) };
  if (!isGrouped) {
    const { announce, follow } = tools.registry;
    tools.registry.announce = (command, now) => announce.call(tools.registry, command, now);
    // Nobody looks while it runs, as if everything were over within a millisecond.
    if (registry === undefined)
      tools.registry.follow = (marker, pid) => follow.call(tools.registry, marker, pid);
  }
  const program: Program = await startProgram(tools, {
    command: 'sh',
    args: ['-c', script],
    workingDirectory: dir.path,
    environment: process.env,
    isAgent: true,
    input: 'closed',
    onLine: () => {},
  });
  return { program, tools };
}

async function written(dir: TempDir): Promise<number> {
  const read = () => Number(existsSync(dir.at('pid')) && readFileSync(dir.at('pid'), 'utf8'));
  await until(() => read() > 0 && nameOf(read()) === 'sleep');
  return read();
}

function nameOf(pid: number): string {
  return spawnSync('cat', [`/proc/${pid}/comm`], { encoding: 'utf8' }).stdout.trim();
}

function isThere(pid: number): boolean {
  const state = processFacts(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}
