import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { createServices, type Services } from '../../src/app/services.js';
import { openLoops } from '../../src/app/sessions/open-loops.js';
import { AnsweringPerson } from './answering-person.js';
import type { Running } from './holdfast-binary.js';
import { CHECK, CODE, done, living, notDone, type RunWorld, runWorld, TESTS, write } from './run-world.js';
import { SeededRandom } from './seeded-random.js';

/** An agent that does what the phase wants, whatever became of earlier turns, and records each answer it gets. */
const AGENT = `set -e
mkdir -p test docs/decisions
echo x >> work.txt
if [ -f heard.txt ]; then cat heard.txt >> "$STORE/heard.log"; rm heard.txt; fi
cp "$STORE/tests" test/adder.test.mjs
if grep -q '^Iteration [0-9]* of RED' prompt.txt; then exit 0; fi
cp "$STORE/code" adder.mjs
echo '# a' >> README.md; echo '# b' > docs/usage.md; echo '# c' > docs/decisions/0001-x.md
`;

const VICTIMS = ['runner', 'agent', 'server', 'check', 'interrupt'] as const;
export type Victim = (typeof VICTIMS)[number];

/** What distinguishes a victim's command line from all others. */
const WORDS = { agent: 'scripted.cjs', server: 'holdfast.cjs\0mcp', check: '--test' } as const;

const QUESTION = {
  title: 'Numbers',
  prompt: 'Which numbers?',
  options: [{ label: 'Plain' }, { label: 'Big' }],
};
/** More turns than any conversation has; every other one asks. */
const TURNS = 1_000;

interface KillWorld extends RunWorld {
  readonly store: string;
  readonly services: Services;
}

async function killWorld(): Promise<KillWorld> {
  const world = await runWorld([]);
  const store = world.dir.at('store');
  mkdirSync(store);
  writeFileSync(join(store, 'tests'), TESTS);
  writeFileSync(join(store, 'code'), CODE);
  writeFileSync(join(store, 'agent.sh'), AGENT);
  writeFileSync(join(store, 'heard.log'), '');
  const prompt = write('prompt.txt', '{{prompt}}');
  const work = { run: `STORE='${store}' sh '${join(store, 'agent.sh')}'` };
  const works = { steps: [prompt, { delay: 40 }, work, { delay: 40 }, done] };
  const asks = {
    steps: [prompt, { ask: { questions: [QUESTION] } }, write('heard.txt', '{{output}}\n'), work, notDone],
  };
  world.script(Array.from({ length: TURNS }, (_, turn) => (turn % 2 === 0 ? works : asks)));
  const services = createServices({
    environment: world.env,
    workingDirectory: world.project,
    command: 'a person',
  });
  return { ...world, store, services };
}

const ARGS = [
  '--attended',
  '--permissions',
  'bypass',
  '--max-iterations',
  '1000000',
  '--calls-per-hour',
  '1000000',
  '--verify',
  `sleep 0.05; ${CHECK}`,
];

/**
 * Starts a run again and again and kills it, its agent, the agent's MCP server or its check at a random instant, while a person
 * answers what the agent asks, even when nothing is running. The run can be resumed each time, its counters never fall, and no
 * prompt is sent twice. In the end it is completed, every answer was heard, and nothing is left running.
 */
