/** A separate process that sends requests to a running loop, again and again, and watches how it reacts. */
import { setTimeout as pause } from 'node:timers/promises';
import { silentLogger, systemClock, systemIds } from '../../../src/foundation/index.js';
import { type LoopRequestInput, LoopSessions, type LoopState } from '../../../src/sessions/loop/index.js';
import { DirectoryWatcher, nodeFileSystem, ownIdentity } from '../../../src/storage/index.js';
import { SeededRandom } from '../../support/seeded-random.js';
import { serve } from '../../support/worker-side.js';

interface Place {
  readonly directory: string;
}

const tools = { fileSystem: nodeFileSystem, ids: systemIds, log: silentLogger, clock: systemClock };
const watcher = new DirectoryWatcher(tools);

function open({ directory }: Place): LoopSessions {
  return new LoopSessions({
    ...tools,
    watcher,
    identity: ownIdentity(nodeFileSystem),
    command: 'request worker',
    directory,
  });
}

/** Waits until the session is as wished, looking at each change of its files. */
async function until(loops: LoopSessions, isSo: (state: LoopState) => boolean): Promise<void> {
  let wake = () => {};
  const watch = loops.watch(() => wake());
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const state = loops.get()?.state;
      if (state !== undefined && isSo(state)) return;
      await changed;
    }
  } finally {
    watch.close();
  }
}

async function send(loops: LoopSessions, request: LoopRequestInput): Promise<number> {
  return (await loops.request(request)).request.number;
}

const handlers = {
  /** Pauses and resumes; reports how long each pause took to show in the files. */
  async pauseAndResume({ directory, count, seed }: Place & { count: number; seed: number }) {
    const loops = open({ directory });
    const random = new SeededRandom(seed);
    const numbers: number[] = [];
    const tookMs: number[] = [];
    for (let round = 0; round < count; round++) {
      await until(loops, ({ status }) => status === 'running');
      // At any instant of an iteration, including its beginning and end.
      await pause(random.below(60));
      const sentMs = performance.now();
      const number = await send(loops, { kind: 'pause' });
      await until(loops, ({ status, lastRequest }) => lastRequest >= number && status === 'paused');
      tookMs.push(performance.now() - sentMs);
      numbers.push(number, await send(loops, { kind: 'resume' }));
    }
    return { numbers, tookMs };
  },
  /** Sends one guidance after another, each once the previous one was taken. */
  async guide({ directory, texts }: Place & { texts: readonly string[] }) {
    const loops = open({ directory });
    const numbers: number[] = [];
    for (const text of texts) {
      const number = await send(loops, { kind: 'guidance', text });
      await until(loops, ({ lastRequest }) => lastRequest >= number);
      numbers.push(number);
    }
    return numbers;
  },
  /** Stops the run once everything that was sent has reached the agent. */
  async stop({ directory }: Place) {
    const loops = open({ directory });
    await until(loops, ({ status, guidance }) => status === 'running' && guidance.length === 0);
    return send(loops, { kind: 'stop' });
  },
};

export type RequestWorker = typeof handlers;

serve(handlers);
