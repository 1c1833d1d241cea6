/** A separate process that works on the loop of a project when told to, and may kill itself on the way. */
import { silentLogger, systemClock, systemIds } from '../../../src/foundation/index.js';
import { type LoopRequestInput, LoopSessions, parseStatus } from '../../../src/sessions/loop/index.js';
import { DirectoryWatcher, nodeFileSystem, ownIdentity, readFile } from '../../../src/storage/index.js';
import { deadlyFileSystem, type KillPlan } from '../../support/deadly-file-system.js';
import { measured, outcome, PLAN } from '../../support/loop-world.js';
import { serve, tell } from '../../support/worker-side.js';

export interface Place {
  readonly directory: string;
  readonly kill?: KillPlan | undefined;
}

/** What all files say, for comparison with each other. */
export interface Seen {
  readonly isFound: boolean;
  readonly sessionId: string | null;
  readonly faults: readonly string[];
  /** The number of iterations according to state, metrics, gate and breaker; the same in all of them. */
  readonly iterations: readonly number[];
  readonly lastRequest: number;
  readonly guidance: readonly string[];
}

function open({ directory, kill }: Place): LoopSessions {
  const { fileSystem } = deadlyFileSystem(kill);
  const tools = { fileSystem, ids: systemIds, log: silentLogger, clock: systemClock };
  return new LoopSessions({
    ...tools,
    watcher: new DirectoryWatcher(tools),
    identity: ownIdentity(nodeFileSystem),
    command: 'loop worker',
    directory,
    callsPerHour: 1_000_000,
  });
}

/** One more test each time, so that there is progress and every file can be counted by it. */
function next(iteration: number) {
  const total = iteration + 1;
  return outcome({
    measured: measured(0, { tests: { total, passing: 0, failing: total, skipped: 0 } }),
    error: `e${total}`,
  });
}

function see(loops: LoopSessions): Seen {
  const view = loops.get();
  const { state, documents } = view ?? {};
  const breaker = documents?.breaker?.lastProgressMetric.RED?.tests_total;
  return {
    isFound: loops.isFound(),
    sessionId: view?.sessionId ?? null,
    faults: loops.isFound() ? loops.verify().filter((fault) => !fault.startsWith('phase-status.log')) : [],
    iterations: [
      state?.currentIteration ?? 0,
      documents?.metrics?.phases.RED?.iterations ?? 0,
      documents?.dualGate?.iteration ?? 0,
      typeof breaker === 'number' ? breaker : 0,
      state?.errorHistory.length === 50 ? (state.currentIteration ?? 0) : (state?.errorHistory.length ?? 0),
    ],
    lastRequest: state?.lastRequest ?? -1,
    guidance: state?.guidance ?? [],
  };
}

const handlers = {
  async create(place: Place) {
    using loop = await open(place).create(PLAN);
    return loop.state.sessionId;
  },
  async iterate(place: Place) {
    using loop = await open(place).resume(PLAN);
    loop.beginIteration();
    loop.commitIteration(next(loop.state.currentIteration));
    return loop.state.currentIteration;
  },
  async take(place: Place) {
    using loop = await open(place).hold();
    return loop.takeRequests().length;
  },
  /** Iterates until it is killed, reporting each committed iteration. */
  async churn(place: Place): Promise<never> {
    using loop = await open(place).resume(PLAN);
    for (;;) {
      loop.beginIteration();
      loop.commitIteration(next(loop.state.currentIteration));
      tell(loop.state.currentIteration);
    }
  },
  /** Saves until this many requests were taken. */
  async saveAndTake({ directory, count }: { directory: string; count: number }) {
    using loop = await open({ directory }).resume(PLAN);
    const taken: number[] = [];
    const texts: string[] = [];
    while (taken.length < count) {
      if (loop.state.status === 'running') loop.recordError(`save ${taken.length}`);
      for (const request of loop.takeRequests()) {
        taken.push(request.number);
        if (request.kind === 'guidance') texts.push(request.text);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { taken, texts, guidance: loop.state.guidance.length, status: loop.state.status };
  },
  async send({ directory, requests }: { directory: string; requests: readonly LoopRequestInput[] }) {
    const loops = open({ directory });
    const numbers: number[] = [];
    for (const request of requests) numbers.push((await loops.request(request)).request.number);
    return numbers;
  },
  see: (place: Place) => see(open(place)),
  /** What the next owner finds, and whether it can continue at once. */
  async succeed(place: Place) {
    const loops = open(place);
    const before = see(loops);
    if (!before.isFound) return { before, after: before, blocks: 0 };
    {
      using _loop = await loops.resume(PLAN);
    }
    const log = readFile(nodeFileSystem, `${place.directory}/phase-status.log`) ?? '';
    return { before, after: see(loops), blocks: parseStatus(log).blocks.length };
  },
};

export type LoopWorker = typeof handlers;

serve(handlers);
