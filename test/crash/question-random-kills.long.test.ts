import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Relay, type Seen } from '../support/question-kills.js';
import {
  questionWorkers,
  type Told,
  type Worker,
  type WorkerPlace,
  workerWorld,
} from '../support/question-workers.js';
import { SeededRandom } from '../support/seeded-random.js';

const KILLS = 300;
const KILLS_PER_WORLD = 25;

describe('SIGKILL at random instants', () => {
  it(`${KILLS} times: nothing acknowledged is lost, and the next process goes on at once`, async () => {
    await using workers = await questionWorkers();
    const relay = new Relay(workers);
    const random = new SeededRandom(300);
    for (let kill = 0; kill < KILLS; kill += KILLS_PER_WORLD) {
      await using world = await workerWorld();
      const ledger = new Ledger();
      for (let count = 0; count < KILLS_PER_WORLD; count++) {
        const deeds = random.below(12);
        await churnAndKill(relay.victim, world.place, ledger, kill + count, deeds, random);
        const successor = relay.pass();
        const ending = await successor.order({ place: world.place, act: { name: 'inspect' } });
        if (ending.kind !== 'done') throw new Error(JSON.stringify(ending));
        ledger.compare(ending.value as Seen, `after kill ${kill + count}`);
      }
      const left = readdirSync(world.dir.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.staged'),
      );
      expect(left.length).toBeLessThanOrEqual(1);
    }
  });
});

/** Lets a process work, and kills it at some instant after it has reported a few deeds. */
async function churnAndKill(
  victim: Worker,
  place: WorkerPlace,
  ledger: Ledger,
  seed: number,
  deeds: number,
  random: SeededRandom,
): Promise<void> {
  let told = 0;
  const spins = random.below(20_000);
  const ending = await victim.order(
    { place, act: { name: 'churn', seed, ids: ledger.pending() } },
    (message) => {
      ledger.note(message);
      told += 1;
      if (told !== deeds + 1) return;
      // Somewhere in the middle of what it does next.
      for (let spin = 0; spin < spins; spin++) Math.sqrt(spin);
      victim.kill();
    },
  );
  if (ending.kind !== 'killed') throw new Error(JSON.stringify(ending));
}

/** What processes reported as done, and what they were about to do. */
class Ledger {
  readonly #sets = new Map<string, { status: string; text?: string; intents: string[] }>();

  note(told: Told): void {
    if (told.kind !== 'deed') return;
    const known = this.#sets.get(told.id) ?? { status: 'pending', intents: [] };
    this.#sets.set(told.id, known);
    if (told.deed === 'answering') known.intents.push(`completed ${told.text}`);
    if (told.deed === 'rejecting') known.intents.push(`rejected ${told.text}`);
    if (told.deed === 'answered') Object.assign(known, { status: 'completed', text: told.text });
    if (told.deed === 'rejected') Object.assign(known, { status: 'rejected', text: told.text });
  }

  pending(): string[] {
    return [...this.#sets].filter(([, set]) => set.status === 'pending').map(([id]) => id);
  }

  /** Every acknowledged deed has been done; what was only begun may or may not have been; nothing else is there. */
  compare(seen: Seen, when: string): void {
    const views = new Map(seen.views.map((view) => [view.id, view]));
    expect(seen.views.length, when).toBe(seen.ids.length);
    for (const [id, set] of this.#sets) {
      const view = views.get(id);
      expect(view?.faults, `${when}: ${id}`).toEqual([]);
      const outcome = view?.outcome;
      const text =
        outcome?.status === 'completed'
          ? outcome.answers[0]?.customText
          : outcome?.status === 'rejected'
            ? outcome.reason
            : undefined;
      if (set.status === 'pending' && outcome !== undefined && outcome.status !== 'pending') {
        // Killed between the deed and its acknowledgement: it was done, and stays done from now on.
        expect(set.intents, when).toContain(`${outcome.status} ${text}`);
        Object.assign(set, { status: outcome.status, text });
      }
      expect({ status: outcome?.status, text }, `${when}: ${id}`).toEqual({
        status: set.status,
        text: set.text,
      });
    }
    // A set whose creation was never reported is whole, or not there.
    for (const view of seen.views) {
      if (this.#sets.has(view.id)) continue;
      expect(view, when).toMatchObject({ outcome: { status: 'pending' }, faults: [] });
      this.#sets.set(view.id, { status: 'pending', intents: [] });
    }
  }
}
