import { join } from 'node:path';
import { expect } from 'vitest';
import { createServices } from '../../src/app/services.js';
import { openConversations } from '../../src/app/sessions/open-conversations.js';
import type { RequestWorker } from '../crash/workers/request-worker.js';
import type { Json } from './holdfast-binary.js';
import { notDone, type RunWorld, runWorld, write } from './run-world.js';
import { startWorker } from './workers.js';

const WORKER = new URL('../crash/workers/request-worker.ts', import.meta.url);
const ARGS = ['--json', '--max-iterations', '1000000', '--calls-per-hour', '1000000', '--verify', 'true'];

/**
 * While a run works, one process pauses and resumes it this many times and another keeps sending guidance. Every request is
 * taken once and in order, every pause pauses, and every text is repeated until an agent has answered, no longer.
 */
export async function requestOfRun(pauses: number, texts: number, seed: number): Promise<void> {
  // It writes a different text each time, so that there is progress.
  await using world = await runWorld([{ steps: [write('work.txt', '{{prompt}}'), { delay: 10 }, notDone] }]);
  const directory = join(world.project, '.prp-session');
  const run = world.begin(ARGS);
  run.child.stdin.end();
  await run.printed('stdout', /"type":"iteration-start"/);
  await using pauser = await startWorker<RequestWorker>(WORKER);
  await using guide = await startWorker<RequestWorker>(WORKER);
  const said = Array.from({ length: texts }, (_, number) => `say-${number}-end`);
  const [paused, told] = await Promise.all([
    pauser.call('pauseAndResume', { directory, count: pauses, seed }),
    guide.call('guide', { directory, texts: said }),
  ]);
  const stop = await guide.call('stop', { directory });
  const outcome = await run.ended;
  expect(outcome.code, outcome.stderr).toBe(3);
  const taken = eventsOf(outcome.stdout, 'request').map(({ request }) => request);
  // After each request, a line says who sent it.
  const everything = [...taken.keys()].map((index) => index * 2);
  expect(taken.map(({ number }) => number)).toEqual(everything);
  expect(taken.length).toBe(pauses * 2 + texts + 1);
  const sent = [...paused.numbers, ...told, stop].sort((a, b) => a - b);
  expect(sent).toEqual(everything);
  expect(taken.filter(({ kind }) => kind === 'pause')).toHaveLength(pauses);
  expectToldUntilAnswered(world, said);
  report(paused.tookMs, eventsOf(outcome.stdout, 'iteration-end').length);
}

function eventsOf(stdout: string, type: string): Json[] {
  const lines = stdout.split('\n').filter((line) => line.includes(`"type":"${type}"`));
  return lines.map((line) => JSON.parse(line)).filter((event) => event.type === type);
}

/** Of the prompts that an agent answered, exactly one has each text; interrupted prompts may have had it before. */
function expectToldUntilAnswered(world: RunWorld, said: readonly string[]): void {
  const services = createServices({
    environment: world.env,
    workingDirectory: world.project,
    command: 'a reader',
  });
  const { turns } = openConversations(services).get(`run-${world.state().session_id}`);
  const answered = turns.filter(({ role, failure }) => role === 'user' && failure === null);
  const counts = said.map((text) => answered.filter(({ content }) => content.includes(text)).length);
  expect(counts).toEqual(said.map(() => 1));
}

/** Within a second is what is promised; the time depends on the machine, so it is only reported. */
function report(tookMs: readonly number[], iterations: number): void {
  const sorted = [...tookMs].sort((a, b) => a - b);
  const at = (part: number) => `${Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0)} ms`;
  const times = `median ${at(0.5)}, 99 of 100 ${at(0.99)}, longest ${at(1)}`;
  process.stdout.write(`${tookMs.length} pauses during ${iterations} iterations: ${times}\n`);
}
