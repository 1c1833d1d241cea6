import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../support/holdfast-binary.js';
import { livingIn } from '../support/processes.js';
import { done } from '../support/run-world.js';
import { SeededRandom } from '../support/seeded-random.js';
import { type WorktreeWorld, worktreeWorld } from '../support/worktree-world.js';

export interface QueueKills {
  readonly workers: number;
  readonly entries: number;
  /** The number of kills; after these, everything comes to its end. */
  readonly kills: number;
  readonly seed: number;
  readonly pauseMs: number;
}

/** What was found in the end. */
export interface KilledQueue {
  readonly entries: readonly Json[];
  readonly kills: Readonly<Record<'worker' | 'run' | 'agent', number>>;
  /** How often each run reported that it had completed. */
  readonly completions: readonly number[];
  /** Entries that began before the entries they come after had ended. */
  readonly tooEarly: readonly string[];
  /** Runs that were working in one worktree at the same time. */
  readonly together: readonly string[];
  readonly withoutReport: readonly string[];
}

const WORKS = [{ steps: [{ delay: 700 }, { run: 'echo "// $$" >> work.mjs' }, done] }];
const OPTIONS = ['--agent', 'player', '--phases', 'work', '--verify', 'true', '--unattended'];

/** Fills a queue, a third of it in chains, and kills workers, runs and agents at random while workers empty it. */
export async function killInQueue(options: QueueKills): Promise<KilledQueue> {
  await using world = await worktreeWorld(WORKS);
  const random = new SeededRandom(options.seed);
  await fill(world, options.entries);
  const counts = { worker: 0, run: 0, agent: 0 };
  const worktreesHit = new Set<string>();
  const workers = new Map<number, ReturnType<WorktreeWorld['start']>>();
  const keepWorkers = () => {
    while (workers.size < options.workers) {
      const started = world.start(['worker', '--slots', '1', '--quiet']);
      const pid = started.child.pid ?? 0;
      workers.set(pid, started);
      void started.ended.then(() => workers.delete(pid));
    }
  };
  for (;;) {
    keepWorkers();
    await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
    const entries = entriesOf(world);
    if (entries.every(({ status }) => status === 'done') || entries.some(({ status }) => status === 'failed'))
      break;
    if (counts.worker + counts.run + counts.agent >= options.kills) continue;
    const kind = random.pick(['worker', 'run', 'agent'] as const);
    const victims = kind === 'worker' ? [...workers.keys()] : processesOf(world, kind);
    // If a run's agent dies again and again, the breaker halts the run, and rightly so.
    const fair = kind === 'agent' ? victims.filter((pid) => !worktreesHit.has(directoryOf(pid))) : victims;
    if (fair.length === 0) continue;
    const victim = random.pick(fair);
    const place = directoryOf(victim);
    if (!kill(victim)) continue;
    counts[kind] += 1;
    if (kind === 'agent') worktreesHit.add(place);
  }
  return { ...judge(world), kills: counts };
}

async function fill(world: WorktreeWorld, count: number): Promise<void> {
  const plan = (index: number) => `docs/prps/plan-${index}.md`;
  for (let index = 0; index < count; index += 1)
    world.put(plan(index), `# PRP: Plan ${index}\n\n### Success Criteria\n\n- [ ] it works\n`);
  world.commitAll('plans');
  let before: string | undefined;
  for (let index = 0; index < count; index += 1) {
    const after = index % 3 === 1 && before !== undefined ? ['--after', before] : [];
    const args = ['queue', 'add', plan(index), ...OPTIONS, '--permissions', 'bypass', ...after];
    const { data } = await world.asideJson(args);
    before = data[0].id;
  }
}

function processesOf(world: WorktreeWorld, kind: 'run' | 'agent'): number[] {
  return livingIn(world.dir.path, kind === 'run' ? 'holdfast.cjs\0run' : 'scripted.cjs');
}

function directoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ''; // it ended while we looked
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it ended while we chose
  }
}

function stateOf(world: WorktreeWorld): string {
  return join(world.env.HOLDFAST_HOME ?? '', 'state');
}

function entriesOf(world: WorktreeWorld): Json[] {
  const directory = join(stateOf(world), 'queue', 'entries');
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')));
}

function judge(world: WorktreeWorld): Omit<KilledQueue, 'kills'> {
  const entries = entriesOf(world);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const spans = entries.map((entry) => ({ entry, ...spanOf(world, entry.run_id) }));
  return {
    entries,
    completions: spans.map(({ completions }) => completions),
    tooEarly: entries
      .filter(({ after, started_at }) => after.some((id: string) => byId.get(id)?.ended_at > started_at))
      .map(({ id }) => id),
    together: spans.flatMap((one) =>
      spans
        .filter((other) => other !== one && other.entry.worktree === one.entry.worktree)
        .filter((other) => one.from <= other.to && other.from <= one.to)
        .map((other) => `${one.entry.run_id} ${other.entry.run_id}`),
    ),
    withoutReport: entries.filter((entry) => reportOf(world, entry) !== entry.run_id).map(({ id }) => id),
  };
}

function spanOf(
  world: WorktreeWorld,
  runId: string | null,
): { from: string; to: string; completions: number } {
  // An entry that failed before it had a run is explained by its own reason.
  if (runId === null || !existsSync(join(stateOf(world), 'runs', runId, 'events.jsonl')))
    return { from: '', to: '', completions: 0 };
  const text = readFileSync(join(stateOf(world), 'runs', runId, 'events.jsonl'), 'utf8');
  const events: Json[] = text
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line));
  return {
    from: events[0].at,
    to: events.at(-1).at,
    completions: events.filter(({ type, outcome }) => type === 'run-end' && outcome === 'completed').length,
  };
}

function reportOf(world: WorktreeWorld, { id }: Json): string | undefined {
  try {
    return JSON.parse(readFileSync(join(stateOf(world), 'queue', 'kept', id, 'report.json'), 'utf8'))
      .sessionId;
  } catch {
    return undefined;
  }
}
