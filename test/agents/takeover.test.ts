import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ModelTurn } from '../support/fake-model/server.mjs';
import { type FleetHome, filesOf, MovingWorld } from '../support/moving-world.js';
import { living, until } from '../support/processes.js';
import { REAL_AGENTS, type RealAgent, settingsFor } from './real-agents.js';
import { promptsTold } from './run-ground.js';
import { answers, asks, DONE, NOT_DONE, prompts, script, writes } from './run-plays.js';
import { itDrives, type Stage } from './stage.js';

const LEASE_SECONDS = 8;
/** What no two prompts have in common. */
const HEAD = /Iteration \d+ of WORK, begun \S+\. The plan/g;
const FIRST = writes({ 'one.txt': '1\n' });
const SECOND = writes({ 'two.txt': '2\n' });
const LAST = writes({ 'last.txt': 'last\n' });

/** Where in its second iteration a run loses its machine. */
interface Loss {
  readonly step: string;
  /** What the model says in that iteration. */
  readonly replies: readonly ModelTurn[];
  /** Whether the check after it hangs. */
  readonly isHeld?: true;
  readonly isThere: (ground: Ground) => boolean | Promise<boolean>;
}

const LOSSES: readonly Loss[] = [
  {
    step: 'in a turn',
    replies: [SECOND, { ...DONE, chunkChars: 8, fault: { type: 'stall' } }],
    isThere: ({ stage }) => stage.model.requests().at(-1)?.fault === 'stall',
  },
  {
    step: 'in the checks after a turn',
    replies: [SECOND, DONE],
    isHeld: true,
    isThere: ({ held }) => existsSync(`${held}.seen`),
  },
  {
    step: 'while its question waits',
    replies: [asks(), NOT_DONE],
    isThere: async (ground) => (await openQuestion(ground)) !== undefined,
  },
];

/** Two machines, each with the real agent in a home of its own. */
interface Ground {
  readonly stage: Stage;
  readonly world: MovingWorld;
  readonly laptop: FleetHome;
  readonly cloud: FleetHome;
  /** While this file is there, the check of what the second iteration wrote does not end. */
  readonly held: string;
}

async function openGround(agent: RealAgent, stage: Stage, world: MovingWorld): Promise<Ground> {
  const home = async (name: string) => {
    const player = settingsFor(agent, { home: agentHome(stage, name), baseUrl: stage.model.url });
    const one = await world.home(name, {
      fleet: { leaseSeconds: LEASE_SECONDS, bypass: true },
      agents: { player },
    });
    stage.places.push(one.machine.dir.path);
    return one;
  };
  return {
    stage,
    world,
    laptop: await home('laptop'),
    cloud: await home('cloud'),
    held: stage.world.dir.at('held'),
  };
}

function agentHome({ world }: Stage, name: string): string {
  return world.dir.at(`home-${name}`);
}

/** The question that waits, wherever it is. */
async function openQuestion({ world }: Ground): Promise<string | undefined> {
  const [row] = await world.db.sql('select id from holdfast.session where needs_person and gone_at is null');
  return row === undefined ? undefined : String(row.id);
}

async function queue({ world, laptop, held }: Ground): Promise<string> {
  const check = `if [ -f two.txt ] && [ -f ${held} ]; then touch ${held}.seen; sleep 600; fi; test -f last.txt`;
  const options = ['--permissions', 'bypass', '--max-tokens', '1000000', '--verify', check];
  return world.add(laptop, ['--agent', 'player', ...options]);
}

/** The trees of the checkpoints of an entry, the oldest first. */
async function checkpointsOf({ world }: Ground, id: string): Promise<{ epoch: number; tree: string }[]> {
  const rows = await world.db.sql(
    'select epoch::int as epoch, git_oid from holdfast.checkpoint where entry = $1 order by epoch, n',
    [id],
  );
  return rows.map(({ epoch, git_oid: commit }) => ({
    epoch: Number(epoch),
    tree: world.git(world.remote, 'rev-parse', `${commit}^{tree}`),
  }));
}

for (const agent of [REAL_AGENTS.claude, REAL_AGENTS.codex])
  for (const loss of LOSSES)
    itDrives(
      agent,
      `F04: a run with the real ${agent.name} goes on elsewhere at its last checkpoint when its machine is lost ${loss.step}`,
      script(
        ...answers(`${prompts('WORK')}.*was on the machine laptop before`, LAST, DONE),
        ...answers(prompts('WORK', '1'), FIRST, NOT_DONE),
        ...answers(prompts('WORK', '2'), ...loss.replies),
      ),
      async (stage) => {
        await using world = await MovingWorld.open();
        const ground = await openGround(agent, stage, world);
        const { laptop, cloud } = ground;
        if (loss.isHeld) writeFileSync(ground.held, '');
        const id = await queue(ground);
        const first = laptop.worker();
        const begun = await world.until(id, ({ checkpoints }) => checkpoints === 2);
        const run = String(begun.run_id);
        await until(() => loss.isThere(ground));
        const second = cloud.worker();
        const before = laptop.loop(run);
        const asked = await openQuestion(ground);

        first.child.kill('SIGKILL');
        const theirs = [agentHome(stage, 'laptop'), laptop.machine.dir.path];
        await until(() => theirs.every((place) => living(place).length === 0));
        // All that was at work on the laptop is gone before anybody else has the run.
        expect(await world.entry(id)).toMatchObject({ epoch: 1, machine: 'laptop', state: 'running' });
        expect(living(agentHome(stage, 'cloud'))).toEqual([]);
        const last = (await checkpointsOf(ground, id)).at(-1);

        await world.until(id, ({ epoch }) => epoch === 2);
        if (asked !== undefined) {
          await until(() => existsSync(join(cloud.machine.questions, asked, 'status.json')));
          const env = { HOLDFAST_FLEET_URL: world.db.url };
          const answered = await cloud.machine.aside(['answer', asked, '--option', 'Big'], { env });
          expect(answered, answered.stderr).toMatchObject({ code: 0 });
        }
        const entry = await world.until(id, ({ state }) => state !== 'running');
        second.child.kill('SIGTERM');
        await second.ended;

        expect(entry).toMatchObject({ state: 'done', machine: 'cloud', epoch: 2 });
        const there = (await checkpointsOf(ground, id)).find(({ epoch }) => epoch === 2);
        expect(there?.tree).toBe(last?.tree);
        expect(filesOf(cloud.worktree(run))).toMatchObject({ 'one.txt': '1\n', 'last.txt': 'last\n' });
        expect(filesOf(cloud.worktree(run))).not.toHaveProperty(['two.txt']);
        const after = cloud.loop(run);
        expect(after).toMatchObject({
          session_id: run,
          status: 'completed',
          started_at: before.started_at,
          budget: before.budget,
        });
        expect([before.usage.iterations, after.usage.iterations]).toEqual([1, 2]);
        expect(after.usage.tokens).toBeGreaterThan(before.usage.tokens);
        const sent = cloud.turns(run).flatMap(({ role, content }) => (role === 'user' ? [content] : []));
        expect(sent).toHaveLength(3);
        expect(new Set(sent).size).toBe(sent.length);
        // It is told what came before, and its own prompt; the one that was in flight is not sent again.
        expect(promptsTold(stage)).toEqual(['1 of WORK', '2 of WORK']);
        const told = stage.model.requests().at(-1);
        expect(told?.matches(HEAD)).toEqual([sent[0], sent[2]].flatMap((prompt) => prompt.match(HEAD)));
        if (asked !== undefined) expect(told?.lacks(['→ Big'])).toEqual([]);
      },
      ['postgres'],
    );
