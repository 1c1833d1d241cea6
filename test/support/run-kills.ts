import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Running } from './holdfast-binary.js';
import { CHECK, CODE, done, living, type RunWorld, runWorld, TESTS, write } from './run-world.js';
import { SeededRandom } from './seeded-random.js';

/** An agent that does what the phase wants, whatever became of the turns before. */
const AGENT = `set -e
mkdir -p test docs/decisions
echo x >> work.txt
cp "$STORE/tests" test/adder.test.mjs
if grep -q '^Iteration [0-9]* of RED' prompt.txt; then exit 0; fi
cp "$STORE/code" adder.mjs
echo '# a' > README.md; echo '# b' > docs/usage.md; echo '# c' > docs/decisions/0001-x.md
`;

const VICTIMS = ['runner', 'agent', 'check', 'interrupt'] as const;
export type Victim = (typeof VICTIMS)[number];

async function killWorld(): Promise<RunWorld> {
  const world = await runWorld([]);
  const store = world.dir.at('store');
  mkdirSync(store);
  writeFileSync(join(store, 'tests'), TESTS);
  writeFileSync(join(store, 'code'), CODE);
  writeFileSync(join(store, 'agent.sh'), AGENT);
  const steps = [
    write('prompt.txt', '{{prompt}}'),
    { delay: 40 },
    { run: `STORE='${store}' sh '${join(store, 'agent.sh')}'` },
    { delay: 40 },
    done,
  ];
  world.script([{ steps }]);
  return world;
}

const ARGS = ['--permissions', 'bypass', '--max-iterations', '1000000', '--verify', `sleep 0.05; ${CHECK}`];

/**
 * Starts a run again and again and kills it, its agent or its check at a random instant. Each time it can be gone on with,
 * its counters never fall, and no prompt is sent twice; in the end it is completed and nothing is left running.
 */
export async function killRunsAtRandom(
  rounds: number,
  seed: number,
  victims: readonly Victim[] = VICTIMS,
): Promise<void> {
  await using world = await killWorld();
  const random = new SeededRandom(seed);
  let start: readonly string[] = [];
  let before = { sessionId: '', iterations: 0, commit: -1, calls: 0 };
  for (let round = 0; round < rounds; round++) {
    const victim = victims[random.below(victims.length)] ?? 'runner';
    const run = world.begin([...ARGS, ...start]);
    run.child.stdin.end();
    await Promise.race([pause(random.below(900)), run.ended]);
    const isOver = run.child.exitCode !== null;
    await strike(world, run, victim, random);
    const outcome = await run.ended;
    const seen = `round ${round} (seed ${seed}), ${victim}: ${JSON.stringify(outcome)}`;
    // Before it has said anything it has begun nothing, and Node itself ends it.
    const hasBegun = outcome.stderr !== '';
    if (victim === 'interrupt' && !isOver && hasBegun) expect([130, 0], seen).toContain(outcome.code);
    const after = read(world);
    if (after === undefined) continue;
    if (after.sessionId === before.sessionId) {
      expect(after.iterations, seen).toBeGreaterThanOrEqual(before.iterations);
      expect(after.commit, seen).toBeGreaterThanOrEqual(before.commit);
      expect(after.calls, seen).toBeGreaterThanOrEqual(before.calls);
    }
    expect((await world.json(['status'])).data.faults, seen).toEqual([]);
    before = after;
    start = nextStart(after.status);
    if (after.status === 'completed') clear(world);
    expectNoPromptTwice(world, seen);
  }
  const last = await world.go([...ARGS, ...start]);
  const completed = last.code === 0 ? last : await world.go([...ARGS, '--reset']);
  expect(completed.code, completed.stderr).toBe(0);
  expectNoPromptTwice(world, 'the end');
  expect(living(world.dir.at('script.json'))).toEqual([]);
  expect(living(world.dir.at('store'))).toEqual([]);
}

async function strike(world: RunWorld, run: Running, victim: Victim, random: SeededRandom): Promise<void> {
  if (victim === 'agent' || victim === 'check') {
    const word = victim === 'agent' ? 'scripted.mjs' : '--test';
    const own = new Set(living(world.dir.path));
    for (const pid of living(word)) if (own.has(pid) && commandOf(pid).includes(word)) kill(pid);
    await Promise.race([pause(random.below(600)), run.ended]);
  }
  run.child.kill(victim === 'interrupt' ? 'SIGINT' : 'SIGKILL');
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it ended while we looked
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it was faster
  }
}

interface Seen {
  readonly sessionId: string;
  readonly status: string;
  readonly iterations: number;
  readonly commit: number;
  readonly calls: number;
}

/** Undefined before there is a session. */
function read(world: RunWorld): Seen | undefined {
  try {
    const state = world.state();
    return {
      sessionId: state.session_id,
      status: state.status,
      iterations: state.usage.iterations,
      commit: state.commit,
      calls: state.total_agent_calls,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A new plan starts from nothing. */
function clear(world: RunWorld): void {
  rmSync(join(world.project, 'test'), { recursive: true, force: true });
  rmSync(join(world.project, 'adder.mjs'), { force: true });
}

function nextStart(status: string): string[] {
  if (status === 'completed') return ['--new'];
  return [status === 'halted' ? '--reset' : '--resume'];
}

function expectNoPromptTwice(world: RunWorld, seen: string): void {
  const begun = world.prompts().map(({ prompt }) => /begun (\S+Z)/.exec(prompt)?.[1] ?? 'none');
  expect(new Set(begun).size, seen).toBe(begun.length);
}
