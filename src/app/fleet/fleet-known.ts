import type { Services } from '../base.js';

/** Whether this machine is told where a fleet is: otherwise nothing of fleets need be loaded. */
export function isFleetKnown({ config, environment }: Pick<Services, 'config' | 'environment'>): boolean {
  return (
    Boolean(environment.HOLDFAST_FLEET_URL) ||
    config.get('fleet.url') !== undefined ||
    config.get('fleet.urlFile') !== undefined
  );
}
