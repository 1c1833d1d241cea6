import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from '../bundled.js';
import { DIST } from '../holdfast-binary.js';
import type { Cluster } from '../postgres.js';
import { killQuietly, living, until } from '../processes.js';
import type { SeededRandom } from '../seeded-random.js';

/** What may happen to the worker that has the run. */
export const FAULTS = ['kill', 'stop', 'block', 'partition', 'guard', 'both'] as const;
export type Fault = (typeof FAULTS)[number];

export const LEASE_SECONDS = 3;
const MARGIN_MS = 1_500;

/** Passes bytes on until told to swallow them, in both directions. */
export class SwallowingProxy implements Disposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  isSwallowing = false;
  port = 0;

  constructor(target: number) {
    this.#server = createServer((from) => {
      const to = createConnection(target, '127.0.0.1');
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => other.destroy());
        one.on('data', (chunk) => {
          if (!this.isSwallowing) other.write(chunk);
        });
      }
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    const address = this.#server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** What was swallowed stays swallowed: the old connections are gone. */
  heal(): void {
    this.isSwallowing = false;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  [Symbol.dispose](): void {
    this.heal();
    this.#server.close();
  }
}

export interface Beat {
  readonly at: number;
  readonly epoch: number;
  readonly role: string;
}

export function readBeats(file: string): Beat[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [at, epoch, role = ''] = line.split(' ');
      return { at: Number(at), epoch: Number(epoch), role };
    });
}

/** The pairs of epochs whose processes were alive at the same time, and for how long. */
export function overlaps(beats: readonly Beat[]): string[] {
  const spans = new Map<number, { from: number; to: number }>();
  for (const { at, epoch } of beats) {
    const span = spans.get(epoch) ?? { from: at, to: at };
    spans.set(epoch, { from: Math.min(span.from, at), to: Math.max(span.to, at) });
  }
  const ordered = [...spans].sort(([a], [b]) => a - b);
  return ordered.flatMap(([epoch, { from }], index) =>
    ordered
      .slice(0, index)
      .filter(([, before]) => before.to >= from)
      .map(([other, before]) => `epoch ${other} lived ${before.to - from} ms into epoch ${epoch}`),
  );
}

interface DrillWorker {
  readonly proxy: SwallowingProxy;
  readonly machine: string;
  child: ChildProcess;
}

/** One entry and two workers that compete for it. */
export class Drill implements AsyncDisposable {
  readonly beats: string;
  readonly #directory: string;
  readonly #label: string;
  readonly #workers: DrillWorker[] = [];
  #programs = { worker: '', run: '' };

  constructor(directory: string, label: string) {
    this.#directory = directory;
    this.#label = label;
    this.beats = join(directory, `${label}.beats`);
  }

  async begin(db: Cluster, machines: readonly string[]): Promise<void> {
    mkdirSync(this.#directory, { recursive: true });
    const options = { format: 'esm' as const, external: ['pg-native'], banner: { js: REQUIRE } };
    this.#programs = {
      worker: await bundled(new URL('worker.ts', import.meta.url), options),
      run: await bundled(new URL('run.ts', import.meta.url), options),
    };
    for (const machine of machines) {
      const proxy = new SwallowingProxy(db.port);
      await proxy.listen();
      const url = db.url.replace(`:${db.port}/`, `:${proxy.port}/`);
      const one = { proxy, machine, child: this.#start(machine, url), url };
      this.#workers.push(one);
    }
  }

  #start(machine: string, url: string): ChildProcess {
    const options = {
      url,
      machine,
      label: this.#label,
      state: this.#directory,
      beats: this.beats,
      guard: join(DIST, 'guard', 'guard.cjs'),
      run: this.#programs.run,
      agent: fileURLToPath(new URL('agent.mjs', import.meta.url)),
      leaseSeconds: LEASE_SECONDS,
      marginMs: MARGIN_MS,
      renewEveryMs: 300,
    };
    const child = spawn(process.execPath, [this.#programs.worker, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: process.env.PATH, HOME: this.#directory, DRILL: this.#directory },
    });
    child.on('error', () => {});
    return child;
  }

  get epoch(): number {
    return readBeats(this.beats).at(-1)?.epoch ?? 0;
  }

  /** Strikes the worker that has the run, and waits until another lease is at work; returns how long that took. */
  async strike(db: Cluster, fault: Fault, random: SeededRandom): Promise<number> {
    await until(() => this.epoch > 0 && this.#isSettled());
    const before = this.epoch;
    const [row] = await db.sql('select machine from holdfast.entry where needs = $1', [[this.#label]]);
    const worker = this.#workers.find(({ machine }) => machine === row?.machine);
    if (worker === undefined) throw new Error('nobody has it');
    const startedAt = Date.now();
    this.#do(fault, worker);
    await until(() => this.epoch > before);
    const tookMs = Date.now() - startedAt;
    // A worker that was away comes back some time after another has the run.
    await new Promise((resolve) => setTimeout(resolve, random.below(300)));
    this.#heal(fault, worker, db);
    return tookMs;
  }

  /** All three processes of an epoch have reported. */
  #isSettled(): boolean {
    const last = readBeats(this.beats).slice(-200);
    const roles = new Set(last.filter(({ epoch }) => epoch === last.at(-1)?.epoch).map(({ role }) => role));
    return roles.size === 3;
  }

  #do(fault: Fault, { child, proxy }: DrillWorker): void {
    const guards = guardsOf(child);
    if (fault === 'kill') child.kill('SIGKILL');
    if (fault === 'stop') child.kill('SIGSTOP');
    if (fault === 'block') child.kill('SIGUSR2');
    if (fault === 'partition') proxy.isSwallowing = true;
    if (fault === 'guard' || fault === 'both') for (const pid of guards) killQuietly(pid);
    if (fault === 'both') child.kill('SIGKILL');
  }

  #heal(fault: Fault, worker: DrillWorker, db: Cluster): void {
    if (fault === 'stop') worker.child.kill('SIGCONT');
    if (fault === 'partition') worker.proxy.heal();
    if (fault === 'kill' || fault === 'both')
      worker.child = this.#start(worker.machine, db.url.replace(`:${db.port}/`, `:${worker.proxy.port}/`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, proxy } of this.#workers) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      proxy[Symbol.dispose]();
    }
    // Their guards see to the rest; anything left here would be a defect.
    await until(() => living(this.beats).length === 0);
  }
}

const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";

/** The guards that a worker started: those of its children that run the guard program. */
function guardsOf({ pid }: ChildProcess): number[] {
  return living('guard.cjs').filter((guard) => {
    try {
      const stat = readFileSync(`/proc/${guard}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
    } catch {
      return false; // gone in the meantime
    }
  });
}
