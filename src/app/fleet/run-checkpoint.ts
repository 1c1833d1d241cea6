import { join } from 'node:path';
import { FleetCheckpoint, openRepository, readLease } from '../../fleet/index.js';
import type { Services } from '../services.js';
import { openConversations } from '../sessions/open-conversations.js';
import { workbenchOf } from '../sessions/open-processes.js';
import { fleetDoor } from './fleet-door.js';

/**
 * The checkpoints of a leased run; undefined if this machine has no lease for it. Throws FLEET_NOT_JOINED,
 * FLEET_ADDRESS_INVALID, GIT_FAILED, GIT_REMOTE.
 */
export async function runCheckpoint(
  services: Services,
  sessionId: string,
  { projectDirectory, conversation }: { readonly projectDirectory: string; readonly conversation: string },
): Promise<FleetCheckpoint | undefined> {
  const { tools, config, clock, log, questions } = services;
  const { fileSystem } = tools;
  const { fleet } = config.layout;
  const read = () => readLease(fileSystem, fleet, sessionId);
  const lease = read();
  if (lease === undefined) return undefined;
  const workbench = workbenchOf(services);
  const remote = await openRepository(tools, workbench, fleet, lease.repository);
  return new FleetCheckpoint(
    {
      door: fleetDoor(services),
      readLease: read,
      fileSystem,
      clock,
      log,
      workbench,
      remote,
      projectDirectory,
      scratch: join(fleet, 'scratch'),
      conversations: openConversations(services),
      conversation,
      questions,
    },
    lease,
  );
}
