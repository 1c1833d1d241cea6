import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { itNeeds } from '../support/it-needs.js';
import { until } from '../support/processes.js';
import { type TempDir, tempDir } from '../support/temp-dir.js';

const BIN = fileURLToPath(new URL('../../dist/cli/holdfast.cjs', import.meta.url));

/** Agents that behave badly, as shell programs behind the line driver; each says `ready` once it is at its worst. */
const AGENTS = {
  exits: 'echo ready',
  hangs: 'echo ready; exec sleep 1000',
  'ignores-term': `trap '' TERM INT HUP; echo ready; while :; do sleep 1000; done`,
  forks: 'sleep 1000 & sleep 1000 & echo ready; wait',
  setsid: 'setsid sleep 1000 & setsid sleep 1000 & echo ready; wait',
  'closes-stdio': 'echo ready; exec >&- 2>&- <&-; while :; do sleep 1000; done',
  floods: 'echo ready; yes flooding >&2',
} as const;

const ENDINGS = ['our exit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL', 'terminal closed'] as const;

describe.each(Object.keys(AGENTS) as (keyof typeof AGENTS)[])('an agent that %s', (agent) => {
  for (const ending of ENDINGS) {
    const prove = async () => {
      await using dir = await tempDir();
      const world = prepare(dir);
      await end(world, agent, ending);
      // After SIGKILL, the next command that runs an agent finds what is left.
      if (ending === 'SIGKILL')
        spawnSync(process.execPath, [BIN, 'exec', '--agent', 'scripted', 'hello'], { env: world.env });
      expect(survivors(world)).toEqual([]);
    };
    if (ending === 'terminal closed')
      itNeeds({ tmux: true }, `leaves nothing behind after: ${ending}`, prove);
    else it(`leaves nothing behind after: ${ending}`, prove);
  }
});

interface World {
  readonly dir: TempDir;
  readonly env: NodeJS.ProcessEnv;
}

function prepare(dir: TempDir): World {
  const agents = Object.fromEntries(
    Object.entries(AGENTS).map(([name, script]) => [
      name,
      {
        driver: 'line',
        command: 'sh',
        args: ['-c', `${script.replace('echo ready', `: > '${dir.at('ready')}'`)}`],
      },
    ]),
  );
  mkdirSync(dir.at('home', 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(dir.at('home', 'config', 'config.json'), JSON.stringify({ agents }));
  return {
    dir,
    env: { PATH: process.env.PATH, HOME: dir.path, TMPDIR: dir.path, HOLDFAST_HOME: dir.at('home') },
  };
}

async function end(world: World, agent: string, ending: (typeof ENDINGS)[number]): Promise<void> {
  const args = [
    BIN,
    'exec',
    '--agent',
    agent,
    ...(ending === 'our exit' ? ['--timeout', '1s'] : []),
    'hello',
  ];
  if (ending === 'terminal closed') return closeTerminal(world, args);
  const child = spawn(process.execPath, args, { env: world.env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await isReady(world, child);
  if (ending !== 'our exit') child.kill(ending);
  await exited;
}

async function closeTerminal({ dir, env }: World, args: readonly string[]): Promise<void> {
  const socket = dir.at('tmux');
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-S', socket, ...words], { env: { ...env, TERM: 'xterm' } });
  const command = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
  tmux('new-session', '-d', '-s', 'one', '-x', '80', '-y', '24', command);
  await isReady({ dir, env });
  const pids = ours({ dir, env });
  tmux('kill-server');
  await until(() => !ours({ dir, env }).some((pid) => pids.includes(pid) && isHoldfast(pid)));
}

/** Waits until the agent is at its worst; the one that exits at once may be gone before anybody looks. */
async function isReady(world: World, child?: ChildProcess): Promise<void> {
  await until(
    () => readdirSync(world.dir.path).includes('ready') || (child !== undefined && child.exitCode !== null),
  );
}

/** Every process with our HOLDFAST_HOME, however far from its parent. */
function ours({ env }: World): number[] {
  const needle = `HOLDFAST_HOME=${env.HOLDFAST_HOME}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(
      (pid) =>
        readQuietly(pid, 'environ').split('\0').includes(needle) &&
        !/\) [ZX] /.test(readQuietly(pid, 'stat')),
    );
}

function survivors(world: World): string[] {
  return ours(world).map((pid) => readQuietly(pid, 'cmdline').replaceAll('\0', ' '));
}

function isHoldfast(pid: number): boolean {
  return readQuietly(pid, 'cmdline').includes('holdfast.cjs');
}

function readQuietly(pid: number, file: string): string {
  try {
    return readFileSync(join('/proc', String(pid), file), 'utf8');
  } catch {
    return ''; // it has ended while we looked
  }
}
