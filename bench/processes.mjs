// PERF-28: what a hundred live sessions cost while nobody asks them anything.
import path from 'node:path';
import { median, scratchDirectory, startWorker, untilSteady } from './lib.mjs';

const SESSIONS = 100;
/** The last look for what the agents started comes 15 s after their start; before it the sessions are not idle. */
const SETTLING_ROUNDS = 4;
const WINDOW_MS = 4_000;

export const rows = [
  {
    id: 'PERF-28',
    what: `${SESSIONS} live idle process sessions`,
    goal: '<= 0.5 % of a core more than an idle process',
    run: ({ isQuick }) => untilSteady(() => measureIdle(isQuick)),
  },
];

async function measureIdle(isQuick) {
  const directory = scratchDirectory('processes');
  const idle = await startWorker('idle-sessions.mjs', path.join(directory, 'idle'), '0');
  const ours = await startWorker('idle-sessions.mjs', path.join(directory, 'ours'), String(SESSIONS));
  const series = { idle: [], ours: [] };
  let memory;
  try {
    for (let round = -SETTLING_ROUNDS; round < (isQuick ? 2 : 5); round++) {
      const [bare, live] = await Promise.all(
        [idle, ours].map((worker) => worker.ask({ windowMs: WINDOW_MS })),
      );
      memory = { bare: bare.bytes, live: live.bytes };
      if (round < 0) continue;
      series.idle.push(bare.percent);
      series.ours.push(live.percent);
    }
    await ours.ask({ end: true });
  } finally {
    await Promise.all([idle.kill(), ours.kill()]);
  }
  const percent = median(series.ours) - median(series.idle);
  const perSession = (memory.live - memory.bare) / SESSIONS / 1_024;
  return {
    series,
    // Shares near nothing have no spread to speak of.
    steady: [[1, 1]],
    limit: undefined,
    peers: [],
    checks: [{ what: '% of a core', value: percent, atMost: 0.5 }],
    notes: [
      `idle ${median(series.idle).toFixed(3)} %, ours ${median(series.ours).toFixed(3)} %`,
      `${perSession.toFixed(0)} kB of our memory for each session (agents not counted)`,
    ],
  };
}
