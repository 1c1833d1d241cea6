import { join } from 'node:path';
import { adoptWindow, DayLedger, readWindow } from '../../accounts/index.js';
import {
  bootClock,
  type Door,
  type FleetAccounts,
  type FleetDay,
  type FleetPlace,
  FleetQueue,
  fleetRunner,
  JoinedQueue,
  keepRefsTidy,
  MovingPlace,
  readOwnMachine,
  type WorkerRules,
} from '../../fleet/index.js';
import { isHoldfastError } from '../../foundation/index.js';
import { Checkpoints, type Use } from '../../hub/index.js';
import type { FileQueue, Queue } from '../../queue/index.js';
import { entryRunner } from '../../worker/index.js';
import { accountOfUse, dayLimits } from '../agents/accounts.js';
import { openAgents } from '../agents/open-agents.js';
import type { Served, WorkOptions } from '../queue/work-options.js';
import { runServices } from '../run/run-services.js';
import type { Services } from '../services.js';
import { workbenchOf } from '../sessions/open-processes.js';
import { fleetDoor, watchFleetIdentity } from './fleet-door.js';
import { type MayPushBase, sharedRepository } from './shared-repository.js';

/**
 * The queue that the machines of the fleet share; undefined if this one has not joined. The caller disposes of it, unless
 * it passed in a door of its own. Throws FLEET_NOT_JOINED, FLEET_ADDRESS_INVALID, UNSAFE_PATH.
 */
export function openFleetQueue(
  services: Services,
  {
    worker,
    mayPushBase,
    door: given,
  }: {
    readonly worker?: { readonly slots: number; readonly labels: readonly string[] };
    readonly mayPushBase?: MayPushBase | undefined;
    readonly door?: Door;
  } = {},
): FleetQueue | undefined {
  const { tools, config, clock } = services;
  const directory = config.layout.fleet;
  const machine = readOwnMachine(tools, directory);
  if (machine === undefined) return undefined;
  const door = given ?? fleetDoor(services);
  return new FleetQueue({
    door,
    machine,
    tools,
    directory,
    boot: bootClock(tools.fileSystem, clock),
    repositoryOf: (project, base) => sharedRepository(services, project, base, mayPushBase),
    rules: worker === undefined ? undefined : rulesOf(services, door.address.user, worker),
  });
}

/** Both queues for a worker, and what runs the entries of each; only the local one if this machine has left its fleet. */
export function serveBothQueues(
  services: Services,
  options: WorkOptions & { readonly slots: number },
  local: FileQueue,
): Served {
  const watch = watchFleetIdentity(services);
  try {
    const served = serveAsNow(services, options, local);
    return {
      ...served,
      changed: watch.changed,
      async [Symbol.asyncDispose]() {
        watch[Symbol.dispose]();
        await served.close();
      },
    };
  } catch (error) {
    watch[Symbol.dispose]();
    throw error;
  }
}

function serveAsNow(
  services: Services,
  { labels = [], slots, onFleetTrouble }: WorkOptions & { readonly slots: number },
  local: FileQueue,
): Omit<Served, 'changed' | typeof Symbol.asyncDispose> & { close(): Promise<void> } {
  const { log, tools, config } = services;
  const own = entryRunner(runServices(services), local);
  const fleet = openFleetQueue(services, { worker: { slots, labels } });
  if (fleet === undefined) return { queue: local, runner: own, machine: undefined, close: async () => {} };
  const queue = new JoinedQueue(
    { local, fleet },
    { log, ...(onFleetTrouble === undefined ? {} : { onTrouble: onFleetTrouble }) },
  );
  const ending = new AbortController();
  const tidied = keepTidy(services, ending.signal);
  return {
    queue,
    runner: fleetRunner(fleetPlaceOf(services, fleet), own, log),
    machine: readOwnMachine(tools, config.layout.fleet)?.name,
    async close() {
      ending.abort();
      await tidied;
      await fleet[Symbol.asyncDispose]();
    },
  };
}

/** Removes old refs from git servers. Workers do this, because they reach those servers without anybody typing a password. */
function keepTidy(services: Services, signal: AbortSignal): Promise<void> {
  const { tools, clock, log, config } = services;
  return keepRefsTidy(
    {
      tools,
      workbench: workbenchOf(services),
      directory: config.layout.fleet,
      clock,
      log,
      checkpoints: () => openCheckpoints(services),
    },
    signal,
  );
}

async function openCheckpoints(services: Services): Promise<Checkpoints> {
  return new Checkpoints((await fleetDoor(services).open()).connection);
}

/** Where runs of the fleet live on this machine. */
function fleetPlaceOf(services: Services, queue: Queue): FleetPlace {
  const { tools, log, config } = services;
  return new MovingPlace({
    queue,
    services: runServices(services),
    tools,
    log,
    directory: config.layout.fleet,
    guard: guardProgram(services),
    refs: config.get('fleet.ref'),
    checkpoints: () => openCheckpoints(services),
  });
}

/** The guard is a separate program next to this one. */
function guardProgram({ self }: Services): { command: string; args: readonly string[] } {
  const entry = self.args.find((word) => /cli\/[^/]+$/.test(word)) ?? self.command;
  return { command: process.execPath, args: [entry.replace(/cli\/[^/]+$/, 'guard/guard.cjs')] };
}

function rulesOf(
  services: Services,
  person: string,
  { slots, labels }: { readonly slots: number; readonly labels: readonly string[] },
): WorkerRules {
  const { config } = services;
  const hasAgent = (name: string | undefined) => {
    try {
      openAgents(services).chooseInstalled(name);
      return true;
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
      return false;
    }
  };
  return {
    slots,
    labels,
    trusted: [person, ...config.get('fleet.trust')],
    repositories: config.get('fleet.repositories'),
    mayBypass: config.get('fleet.bypass'),
    leaseSeconds: config.get('fleet.leaseSeconds'),
    hasAgent,
    agents: () =>
      openAgents(services)
        .list()
        .map(({ name }) => name)
        .filter((name) => hasAgent(name)),
    accounts: accountsOf(services),
  };
}

function accountsOf(services: Services): FleetAccounts {
  const { tools, config } = services;
  const directory = config.layout.accounts;
  const account = ({ agent, account: name }: Use) => {
    try {
      return accountOfUse(services, { agent: agent ?? undefined, account: name ?? undefined });
    } catch (error) {
      // Not configured on this machine, or its agent is not installed here: nothing is known about it.
      if (!isHoldfastError(error)) throw error;
      return undefined;
    }
  };
  return {
    windowOf(use) {
      const known = account(use);
      const window = known === undefined ? undefined : readWindow(tools, directory, known);
      return window === undefined ? undefined : { until: window.until, scope: window.scope };
    },
    async adoptWindow(use, window) {
      const known = account(use);
      if (known !== undefined) await adoptWindow(tools, directory, known, window);
    },
    day: dayOf(services),
  };
}

/** The usage of runs elsewhere is recorded as one more run here, so every run counts it. */
const ELSEWHERE = 'fleet';

function dayOf(services: Services): FleetDay | undefined {
  const { tools, config } = services;
  const limits = dayLimits(services);
  if (limits.costUsd === undefined && limits.tokens === undefined) return undefined;
  const ledger = new DayLedger(tools, { directory: join(config.layout.accounts, 'days'), limits });
  return {
    limits,
    today: () => ledger.today(),
    used: () => ledger.used(ledger.today(), { except: ELSEWHERE }),
    noteElsewhere: (use) => ledger.record(ELSEWHERE, use),
  };
}
