import { isHoldfastError, messageOf, sleepOrHint, startOfDay, VERSION } from '../foundation/index.js';
import {
  addressText,
  assertFits,
  Checkpoints,
  type FleetRole,
  FleetRuleError,
  Hub,
  type HubAddress,
  HubQueue,
  type MachineRow,
  mayMakeRoles,
  migrate,
  newRole,
  type OutRow,
  readFleet,
} from '../hub/index.js';
import type { OverviewRow } from '../overview/index.js';
import type { LockTools } from '../storage/index.js';
import { examine, type Finding } from './doctor.js';
import type { Door } from './door.js';
import { FleetNotJoinedError, machineOut, RequestNotFoundError } from './errors.js';
import { type Hearing, hearing } from './link/hearing.js';
import type { SentRequest, SentRequests } from './link/sent-requests.js';
import { type LeftBehindRun, listLeftBehind } from './move/left-behind.js';
import type { MoveReport } from './move/move-report.js';
import { forgetOwnMachine, type OwnMachine, readOwnMachine, writeOwnMachine } from './own-machine.js';
import { runOfRow } from './runs/mirrored-run.js';

export interface DeskOptions {
  readonly tools: LockTools;
  readonly directory: string;
  readonly sent: SentRequests;
  readonly bootId: string;
  /** Opens a way to an address; to the configured one if absent. Throws FLEET_NOT_JOINED if there is none. */
  readonly doorTo: (address?: HubAddress) => Door;
  /** The name of this machine if nobody gives one. */
  readonly defaultName: string;
  readonly settings: {
    /** Saves the address, with a password in a file of its own. Returns where. */
    save(address: HubAddress): string;
    forget(): void;
  };
  /** Finds the runs of this machine that continued elsewhere, and records that. Throws as the hub. */
  readonly settleLeft: (machine: OwnMachine, hub: Hub) => Promise<void>;
  /** Whether a process of ours holds the link now. */
  readonly isLinked: () => boolean;
}

export interface MachineReport {
  readonly name: string;
  readonly role: string;
  readonly version: string;
  readonly quietSeconds: number;
  /** Question sets that are waiting for a person. */
  readonly waiting: number;
  readonly running: number;
  /** Runs that rest until a person continues them. */
  readonly resting: number;
  /** The cost so far of the runs that are open or ended today. */
  readonly costUsd: number;
  readonly isThis: boolean;
}

export interface FleetReport {
  readonly address: string;
  readonly machine: string;
  /** Whether a process on this machine keeps it in step. */
  readonly isLinked: boolean;
  /** Why the hub cannot be asked, or that this machine is no longer in the fleet; absent if all is well. */
  readonly trouble?: string;
  readonly machines: readonly MachineReport[];
  /** Every machine's runs that are open or ended today. */
  readonly runs: readonly OverviewRow[];
  /** What was sent from here and has not arrived yet. */
  readonly onItsWay: readonly {
    request: string;
    session: string;
    machine: string;
    kind: string;
    at: string;
  }[];
  /** What was sent from here and has been settled since the last look. */
  readonly settled: readonly {
    request: string;
    session: string;
    machine: string;
    state: string;
    message: string;
  }[];
}