export async function killRunsAtRandom(
  rounds: number,
  seed: number,
  victims: readonly Victim[] = VICTIMS,
): Promise<void> {
  await using world = await killWorld();
  const random = new SeededRandom(seed);
  const person = new AnsweringPerson(world.services.questions, random);
  let start: readonly string[] = [];
  let before = { sessionId: '', iterations: 0, commit: -1, calls: 0 };
  for (let round = 0; round < rounds; round++) {
    const victim = random.pick(victims);
    const run = world.begin([...ARGS, ...start]);
    run.child.stdin.end();
    const answering = person.answerUntil(run.ended);
    await Promise.race([instant(run, random), run.ended]);
    const isOver = run.child.exitCode !== null;
    await strike(world, run, victim, random);
    const outcome = await run.ended;
    await answering;
    if (random.chance(0.5)) await person.answerAll();
    const seen = `round ${round} (seed ${seed}), ${victim}: ${JSON.stringify(outcome)}`;
    // Before its first output it has begun nothing; after its last output nothing is left, and Node itself ends it.
    const isAtWork = outcome.stderr !== '' && !/\nnext +holdfast report\n$/.test(outcome.stderr);
    if (victim === 'interrupt' && !isOver && isAtWork) expect([130, 0], seen).toContain(outcome.code);
    const after = read(world);
    if (after === undefined) {
      // Killed while the first files of its session were being written: the session exists all the same.
      if (openLoops(world.services).isFound()) start = ['--resume'];
      continue;
    }
    if (after.sessionId === before.sessionId) {
      expect(after.iterations, seen).toBeGreaterThanOrEqual(before.iterations);
      expect(after.commit, seen).toBeGreaterThanOrEqual(before.commit);
      expect(after.calls, seen).toBeGreaterThanOrEqual(before.calls);
    }
    expect(openLoops(world.services).get()?.faults, seen).toEqual([]);
    before = after;
    start = nextStart(after.status);
    if (after.status === 'completed') clear(world);
    expectNoPromptTwice(world, seen);
  }
  await complete(world, person, start);
  expectNoPromptTwice(world, 'the end');
  expectAllHeard(world, person);
  expect(living(world.dir.at('script.json'))).toEqual([]);
  expect(living(world.dir.at('store'))).toEqual([]);
}

async function complete(world: KillWorld, person: AnsweringPerson, start: readonly string[]): Promise<void> {
  const run = world.go([...ARGS, ...start]);
  await person.answerUntil(run);
  const last = await run;
  if (last.code === 0) return;
  const again = world.go([...ARGS, '--reset']);
  await person.answerUntil(again);
  const { code, stderr } = await again;
  expect(code, stderr).toBe(0);
}

/** Any time at all, or soon after the agent has asked something. */
async function instant(run: Running, random: SeededRandom): Promise<void> {
  if (random.chance(0.3)) await run.printed('stderr', /the agent asks/).catch(() => {});
  await pause(random.below(random.chance(0.5) ? 700 : 250));
}

async function strike(world: RunWorld, run: Running, victim: Victim, random: SeededRandom): Promise<void> {
  if (victim !== 'runner' && victim !== 'interrupt') {
    const own = new Set(living(world.dir.path));
    for (const pid of own) if (commandOf(pid).includes(WORDS[victim])) kill(pid);
    await Promise.race([pause(random.below(400)), run.ended]);
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

/** A new plan starts from scratch. */
function clear(world: RunWorld): void {
  rmSync(join(world.project, 'test'), { recursive: true, force: true });
  rmSync(join(world.project, 'adder.mjs'), { force: true });
}

function nextStart(status: string): string[] {
  if (status === 'completed') return ['--new'];
  return [status === 'halted' ? '--reset' : '--resume'];
}

function expectNoPromptTwice(world: RunWorld, seen: string): void {
  // The last of those: an agent that starts over gets earlier prompts before its own.
  const begun = world
    .prompts()
    .map(({ prompt }) => [...prompt.matchAll(/begun (\S+Z)\. The plan is/g)].at(-1)?.[1] ?? 'none');
  expect(new Set(begun).size, seen).toBe(begun.length);
}

/** Through the tool call that asked, or with a later prompt. */
function expectAllHeard(world: KillWorld, person: AnsweringPerson): void {
  const heard = readFileSync(join(world.store, 'heard.log'), 'utf8');
  const told = world.prompts().map(({ prompt }) => prompt);
  const isHeard = (text: string) => heard.includes(text) || told.some((prompt) => prompt.includes(text));
  const lost = person.answers.filter((text) => !isHeard(text));
  expect({ lost, given: person.answers.length > 0 }).toEqual({ lost: [], given: true });
}
