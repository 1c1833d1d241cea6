import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, type Machine, machine, type Running } from './holdfast-binary.js';
import { type Cluster, cluster } from './postgres.js';
import { living, parentOf, until } from './processes.js';
import { type TempDir, tempDir } from './temp-dir.js';

export const LEASE_SECONDS = 4;

/** What an agent does, prompt by prompt. */
export type Turns = readonly { readonly steps: readonly unknown[] }[];

export const say = (exitSignal: boolean) => ({
  say: `\n---PRP_PHASE_STATUS---\nSTATUS: ${exitSignal ? 'COMPLETE' : 'IN_PROGRESS'}\nEXIT_SIGNAL: ${exitSignal}\n---END_PRP_PHASE_STATUS---\n`,
});
export const write = (path: string, content: string) => ({ write: { path, content } });

const PLAN = '# PRP: Files\n\nMake the files.\n\n### Success Criteria\n\n- [ ] they are there\n';

/** A machine of the fleet: its own home, with its own agent. */
export interface FleetHome {
  readonly name: string;
  readonly machine: Machine;
  readonly state: string;
  /** Sets what its agent plays from now on. */
  play(turns: Turns): void;
  worker(args?: readonly string[]): Running;
  /** The loop, conversation and worktree of a run here. */
  loop(run: string): Json;
  turns(run: string): Json[];
  worktree(run: string): string;
  /** The process that ends the run together with its lease. */
  guard(run: string): number;
  /** Whether its worker has heard that the run should move elsewhere. */
  isWantedElsewhere(run: string): boolean;
}

/** A database, a git server, a project, and machines. */
export class MovingWorld implements AsyncDisposable {
  readonly dir: TempDir;
  readonly db: Cluster;
  readonly remote: string;
  readonly homes: FleetHome[] = [];

  private constructor(dir: TempDir, db: Cluster) {
    this.dir = dir;
    this.db = db;
    this.remote = dir.at('remote.git');
  }

  static async open(): Promise<MovingWorld> {
    const world = new MovingWorld(await tempDir(), await cluster());
    mkdirSync(world.dir.at('git-home'));
    world.git(world.dir.path, 'init', '--bare', '--quiet', world.remote);
    return world;
  }

  git(where: string, ...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: where,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: this.dir.at('git-home'), LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  /** A machine that has joined; the first one creates the fleet. */
  async home(
    name: string,
    settings: Readonly<Record<string, unknown>> = {},
    url = this.db.url,
    path?: string,
  ): Promise<FleetHome> {
    const one = await machine(path === undefined ? {} : { path });
    one.configure({ fleet: { leaseSeconds: LEASE_SECONDS }, ...settings });
    const env = { HOLDFAST_FLEET_URL: url };
    const verb = this.homes.length === 0 ? 'init' : 'join';
    const joined = await one.run(['fleet', verb, '--name', name], { env });
    if (joined.code !== 0) throw new Error(joined.stderr);
    const script = one.dir.at('script.json');
    const state = join(one.env.HOLDFAST_HOME ?? '', 'state');
    const leaseOf = (run: string) => readJson(join(state, 'fleet', 'leases', `${run}.json`));
    const home: FleetHome = {
      name,
      machine: one,
      state,
      play(turns) {
        rmSync(join(state, 'scripted'), { recursive: true, force: true });
        writeFileSync(script, JSON.stringify({ turns }));
      },
      worker: (args = []) =>
        one.start(['worker', ...args], { env: { ...env, HOLDFAST_SCRIPTED_SCRIPT: script } }),
      loop: (run) => readJson(join(state, 'runs', run, 'loop', 'loop-state.json')),
      turns: (run) => readLines(join(one.env.HOME ?? '', '.aurora', 'spawn', 'sessions', `run-${run}.jsonl`)),
      worktree: (run) => leaseOf(run)?.worktree ?? '',
      guard: (run) => leaseOf(run)?.guard.pid,
      isWantedElsewhere: (run) => leaseOf(run)?.wish === 'hand-over',
    };
    this.homes.push(home);
    return home;
  }

  /** The person's clone, with a plan that has been pushed. */
  project({ machine: { project } }: FleetHome): string {
    if (!existsSync(join(project, '.git'))) {
      this.git(project, 'init', '--quiet', '-b', 'main');
      mkdirSync(join(project, 'docs'));
      writeFileSync(join(project, 'docs/plan.md'), PLAN);
      writeFileSync(join(project, 'README.md'), 'readme\n');
      this.git(project, 'add', '-A');
      this.git(project, 'commit', '--quiet', '-m', 'first');
      this.git(project, 'remote', 'add', 'origin', this.remote);
      this.git(project, 'push', '--quiet', 'origin', 'main');
    }
    return project;
  }

  /** Queues the plan; returns the id of the entry. */
  async add(home: FleetHome, args: readonly string[]): Promise<string> {
    this.project(home);
    const words = ['queue', 'add', 'docs/plan.md', '--agent', 'scripted', '--phases', 'work', ...args];
    const { code, data } = await home.machine.json(words, { env: { HOLDFAST_FLEET_URL: this.db.url } });
    if (code !== 0) throw new Error(JSON.stringify(data));
    const [row] = await this.db.sql('select id from holdfast.entry order by created_at desc limit 1');
    return String(row?.id);
  }

  /** Queues the same again this many times; returns the ids. */
  async copies(id: string, count: number): Promise<string[]> {
    const rows = await this.db.sql(
      `insert into holdfast.entry (id, position, repository, base, agent, project, plan, content, options, on_failure, created_by,
         created_from)
       select gen_random_uuid(), position + n, repository, base, agent, project, plan, content, options, on_failure, created_by,
         created_from
       from holdfast.entry, generate_series(1, $2::int) n where id = $1 returning id`,
      [id, count],
    );
    return rows.map((row) => String(row.id));
  }

  async entry(id: string): Promise<Record<string, unknown>> {
    const [row] = await this.db.sql(
      `select e.state, e.epoch::int as epoch, e.run_id, m.name as machine, e.reason,
         (select count(*)::int from holdfast.checkpoint c where c.entry = e.id) as checkpoints
       from holdfast.entry e left join holdfast.machine m on m.id = e.machine where e.id = $1`,
      [id],
    );
    return row ?? {};
  }

  async until(
    id: string,
    isSo: (entry: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    let entry: Record<string, unknown> = {};
    await until(async () => {
      entry = await this.entry(id);
      return isSo(entry);
    });
    return entry;
  }

  /** As if a lease's length had passed on the database's clock. */
  async endLeases(): Promise<void> {
    await this.db.sql("update holdfast.entry set lease_until = clock_timestamp() where state = 'running'");
  }

  /** Pulls the plug: kills every process of a home at once. */
  async pull({ machine: { dir } }: FleetHome): Promise<void> {
    const own = living(dir.path);
    // Nothing in a guard points to its worker except its parent.
    const guards = living('guard.cjs').filter((pid) => own.includes(parentOf(pid)));
    for (const pid of [...own, ...guards]) kill(pid);
    await until(() => living(dir.path).length === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { machine: one } of this.homes) await one[Symbol.asyncDispose]();
    await this.db[Symbol.asyncDispose]();
    await this.dir[Symbol.asyncDispose]();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone in the meantime
  }
}

function readJson(path: string): Json {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function readLines(path: string): Json[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Every file of a tree except git's, with its content. */
export function filesOf(top: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(top.length + 1);
    if (entry.isFile() && path !== '.git' && !path.startsWith('.git/'))
      found[path] = readFileSync(join(top, path), 'utf8');
  }
  return found;
}
