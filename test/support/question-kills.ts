import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import type { QuestionView } from '../../src/sessions/question/index.js';
import { auqId, copyAuqSession } from './auq-fixtures.js';
import type { KillPlan } from './deadly-file-system.js';
import {
  type Act,
  type Ending,
  type Worker,
  type WorkerPlace,
  type Workers,
  workerWorld,
} from './question-workers.js';
import { question } from './question-world.js';

const SET = [question()];
const SQLITE = [{ questionIndex: 0, selectedOption: 'SQLite' }];

/** The world before a process dies in it, and what may be true afterwards. */
export interface Story {
  readonly name: string;
  /** Whether the quick selection includes it. */
  readonly isQuick?: boolean;
  /** Creates the world; returns the act that will be killed. */
  prepare(give: (act: Act) => Promise<unknown>, place: WorkerPlace): Promise<Act>;
  /** What the set may look like afterwards. `isDone`: the victim had reported that it was done. */
  assert(seen: Seen, facts: { isDone: boolean; wasDelivered: boolean; act: Act }): void;
  /** The same act by another process: it must work at once. */
  again(act: Act, seen: Seen): Act;
  /** What must be true after that. */
  assertEnd(ending: Ending, seen: Seen): void;
}

export interface Seen {
  readonly views: QuestionView[];
  readonly ids: string[];
  readonly trash: string[];
}

function only(seen: Seen): QuestionView {
  const [view] = seen.views;
  if (view === undefined || seen.views.length > 1) throw new Error(`${seen.views.length} sets`);
  return view;
}

function created(give: (act: Act) => Promise<unknown>): Promise<string> {
  return give({ name: 'create', questions: SET, options: { callId: 'call' } }) as Promise<string>;
}

/** A story about one set in which the victim moves it from one state to another. */
function moving(
  name: string,
  from: string,
  to: string,
  actOn: (id: string) => Act,
  before: (id: string) => Act[] = () => [],
): Story {
  return {
    name,
    async prepare(give) {
      const id = await created(give);
      for (const act of before(id)) await give(act);
      return actOn(id);
    },
    assert(seen, { isDone }) {
      expect([from, to]).toContain(only(seen).outcome.status);
      if (isDone) expect(only(seen).outcome.status).toBe(to);
      expect(only(seen).faults).toEqual([]);
      expect(only(seen)).toMatchObject({ callId: 'call', questions: SET });
    },
    again: (act) => act,
    assertEnd(ending, seen) {
      expect(ending.kind).toBe('done');
      expect(only(seen).outcome.status).toBe(to);
    },
  };
}

