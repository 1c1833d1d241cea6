import { join } from 'node:path';
import type { RunServices } from '../../run/index.js';
import type { Services } from '../services.js';

/**
 * What a run that the fleet leased to this machine also needs; undefined for any other run, at the cost of one lookup. Throws
 * FLEET_NOT_JOINED, FLEET_ADDRESS_INVALID, GIT_FAILED, GIT_REMOTE.
 */
export async function openCheckpoint(
  services: Services,
  sessionId: string,
  place: { readonly projectDirectory: string; readonly conversation: string },
): ReturnType<NonNullable<RunServices['openCheckpoint']>> {
  const { tools, config } = services;
  const file = join(config.layout.fleet, 'leases', `${sessionId}.json`);
  if (tools.fileSystem.look(file) === undefined) return undefined;
  const { runCheckpoint } = await import('./run-checkpoint.js');
  return runCheckpoint(services, sessionId, place);
}
