import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DatabaseProxy, databaseProxy, type Held } from '../support/database-proxy.js';
import type { Json } from '../support/holdfast-binary.js';
import { type FleetHome, filesOf, MovingWorld, say, write } from '../support/moving-world.js';
import { POSTGRES } from '../support/postgres-place.js';
import { until } from '../support/processes.js';
import { StoppingPlaces } from '../support/stopping-places.js';
import { verifies } from '../support/verifies.js';

/** One step of an iteration, in the order in which a run takes them. */
interface Step {
  readonly name: string;
  /** Makes a run at the end of its second turn stop at this step. */
  readonly arm: (run: string, entry: string) => void;
  readonly isThere: (run: string) => boolean;
  /** How many checkpoints others have by then: each was stored before a prompt. */
  readonly checkpoints: 2 | 3;
  /** How many prompts the agent has heard. */
  readonly heard: 2 | 3;
}

/** A run that was lost at a step. */
interface Lost {
  readonly entry: string;
  readonly run: string;
  /** What others have of it. */
  readonly last: Json;
  readonly documents: Readonly<Record<string, Json>>;
}

/** What the other machine has of a run before its agent touches anything. */
interface Found {
  readonly files: Readonly<Record<string, string>>;
  readonly state: Json;
  readonly breaker: Json;
  readonly prompts: readonly string[];
  readonly heard: readonly string[];
}

const FIRST = { 'README.md': 'readme\n' };

/**
 * Every step has a run of its own. All of them are brought to the step where they will be lost. Then their machine
 * loses power once, and another machine continues all of them.
 */
