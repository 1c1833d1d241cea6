import { type BootClock, bootClock, Door, FleetQueue, type WorkerRules } from '../../src/fleet/index.js';
import { type Clock, silentLogger, systemClock, systemIds } from '../../src/foundation/index.js';
import { Hub, migrate, parseAddress } from '../../src/hub/index.js';
import { nodeFileSystem } from '../../src/storage/index.js';
import type { Cluster } from './postgres.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** A door to the hub with the given login. */
export function doorTo(url: string, clock: Clock = systemClock): Door {
  return new Door({
    address: parseAddress(url),
    passwordFile: '/nonexistent/pgpass',
    fileSystem: nodeFileSystem,
    clock,
    log: silentLogger,
  });
}

export const NO_ACCOUNTS: WorkerRules['accounts'] = {
  windowOf: () => undefined,
  adoptWindow: async () => {},
  day: undefined,
};

export function workerRules(overrides: Partial<WorkerRules> = {}): WorkerRules {
  return {
    slots: 1,
    labels: [],
    trusted: ['owner'],
    repositories: undefined,
    mayBypass: false,
    leaseSeconds: 300,
    hasAgent: () => true,
    agents: () => ['claude'],
    accounts: NO_ACCOUNTS,
    ...overrides,
  };
}

export interface FleetMachine {
  readonly queue: FleetQueue;
  readonly id: string;
}

export interface MachineOptions {
  readonly rules?: WorkerRules;
  readonly url?: string;
  readonly boot?: BootClock;
}

/** Machines of one fleet in this process, each with its own connection. */
export class FleetQueues implements AsyncDisposable {
  readonly #open: FleetQueue[] = [];
  readonly #dir: TempDir;
  readonly #db: Cluster;
  #made = 0;

  private constructor(db: Cluster, dir: TempDir) {
    this.#db = db;
    this.#dir = dir;
  }

  static async open(db: Cluster): Promise<FleetQueues> {
    await using door = doorTo(db.url);
    const { connection } = await door.open({ isAnySchema: true });
    await migrate(connection);
    return new FleetQueues(db, await tempDir());
  }

  async machine({
    rules = workerRules(),
    url = this.#db.url,
    boot,
  }: MachineOptions = {}): Promise<FleetMachine> {
    const id = systemIds.uuid();
    const name = `machine-${id.slice(0, 8)}`;
    const door = doorTo(url);
    const { connection } = await door.open();
    await new Hub(connection).join({ id, name, bootId: 'b', version: '1' });
    this.#made += 1;
    const queue = new FleetQueue({
      door,
      machine: { id, name },
      tools: storageTools(),
      directory: this.#dir.at(`machine-${this.#made}`),
      boot: boot ?? bootClock(nodeFileSystem, systemClock),
      repositoryOf: async () => 'https://git.lan/team/project.git',
      rules,
    });
    this.#open.push(queue);
    return { queue, id };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const queue of this.#open) await queue[Symbol.asyncDispose]();
    await this.#dir[Symbol.asyncDispose]();
  }
}

/** An empty queue, for the next test. */
export async function emptyQueue(db: Cluster): Promise<void> {
  await db.sql(
    'truncate holdfast.taking, holdfast.account, holdfast.day_use, holdfast.worker, holdfast.entry cascade',
  );
  await db.sql('update holdfast.queue set paused_at = null, hold_until = null');
}
