// PERF-31: what a run adds to each iteration beside the agent and the checks, with an agent that answers at once.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { median, ROOT, scratchDirectory, untilSteady } from './lib.mjs';

const ALLOWED_MS = 50;

export const rows = [
  {
    id: 'PERF-31',
    what: 'overhead of an iteration of `holdfast run`, all durable',
    goal: `<= 1 of ${ALLOWED_MS} ms (median)`,
    run: ({ isQuick }) => untilSteady(() => measureRun(isQuick ? 15 : 60)),
  },
];

const HOLDFAST = path.join(ROOT, 'dist', 'cli', 'holdfast.cjs');

/** From one prompt to the next, less the checks; the answer of the agent, about a millisecond, is counted as ours. */
async function measureRun(iterations) {
  const directory = scratchDirectory('run');
  const at = (...names) => path.join(directory, ...names);
  for (const name of ['project', 'home', 'own']) fs.mkdirSync(at(name));
  const turn = { steps: [{ write: { path: 'work.txt', content: '{{prompt}}' } }, { say: 'Not done.' }] };
  fs.writeFileSync(at('script.json'), JSON.stringify({ turns: [turn], onExhausted: 'repeat-last' }));
  fs.writeFileSync(at('project', 'plan.md'), '# Plan\n\n## Success Criteria\n\n- [ ] one\n');
  // A repository of its own: the whole of it is measured, twice in each iteration.
  spawnSync('git', ['init', '-q'], { cwd: at('project') });
  const args = ['run', 'plan.md', '--agent', 'scripted', '--verify', 'true', '--dirty', '--json'];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [HOLDFAST, ...args, '--max-iterations', String(iterations)],
    {
      cwd: at('project'),
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      env: {
        PATH: process.env.PATH,
        HOME: at('home'),
        HOLDFAST_HOME: at('own'),
        HOLDFAST_SCRIPTED_SCRIPT: at('script.json'),
      },
    },
  );
  if (status !== 7) throw new Error(`the run ended with ${status}: ${stderr}`);
  const overheads = overheadsOf(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const value = median(overheads);
  return {
    series: { ours: overheads },
    steady: [],
    limit: { name: `${ALLOWED_MS} ms`, ratio: value / ALLOWED_MS },
    peers: [],
    checks: [{ what: `of ${ALLOWED_MS} ms`, value: value / ALLOWED_MS, atMost: 1 }],
    notes: [`${value.toFixed(0)} ms; ralph-claude-code needs 8 to 17 s (reference measurement)`],
  };
}

function overheadsOf(events) {
  const starts = events.filter(({ type }) => type === 'iteration-start').map((event) => Date.parse(event.at));
  const checks = events.filter(({ type }) => type === 'verify-end').slice(1);
  // The first ones start the agent and warm up.
  return starts.slice(3).map((start, index) => start - starts[index + 2] - checks[index + 2].durationMs);
}