export const STORIES: readonly Story[] = [
  {
    name: 'create',
    isQuick: true,
    async prepare() {
      return { name: 'create', questions: SET };
    },
    assert(seen, { isDone }) {
      expect(seen.views.length).toBeLessThanOrEqual(1);
      if (isDone) expect(seen.views).toHaveLength(1);
      for (const view of seen.views)
        expect(view).toMatchObject({ outcome: { status: 'pending' }, faults: [], questions: SET });
    },
    again: (act) => act,
    assertEnd(ending, seen) {
      expect(ending.kind).toBe('done');
      for (const view of seen.views)
        expect(view).toMatchObject({ outcome: { status: 'pending' }, faults: [] });
    },
  },
  {
    name: 'create with a request id',
    async prepare() {
      return { name: 'create', questions: SET, options: { requestId: 'r1', isWaiting: true } };
    },
    assert(seen, { isDone }) {
      expect(seen.views.length).toBeLessThanOrEqual(1);
      if (isDone) expect(seen.views).toHaveLength(1);
      for (const view of seen.views)
        expect(view).toMatchObject({ outcome: { status: 'pending' }, faults: [] });
    },
    again: (act) => act,
    assertEnd(ending, seen) {
      expect(ending).toEqual({ kind: 'done', value: only(seen).id });
      expect(only(seen).outcome.status).toBe('pending');
    },
  },
  {
    ...moving('answer', 'pending', 'completed', (id) => ({ name: 'answer', id, answers: SQLITE })),
    isQuick: true,
  },
  moving(
    'late answer',
    'timed_out',
    'completed',
    (id) => ({ name: 'answer', id, answers: SQLITE }),
    (id) => [
      { name: 'expire', id },
      { name: 'collect', id },
    ],
  ),
  {
    ...moving('reject', 'pending', 'rejected', (id) => ({ name: 'reject', id, reason: 'no' })),
    isQuick: true,
  },
  moving('cancel', 'pending', 'abandoned', (id) => ({ name: 'cancel', id })),
  moving('expire', 'pending', 'timed_out', (id) => ({ name: 'expire', id })),
  moving('note asker', 'pending', 'pending', (id) => ({ name: 'note asker', id })),
  {
    ...moving('wait', 'pending', 'pending', (id) => ({ name: 'wait', id, patienceMs: 1 })),
    again: (act) => ({ name: 'note asker', id: 'id' in act ? act.id : '' }),
  },
  {
    name: 'answer to a set by AUQ',
    async prepare(_give, { directory }) {
      copyAuqSession(directory, auqId(1));
      return { name: 'answer', id: auqId(1), answers: SQLITE };
    },
    assert(seen, { isDone }) {
      const view = seen.views.find(({ id }) => id === auqId(1));
      expect(['pending', 'completed']).toContain(view?.outcome.status);
      if (isDone) expect(view?.outcome.status).toBe('completed');
      expect(view?.faults).toEqual([]);
      expect(seen.views).toHaveLength(1);
    },
    again: (act) => act,
    assertEnd(ending, seen) {
      expect(ending.kind).toBe('done');
      expect(seen.views.find(({ id }) => id === auqId(1))?.outcome.status).toBe('completed');
    },
  },
  {
    name: 'collect',
    isQuick: true,
    async prepare(give) {
      const id = await created(give);
      await give({ name: 'answer', id, answers: SQLITE });
      return { name: 'collect', id };
    },
    assert(seen, { isDone, wasDelivered }) {
      expect(only(seen)).toMatchObject({
        outcome: { status: 'completed', answers: [{ selectedOption: 'SQLite' }] },
        faults: [],
      });
      // Announcing twice is allowed after a crash; never announcing is not.
      if (!wasDelivered) expect(only(seen).collectedAt).toBeNull();
      if (isDone) expect(only(seen).collectedAt).not.toBeNull();
    },
    again: (act) => act,
    assertEnd(ending, seen) {
      expect(ending).toMatchObject({
        kind: 'done',
        value: { outcome: { status: 'completed', answers: [{ selectedOption: 'SQLite' }] } },
      });
      expect(only(seen).collectedAt).not.toBeNull();
    },
  },
  {
    name: 'clean',
    isQuick: true,
    async prepare(give) {
      const id = await created(give);
      await give({ name: 'answer', id, answers: SQLITE });
      return { name: 'clean', olderThanMs: -60_000 };
    },
    assert(seen, { isDone }) {
      expect([seen.ids.length, seen.trash.length]).toEqual(seen.ids.length === 1 ? [1, 0] : [0, 1]);
      if (isDone) expect(seen.trash).toHaveLength(1);
      for (const view of seen.views)
        expect(view).toMatchObject({ outcome: { status: 'completed' }, faults: [] });
    },
    again: (act) => act,
    assertEnd(ending, seen) {
      expect(ending.kind).toBe('done');
      expect([seen.ids.length, seen.trash.length]).toEqual([0, 1]);
    },
  },
];

/**
 * Processes that take turns: each looks at what its predecessor left behind, and is the next to die. Another one is
 * already being started, since that takes longest.
 */
export class Relay {
  readonly #workers: Workers;
  #current: Worker;
  #spare: Worker;

  constructor(workers: Workers) {
    this.#workers = workers;
    this.#current = workers.start();
    this.#spare = workers.start();
  }

  /** The one that will die. */
  get victim(): Worker {
    return this.#current;
  }

  /** A process that has seen nothing of the victim's world; it becomes the next victim. */
  pass(): Worker {
    this.#current = this.#spare;
    this.#spare = this.#workers.start();
    return this.#current;
  }
}

/** Kills a process at one call of its file system, and has a fresh one look at what is left and continue. */
export async function killAt(relay: Relay, story: Story, plan: KillPlan): Promise<'killed' | 'done'> {
  await using world = await workerWorld();
  const { place } = world;
  const maker = relay.victim;
  const give = async (act: Act) => {
    const ending = await maker.order({ place, act });
    if (ending.kind !== 'done') throw new Error(JSON.stringify(ending));
    return ending.value;
  };
  const act = await story.prepare(give, place);
  let wasDelivered = false;
  const ending = await maker.order({ place: { ...place, kill: plan }, act }, (told) => {
    if (told.kind === 'delivered') wasDelivered = true;
  });
  if (ending.kind === 'failed') throw new Error(ending.message);
  const successor = ending.kind === 'killed' ? relay.pass() : maker;
  const seen = await inspect(successor, place);
  story.assert(seen, { isDone: ending.kind === 'done', wasDelivered, act });
  const again = story.again(act, seen);
  const ended = await successor.order({ place, act: again });
  story.assertEnd(ended, await inspect(successor, place));
  expect(leftovers(world.dir.path), 'temporary files after the next write').toEqual([]);
  return ending.kind;
}

async function inspect(worker: Worker, place: WorkerPlace): Promise<Seen> {
  const ending = await worker.order({ place, act: { name: 'inspect' } });
  if (ending.kind !== 'done') throw new Error(JSON.stringify(ending));
  return ending.value as Seen;
}

/** What no crash may leave behind after the next write. Lock candidates are removed by age, so they may stay. */
function leftovers(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(tmp|staged)$|\.holdfast-probe-/.test(name),
  );
}