export interface LeaveOptions {
  /** First gives back what this machine holds. */
  readonly isHandedOver?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

const HAND_OVER_LOOK_MS = 1_000;

/** What a person does with the fleet itself. */
export class FleetDesk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Creates the schema, or brings it up to date, and joins. Throws as the hub. */
  async init(address: HubAddress, name?: string) {
    await using door = this.#options.doorTo(address);
    const { connection } = await door.open({ isAnySchema: true });
    const steps = await migrate(connection);
    assertFits(await readFleet(connection));
    return { steps, ...(await this.#joinOn(new Hub(connection), address, name)) };
  }

  /** `isNew`: joins as a new machine, whatever this home was before. */
  async join(address: HubAddress, name?: string, { isNew = false } = {}) {
    await using door = this.#options.doorTo(address);
    return await this.#joinOn(await door.open(), address, name, isNew);
  }

  async #joinOn(hub: Hub, address: HubAddress, name: string | undefined, isNew = false) {
    const { tools, directory, bootId, defaultName, settings } = this.#options;
    const before = isNew ? undefined : readOwnMachine(tools, directory);
    const machine = { id: before?.id ?? tools.ids.uuid(), name: name ?? before?.name ?? defaultName };
    await hub.join({ ...machine, bootId, version: VERSION });
    const keptIn = settings.save(address);
    // Written last: the living processes of this home then continue with both.
    writeOwnMachine(tools, directory, machine);
    return { machine: machine.name, address: addressText(address), keptIn };
  }

  /** Who is there and what is on its way. An unreachable hub is reported, not thrown. */
  async status(): Promise<FleetReport> {
    await using door = this.#options.doorTo();
    return await this.#statusOn(door);
  }

  /** The same repeatedly: whenever something changes anywhere, and from time to time, until the signal fires. */
  async *watch(signal: AbortSignal): AsyncGenerator<FleetReport> {
    const { clock } = this.#options.tools;
    await using door = this.#options.doorTo();
    let heard: Hearing | undefined;
    let wake = () => {};
    const settled: FleetReport['settled'][number][] = [];
    while (!signal.aborted) {
      const hint = new Promise<void>((resolve) => {
        wake = resolve;
      });
      heard = await hearing(door, heard, () => wake());
      const report = await this.#statusOn(door);
      // The desk reports each of these only once, so a watcher would miss them.
      settled.push(...report.settled);
      yield { ...report, settled: [...settled] };
      await sleepOrHint(clock, LOOK_MS, hint, signal);
    }
  }

  async #statusOn(door: Door): Promise<FleetReport> {
    const { isLinked, sent, tools } = this.#options;
    const machine = this.#own();
    const base = { address: addressText(door.address), machine: machine.name, isLinked: isLinked() };
    try {
      const hub = await door.open();
      const since = startOfDay(tools.clock.now()).toISOString();
      const { rows } = await hub.sessions(null, 'run', { since });
      const runs = rows.flatMap((row) => runOfRow(row) ?? []);
      const machines = (await hub.machines()).map((row) => reportOf(row, runs, machine));
      const out = machines.some(({ isThis }) => isThis) ? undefined : await hub.out(machine.id);
      const trouble = out === undefined ? {} : { trouble: outWords(machine, out, tools.clock.now()) };
      return { ...base, ...trouble, machines, runs, ...(await this.#news(hub)) };
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      const onItsWay = sent.list().map(onItsWayOf);
      return { ...base, trouble: messageOf(error), machines: [], runs: [], onItsWay, settled: [] };
    }
  }

  /** What became of what was sent from here. A request that has ended is reported once, and its copy is deleted. */
  async #news(hub: Hub): Promise<Pick<FleetReport, 'onItsWay' | 'settled'>> {
    const { sent } = this.#options;
    const onItsWay: FleetReport['onItsWay'][number][] = [];
    const settled: FleetReport['settled'][number][] = [];
    for (const request of sent.list()) {
      const { id, session, machine, refusal } = request;
      const found = await hub.request(id);
      if (found === undefined && refusal !== undefined) {
        settled.push({ request: id, session, machine, state: 'refused', message: refusal });
        sent.forget(id);
        continue;
      }
      if (found === undefined || found.state === 'sent' || found.state === 'taken') {
        onItsWay.push(onItsWayOf(request));
        continue;
      }
      const { message } = (found.reply ?? {}) as { message?: unknown };
      const said = typeof message === 'string' ? message : '';
      settled.push({ request: id, session, machine, state: found.state, message: said });
      sent.forget(id);
    }
    return { onItsWay, settled };
  }

  /** Takes back what is on its way, if its home has not taken it yet. Throws REQUEST_NOT_FOUND, and as the hub. */
  async takeBack(
    prefix: string,
  ): Promise<{ request: string; isBack: boolean; machine: string; session: string; kind: string }> {
    const { sent, doorTo } = this.#options;
    const own = sent.list().filter(({ id, session }) => id.startsWith(prefix) || session.startsWith(prefix));
    const [request] = own;
    if (request === undefined || own.length > 1 || prefix.length < 4) throw new RequestNotFoundError(prefix);
    await using door = doorTo();
    const hub = await door.open();
    const isBack = (await hub.takeBack(request.id)) || (await this.#takeBackUnsent(hub, request));
    if (isBack) sent.forget(request.id);
    const { id, machine, session, kind } = request;
    return { request: id, isBack, machine, session, kind };
  }

  /**
   * Takes back a request that the hub never got, or lost: it is stored as taken back, so no link of ours can send it
   * after all.
   */
  async #takeBackUnsent(hub: Hub, request: SentRequest): Promise<boolean> {
    if ((await hub.request(request.id)) !== undefined) return false;
    try {
      return await hub.sendTakenBack(this.#own().id, request);
    } catch (error) {
      // The hub would not have accepted it anyway.
      if (error instanceof FleetRuleError) return true;
      throw error;
    }
  }

  /** Leaves the fleet: what others sent is refused, and what this machine shared is no longer shown. Its files stay. */
  async leave({ isHandedOver = false, signal }: LeaveOptions = {}): Promise<{ machine: string }> {
    const { doorTo, tools, directory, settings } = this.#options;
    const machine = this.#own();
    await using door = doorTo();
    if (isHandedOver) await this.#handOver(door, machine.id, signal);
    await (await door.open()).leave(machine.id);
    forgetOwnMachine(tools, directory);
    settings.forget();
    return { machine: machine.name };
  }

  /** Asks for all runs to be given back, each at the end of its iteration, and waits until none is held. */
  async #handOver(door: Door, machine: string, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options.tools;
    while ((await new HubQueue((await door.open()).connection).wishHandOver(machine)) > 0)
      await clock.sleep(HAND_OVER_LOOK_MS, signal);
  }

  /** Seconds since a machine gave a sign; undefined if no machine has this name. */
  async quietSecondsOf(name: string): Promise<number | undefined> {
    await using door = this.#options.doorTo();
    const machines = await (await door.open()).machines();
    return machines.find((machine) => machine.name === name)?.quiet_seconds;
  }

  async removeMachine(name: string): Promise<{ machine: string }> {
    await using door = this.#options.doorTo();
    await (await door.open()).removeMachine(name);
    return { machine: name };
  }

  /** Throws FLEET_RULE if there is no such run or machine. */
  async moveRun(run: string, to: string): Promise<MoveReport> {
    await using door = this.#options.doorTo();
    const moved = await new Checkpoints((await door.open()).connection).move(run, to);
    return { run: moved?.run ?? run, from: moved?.machine ?? null, to, isAtWork: moved?.is_held === true };
  }

  /** Throws FLEET_RULE if its machine is alive, unless forced. */
  async releaseRun(run: string, isForced: boolean): Promise<{ run: string; from: string | null }> {
    await using door = this.#options.doorTo();
    const released = await new Checkpoints((await door.open()).connection).release(run, isForced);
    return { run: released?.run ?? run, from: released?.machine ?? null };
  }

  /** What this machine had of runs that continued elsewhere. If the hub is unreachable, as far as it was known before. */
  async leftBehind(): Promise<LeftBehindRun[]> {
    const { tools, directory, doorTo, settleLeft } = this.#options;
    try {
      await using door = doorTo();
      await settleLeft(this.#own(), await door.open());
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      tools.log.info('fleet.left-behind-not-settled', { error: messageOf(error) });
    }
    return listLeftBehind(tools.fileSystem, directory);
  }

  async migrate(): Promise<{ steps: number[] }> {
    await using door = this.#options.doorTo();
    return { steps: await migrate((await door.open({ isAnySchema: true })).connection) };
  }

  async restored(): Promise<Record<string, never>> {
    await using door = this.#options.doorTo();
    await (await door.open()).noteRestored();
    return {};
  }

  /** Makes a login for somebody else. Without the right to do so, returns the SQL for somebody who has it. */
  async invite(name: string, role: FleetRole) {
    await using door = this.#options.doorTo();
    const { connection } = await door.open();
    const made = newRole(name, role);
    const isMade = await mayMakeRoles(connection);
    if (isMade) await connection.script(made.sql);
    const url = addressText({ ...door.address, certificate: undefined, key: undefined }, name);
    return { name, role, isMade, url, password: made.password, sql: isMade ? null : made.sql };
  }

  async doctor(): Promise<readonly Finding[]> {
    const { doorTo, tools, directory, bootId, isLinked } = this.#options;
    await using door = doorTo();
    return await examine(door, {
      machine: readOwnMachine(tools, directory),
      bootId,
      isLinked: isLinked(),
      clock: tools.clock,
    });
  }

  #own(): OwnMachine {
    const machine = readOwnMachine(this.#options.tools, this.#options.directory);
    if (machine === undefined) throw new FleetNotJoinedError();
    return machine;
  }
}

function outWords({ name }: OwnMachine, out: OutRow, now: Date): string {
  const { message, hint } = machineOut(name, out, now);
  return `${message}. ${hint}`;
}

function onItsWayOf({ id, session, machine, kind, at }: SentRequest) {
  return { request: id, session, machine, kind, at };
}

function reportOf(row: MachineRow, all: readonly OverviewRow[], own: OwnMachine): MachineReport {
  const runs = all.filter(({ machine }) => machine === row.name);
  return {
    name: row.name,
    role: row.role,
    version: row.version,
    quietSeconds: Math.round(row.quiet_seconds),
    waiting: row.waiting,
    running: runs.filter(({ group }) => group === 'works').length,
    resting: runs.filter(({ group }) => group === 'rests').length,
    costUsd: runs.reduce((sum, { cost }) => sum + (cost?.usd ?? 0), 0),
    isThis: row.id === own.id,
  };
}

/** How often to look even if no notification arrives; ages keep growing. */
const LOOK_MS = 5_000;
