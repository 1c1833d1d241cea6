import { mkdirSync } from 'node:fs';
import type { AgentConnection, AgentDriver, DriverTools, StartOptions } from '../../src/agents/driver.js';
import type { AgentEvent, TurnEnd, Usage } from '../../src/agents/events.js';
import { plusUsage } from '../../src/agents/usage.js';
import { type Clock, systemClock, systemIds } from '../../src/foundation/index.js';
import { findMarked, type ProcessEntry, ProgramRegistry } from '../../src/programs/index.js';
import { listDirectory, nodeFileSystem } from '../../src/storage/index.js';
import { whileTimePasses } from './fake-clock.js';
import { RecordingLog } from './recording-log.js';
import { storageTools } from './storage-tools.js';
import { type TempDir, tempDir } from './temp-dir.js';

/** A separate world for agents: a working directory, a registry, and a watch on everything they start. */
export interface AgentWorld extends AsyncDisposable {
  readonly dir: TempDir;
  readonly workingDirectory: string;
  /** Where agents store their conversations. */
  readonly stateDirectory: string;
  readonly log: RecordingLog;
  /** Starts an agent that ends with the world at the latest. */
  start(
    driver: AgentDriver,
    options: StartOptions,
    overrides?: Partial<DriverTools>,
  ): Promise<AgentConnection>;
  /** Every living process of every program started here. */
  alive(): ProcessEntry[];
  /** The records of running programs. */
  records(): string[];
  /** Ends what a test left running. */
  endAll(): Promise<void>;
  /** Kills what is left of a world that was never disposed of because its test never finished. */
  killAll(): void;
}

export async function agentWorld(): Promise<AgentWorld> {
  const dir = await tempDir();
  const log = new RecordingLog();
  const storage = storageTools({ log });
  const registry = new WatchedRegistry(storage, dir.at('programs'));
  const tools: DriverTools = { ...storage, ids: systemIds, registry };
  const workingDirectory = dir.at('work');
  mkdirSync(workingDirectory);
  const connections = new Map<AgentConnection, Clock>();
  const endAll = async () => {
    const ends = [...connections].map(([connection, clock]) =>
      whileTimePasses(clock, 1, connection.terminate()),
    );
    await Promise.all(ends);
    connections.clear();
  };
  const alive = () => registry.markers.flatMap((marker) => findMarked(nodeFileSystem, marker));
  let isOver = false;
  return {
    dir,
    workingDirectory,
    stateDirectory: dir.at('state'),
    log,
    async start(driver, options, overrides = {}) {
      const all = { ...tools, ...overrides };
      const connection = await driver.start(all, options);
      connections.set(connection, all.clock);
      return connection;
    },
    alive,
    records: () => [...listDirectory(nodeFileSystem, registry.directory)],
    endAll,
    killAll() {
      if (!isOver) for (const { pid } of alive()) process.kill(pid, 'SIGKILL');
    },
    async [Symbol.asyncDispose]() {
      await endAll();
      isOver = true;
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** A registry that remembers every marker it gave out. */
class WatchedRegistry extends ProgramRegistry {
  readonly markers: string[] = [];

  override announce(command: string, now: Date): string {
    const marker = super.announce(command, now);
    this.markers.push(marker);
    return marker;
  }
}

/** Real time in which patience runs out ten times as fast, for tests that need it to run out. */
export const hastyClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms / 10, signal),
};

/** An exchange that a test follows step by step. */
export class Following {
  readonly events: AgentEvent[] = [];
  readonly #iterator: AsyncIterator<AgentEvent>;

  constructor(exchange: AsyncIterable<AgentEvent>) {
    this.#iterator = exchange[Symbol.asyncIterator]();
  }

  /** Reads up to an event of this type, or the first that matches; fails if the exchange ends first. */
  async until(wanted: AgentEvent['type'] | ((event: AgentEvent) => boolean)): Promise<AgentEvent> {
    const isWanted = typeof wanted === 'string' ? (event: AgentEvent) => event.type === wanted : wanted;
    for (;;) {
      const { done, value } = await this.#iterator.next();
      if (done === true) throw new Error(`it ended before: ${JSON.stringify(this.events)}`);
      this.events.push(value);
      if (isWanted(value)) return value;
    }
  }

  /** Reads to the end: exactly one `turn-end` and nothing after it. */
  async end(): Promise<TurnEnd> {
    const end = (await this.until('turn-end')) as TurnEnd;
    const { done } = await this.#iterator.next();
    if (done !== true) throw new Error('something came after the end');
    return end;
  }

  /** Leaves before the end. */
  async leave(): Promise<void> {
    await this.#iterator.return?.();
  }

  /** How it ended, once it has. */
  get reason(): string | undefined {
    return this.of('turn-end')[0]?.reason;
  }

  /** Its last event. */
  get last(): AgentEvent | undefined {
    return this.events.at(-1);
  }

  get text(): string {
    return this.of('text')
      .map(({ text }) => text)
      .join('');
  }

  /** Its total usage; null if none was reported. */
  get usage(): Usage | null {
    return this.of('usage').reduce<Usage | null>((sum, { usage }) => plusUsage(sum, usage), null);
  }

  of<Type extends AgentEvent['type']>(type: Type): Extract<AgentEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
  }
}

/** Sends a prompt and reads everything that follows. */
export async function converse(connection: AgentConnection, prompt: string): Promise<Following> {
  const following = new Following(connection.prompt(prompt));
  await following.end();
  return following;
}

/** Waits for something outside this process that sends no notification. */
export { until as eventually } from './processes.js';

/** Kills a process in a way it cannot prevent. */
export function kill(pid: number | null): void {
  // 0 would be our own group.
  if (pid === null) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
}
