import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Door,
  FleetDesk,
  FleetElsewhere,
  FleetQuestions,
  holdLink,
  KnownQuestions,
  Link,
  type LinkState,
  linkLock,
  listLeases,
  machineNameFrom,
  NotStoredError,
  type OwnMachine,
  RemoteQuestions,
  RemoteRuns,
  readOwnMachine,
  SentRequests,
  settleLeftBehind,
} from '../../fleet/index.js';
import {
  addressText,
  addressWithPassword,
  Checkpoints,
  type Hub,
  type HubAddress,
  parseAddress,
} from '../../hub/index.js';
import type { OverviewRow } from '../../overview/index.js';
import type { Queue } from '../../queue/index.js';
import { retireRun } from '../../run/index.js';
import {
  ensureDirectory,
  inspectLock,
  Lock,
  removeUserFile,
  replaceFile,
  tryAcquireLock,
} from '../../storage/index.js';
import type { Services } from '../services.js';
import { setSetting, unsetSetting } from '../settings/edit-config.js';
import { addressOf, doorTo, fleetDoor, watchFleetIdentity } from './fleet-door.js';

/** The fleet itself: creating, joining, inspecting and leaving it. */
export function openFleet(services: Services): FleetDesk {
  const { tools, config } = services;
  const directory = config.layout.fleet;
  return new FleetDesk({
    tools,
    directory,
    sent: sentRequests(services),
    bootId: bootIdOf(services),
    doorTo: (address = addressOf(services)) => doorTo(services, address),
    defaultName: config.get('fleet.machine') ?? machineNameFrom(hostname()),
    settings: {
      save: (address) => saveAddress(services, address),
      forget: () => forgetAddress(services),
    },
    settleLeft: (machine, hub) => settleLeftIn(services, machine, hub),
    isLinked: () => isLinked(services),
  });
}

export interface OpenFleetQuestions extends AsyncDisposable {
  readonly questions: FleetQuestions;
  /** The questions of the other machines, and what of them could not be read just now. */
  readonly remote: RemoteQuestions;
  /** The same as last read, for callers that do not wait for the hub. */
  readonly known: KnownQuestions;
  /** This machine and its login, `laptop/ann`, as homes record it after `fleet:`. */
  readonly self: string;
  /** The runs of the other machines, and the requests to them. */
  readonly runs: RemoteRuns;
  /** Both for an overview; nothing is read before `refresh` or `watch`. */
  readonly elsewhere: FleetElsewhere;
}

/**
 * The questions of every machine. If no process here holds the link, what happened here is passed on first. Undefined if
 * this machine has not joined. Throws FLEET_ADDRESS_INVALID, UNSAFE_PATH.
 */
export async function openFleetQuestions(
  services: Services,
  { timeoutMs, isQuick = false }: { readonly timeoutMs?: number; readonly isQuick?: boolean } = {},
): Promise<OpenFleetQuestions | undefined> {
  const { tools, clock, config, questions: local } = services;
  const directory = config.layout.fleet;
  const machine = readOwnMachine(tools, directory);
  if (machine === undefined) return undefined;
  const door = doorTo(services, addressOf(services));
  const sent = sentRequests(services);
  const parts = { door, machine, sent, clock, ids: tools.ids, timeoutMs };
  const remote = new RemoteQuestions(parts);
  const runs = new RemoteRuns(parts);
  const queued = queuedIn(services, door);
  if (!isQuick) await passOnce(services, { door, machine, timeoutMs });
  return {
    questions: new FleetQuestions({ local, remote, tools, directory }),
    remote,
    known: new KnownQuestions({ remote, isLocal: (id) => local.has(id) }),
    self: `${machine.name}/${door.address.user}`,
    runs,
    elsewhere: new FleetElsewhere({ door, runs, questions: remote, queued, clock, timeoutMs }),
    [Symbol.asyncDispose]: () => door.close(),
  };
}

/** What is waiting in the queue of the fleet. The queue is opened on first use, and remembers what it has read. */
function queuedIn(services: Services, door: Door): () => Promise<readonly OverviewRow[]> {
  let queue: Queue | undefined;
  return async () => {
    queue ??= (await import('./open-fleet-queue.js')).openFleetQueue(services, { door });
    return queue === undefined
      ? []
      : (await import('../overview/queue-rows.js')).sharedQueueRows(services, queue);
  };
}

