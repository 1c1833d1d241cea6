import type { Services } from '../base.js';

/** Whether this machine knows the address of a fleet. If not, no fleet code needs to be loaded. */
export function isFleetKnown({ config, environment }: Pick<Services, 'config' | 'environment'>): boolean {
  return (
    Boolean(environment.HOLDFAST_FLEET_URL) ||
    config.get('fleet.url') !== undefined ||
    config.get('fleet.urlFile') !== undefined
  );
}