describe.skipIf(POSTGRES === undefined)('a run that is lost at any step of an iteration', () => {
  let world: MovingWorld;
  let proxy: DatabaseProxy;
  let places: StoppingPlaces;
  let laptop: FleetHome;
  let cloud: FleetHome;
  const lost = new Map<string, Lost>();
  const found = new Map<string, Found>();
  const ends = new Map<string, Json>();
  const held = new Map<string, Held>();

  const inGit = (operation: string): Pick<Step, 'arm' | 'isThere'> => ({
    arm: (run) => places.stop(`git-${operation}`, run),
    isThere: (run) => places.hasStopped(`git-${operation}`, run),
  });
  const inHook = (hook: 'pre-receive' | 'post-receive'): Pick<Step, 'arm' | 'isThere'> => ({
    arm: (run) => places.stop(hook, run),
    isThere: (run) => places.hasStopped(hook, run),
  });
  const inDatabase = (when: 'before' | 'after'): Pick<Step, 'arm' | 'isThere'> => ({
    arm: (run, about) =>
      void proxy.holdAt({ statement: 'holdfast.checkpoint(', about, when }).then((one) => held.set(run, one)),
    isThere: (run) => held.has(run),
  });
  const atGate = (gate: string): Pick<Step, 'isThere'> => ({ isThere: (run) => places.isAtGate(gate, run) });

  const STEPS: readonly Step[] = [
    {
      name: 'while what the turn changed is measured',
      ...inGit('status'),
      checkpoints: 2,
      heard: 2,
    },
    {
      name: 'while its check runs',
      arm: (run) => places.stop('check', run),
      isThere: (run) => places.hasStopped('check', run),
      checkpoints: 2,
      heard: 2,
    },
    {
      name: 'when the iteration is committed and the next one begun, before its snapshot is made',
      ...inGit('commit-tree'),
      checkpoints: 2,
      heard: 2,
    },
    { name: 'when the snapshot is made, before it is pushed', ...inGit('push'), checkpoints: 2, heard: 2 },
    { name: 'while the git server takes the snapshot', ...inHook('pre-receive'), checkpoints: 2, heard: 2 },
    {
      name: 'when the git server has the snapshot and nobody was told',
      ...inHook('post-receive'),
      checkpoints: 2,
      heard: 2,
    },
    {
      name: 'when the checkpoint is on its way to the database',
      ...inDatabase('before'),
      checkpoints: 2,
      heard: 2,
    },
    {
      name: 'when the checkpoint is stored, before the prompt is sent',
      ...inDatabase('after'),
      checkpoints: 3,
      heard: 2,
    },
    {
      name: 'when the agent has heard the prompt',
      arm: () => {},
      ...atGate('heard'),
      checkpoints: 3,
      heard: 3,
    },
    {
      name: 'while the agent writes files',
      arm: (run) => places.open('heard', run),
      ...atGate('written'),
      checkpoints: 3,
      heard: 3,
    },
  ];

  beforeAll(async () => {
    world = await MovingWorld.open();
    proxy = await databaseProxy(world.db.port);
    places = new StoppingPlaces(world.dir.at('places'));
    places.hookInto(world.remote);
    // Many at once on a few cores: none should lose a lease by being slow.
    const settings = { fleet: { leaseSeconds: 120, bypass: true } };
    const path = `${places.bin}:${process.env.PATH}`;
    laptop = await world.home('laptop', settings, proxy.through(world.db.url), path);
    cloud = await world.home('cloud', settings);
    laptop.play([
      { steps: [heard('laptop 1'), write('one.txt', '1\n'), say(false)] },
      { steps: [heard('laptop 2'), write('two.txt', '2\n'), { run: places.gate('turn') }, say(false)] },
      {
        steps: [
          heard('laptop 3'),
          { run: places.gate('heard') },
          write('three.txt', '3\n'),
          { run: places.gate('written') },
        ],
      },
    ]);
    cloud.play([
      { steps: [heard('cloud 1'), { run: places.gate('cloud') }, write('last.txt', 'last\n'), say(true)] },
    ]);
    await loseAll();
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  /** The prompts, as recorded by the agent itself. */
  const heard = (what: string) => ({ run: `echo ${what} >> ${world.dir.at('heard')}-$(basename "$PWD")` });
  const heardIn = (run: string) => {
    const path = `${world.dir.at('heard')}-${run}`;
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };

  async function loseAll(): Promise<void> {
    const args = ['--permissions', 'bypass', '--max-tokens', '100000'];
    const check = `${places.words('check')}; test -f last.txt`;
    const first = await world.add(laptop, [...args, '--verify', check]);
    const entries = [first, ...(await world.copies(first, STEPS.length - 1))];
    const worker = laptop.worker(['--slots', String(STEPS.length)]);
    await Promise.all(
      STEPS.map(async ({ name, arm, isThere, checkpoints }, at) => {
        const entry = entries[at] ?? '';
        const { run_id: run } = (await world.until(entry, ({ run_id: id }) => id !== null)) as Json;
        await until(() => places.isAtGate('turn', run));
        arm(run, entry);
        places.open('turn', run);
        await until(() => isThere(run));
        await world.until(entry, (row) => row.checkpoints === checkpoints);
        const [last] = await world.db.sql(
          'select * from holdfast.checkpoint where entry = $1 order by n desc limit 1',
          [entry],
        );
        const { files } = (last as Json).documents;
        const documents = Object.fromEntries(
          Object.entries(files as Record<string, string>)
            .filter(([file]) => file.endsWith('.json'))
            .map(([file, text]) => [file, JSON.parse(text)]),
        );
        lost.set(name, { entry, run, last, documents });
      }),
    );
    await world.pull(laptop);
    await worker.ended;
    places.clear();
    await world.endLeases();
    cloud.worker(['--slots', String(STEPS.length)]);
    await Promise.all(
      [...lost].map(async ([name, { run, entry }]) => {
        await until(() => places.isAtGate('cloud', run));
        found.set(name, {
          files: filesOf(cloud.worktree(run)),
          state: document(run, 'loop-state.json'),
          breaker: document(run, 'circuit-breaker.json'),
          prompts: promptsOf(run),
          heard: heardIn(run),
        });
        places.open('cloud', run);
        ends.set(name, await world.until(entry, ({ state }) => state !== 'running'));
      }),
    );
  }

  const document = (run: string, file: string): Json =>
    JSON.parse(readFileSync(join(cloud.state, 'runs', run, 'loop', file), 'utf8'));
  const promptsOf = (run: string) =>
    cloud
      .turns(run)
      .filter(({ role }) => role === 'user')
      .map(({ content }) => String(content));

  for (const { name, checkpoints, heard: count } of STEPS)
    verifies('F04', `${name}: goes on elsewhere exactly at its last checkpoint`, async () => {
      const { run, last, documents } = lost.get(name) as Lost;
      const { files, state, breaker, prompts, heard: told } = found.get(name) as Found;
      const plan = readFileSync(join(world.project(laptop), 'docs/plan.md'), 'utf8');
      const kept = { ...FIRST, 'docs/plan.md': plan, 'one.txt': '1\n', ...(checkpoints === 3 ? TWO : {}) };
      expect(files).toEqual(kept);
      const tree = world.git(world.remote, 'ls-tree', '-r', '--name-only', last.git_oid).split('\n');
      expect(tree.sort()).toEqual(Object.keys(kept).sort());
      // What was counted, allowed and noticed so far.
      const before = documents['loop-state.json'];
      for (const key of GOES_ON) expect([key, state[key]]).toEqual([key, before[key]]);
      // The usage of the lost prompt is unknown: it is estimated, and nothing else is added.
      const guessed = state.usage.estimated_tokens;
      expect(guessed).toBeGreaterThan(0);
      expect(state.usage).toEqual({
        ...before.usage,
        tokens: before.usage.tokens + guessed,
        estimated_tokens: guessed,
        unpriced_tokens: guessed,
        counted_records: before.usage.counted_records + 1,
      });
      expect(state.interrupted).toMatchObject(before.in_flight);
      expect(withoutStamp(breaker)).toEqual(withoutStamp(documents['circuit-breaker.json']));
      // Each prompt once: those that were stored count as sent, whether or not the agent heard the last one.
      expect(prompts).toHaveLength(checkpoints + 1);
      expect(new Set(prompts).size).toBe(prompts.length);
      expect(prompts.at(-2)).toBe(last.prompt);
      expect(prompts.at(-1)).toContain('was on the machine laptop before');
      const laptops = Array.from({ length: count }, (_, at) => `laptop ${at + 1}`);
      expect(told).toEqual([...laptops, 'cloud 1']);
      expect(ends.get(name)).toMatchObject({ state: 'done', machine: 'cloud', epoch: 2 });
      expect(filesOf(cloud.worktree(run))).toEqual({ ...kept, 'last.txt': 'last\n' });
      expect(heardIn(run)).toEqual([...laptops, 'cloud 1']);
      const after = cloud.loop(run);
      expect(after).toMatchObject({ status: 'completed', budget: before.budget });
      expect(after.total_agent_calls).toBe(before.total_agent_calls + 1);
      expect(after.usage.tokens).toBeGreaterThan(before.usage.tokens);
    });
});

const TWO = { 'two.txt': '2\n' };
const GOES_ON = [
  'session_id',
  'started_at',
  'current_phase',
  'current_iteration',
  'phase_history',
  'total_agent_calls',
  'error_history',
  'baseline',
  'budget',
];

function withoutStamp({ version: _, commit: __, ...rest }: Json): Json {
  return rest;
}