/** Keeps this machine in step with its fleet until disposed; undefined if it has not joined. Throws as above. */
export function holdFleetLink(
  services: Services,
  onState?: (state: LinkState) => void,
): AsyncDisposable | undefined {
  const { tools, config, clock, log } = services;
  const directory = config.layout.fleet;
  const open = () => {
    const machine = readOwnMachine(tools, directory);
    return machine === undefined ? undefined : linkParts(services, fleetDoor(services), machine);
  };
  // Wrong settings are reported to the caller that starts it.
  if (open() === undefined) return undefined;
  const watchIdentity = () => watchFleetIdentity(services);
  return holdLink(tools, { open, watchIdentity, directory, clock, log, onState });
}

/** Checks an address that was typed. Throws FLEET_ADDRESS_INVALID. */
export function readAddress(services: Services, typed: string | undefined): HubAddress {
  return typed === undefined ? addressOf(services) : parseAddress(typed);
}

/** Does nothing if another process here is already doing this. An unreachable hub is reported by the next request. */
async function passOnce(
  services: Services,
  { door, machine, timeoutMs }: { door: Door; machine: OwnMachine; timeoutMs: number | undefined },
): Promise<void> {
  const { tools, config, log } = services;
  const lock = tryAcquireLock(tools, linkLock(config.layout.fleet));
  if (!(lock instanceof Lock)) return;
  using _held = lock;
  try {
    await new Link(linkParts(services, door, machine)).pass(await door.open({ timeoutMs }));
  } catch (error) {
    log.debug('fleet.not-passed-on', { error: String(error) });
  }
}

function linkParts(services: Services, door: Door, machine: OwnMachine) {
  const { clock, log, questions } = services;
  const sent = sentRequests(services);
  // Needed only by the holder of the link; reading the questions does without it.
  const runs = async () => (await import('./own-runs.js')).ownRuns(services);
  const settleLeft = (hub: Hub) => settleLeftIn(services, machine, hub);
  return { door, machine, bootId: bootIdOf(services), questions, runs, sent, clock, log, settleLeft };
}

/** Most machines never had a lease; then the hub is not asked. */
async function settleLeftIn({ tools, config, questions, log }: Services, machine: OwnMachine, hub: Hub) {
  const { fleet } = config.layout;
  const leases = listLeases(tools.fileSystem, fleet);
  if (leases.length === 0) return;
  const checkpoints = new Checkpoints(hub.connection);
  const left = await settleLeftBehind(tools, fleet, {
    leases,
    standing: await checkpoints.standing(leases.map(({ entry }) => entry)),
    machine: machine.id,
    lastOf: (entry) => checkpoints.last(entry),
    retire: ({ run }) => retireRun({ tools, log }, config.layout, run),
    questions,
  });
  for (const { run, machine: where } of left) log.warn('fleet.run-left-behind', { run, machine: where });
}

function sentRequests({ tools, config }: Services): SentRequests {
  return new SentRequests(tools, config.layout.fleet);
}

function bootIdOf({ tools }: Services): string {
  return tools.identity.bootId ?? 'unknown';
}

/** The error for a decision that was not stored because no server could be reached. */
export function notStored(cause: Error): NotStoredError {
  return new NotStoredError(cause);
}

/** Whether this home is in a fleet. */
export function isJoined({ tools, config }: Services): boolean {
  return readOwnMachine(tools, config.layout.fleet) !== undefined;
}

/** Whether a process on this machine holds its link now. */
export function isLinked({ tools, config }: Services): boolean {
  const { fleet } = config.layout;
  if (tools.fileSystem.look(fleet) === undefined) return false;
  return inspectLock(tools, linkLock(fleet)).hold === 'held';
}

/** A password goes into a file that only we can read, and nowhere else; one from the environment stays there. */
function saveAddress(services: Services, address: HubAddress): string {
  const { config, environment, tools } = services;
  if (environment.HOLDFAST_FLEET_URL) return 'HOLDFAST_FLEET_URL';
  if (address.password === undefined) {
    setSetting(services, 'fleet.url', addressText(address));
    unsetSetting(services, 'fleet.urlFile');
    return config.layout.configFile;
  }
  const path = secretPath(services);
  ensureDirectory(tools.fileSystem, dirname(path));
  replaceFile(tools, path, `${addressWithPassword(address)}\n`, 0o600);
  setSetting(services, 'fleet.urlFile', path);
  unsetSetting(services, 'fleet.url');
  return path;
}

function forgetAddress(services: Services): void {
  const { config, tools } = services;
  if (config.get('fleet.urlFile') === secretPath(services))
    removeUserFile(tools.fileSystem, secretPath(services));
  unsetSetting(services, 'fleet.url');
  unsetSetting(services, 'fleet.urlFile');
}

function secretPath({ config }: Services): string {
  return join(dirname(config.layout.configFile), 'fleet-url');
}
