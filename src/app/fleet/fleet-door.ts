import { join } from 'node:path';
import {
  Door,
  FleetNotJoinedError,
  type IdentityWatch,
  readOwnMachine,
  watchIdentity,
} from '../../fleet/index.js';
import { isHoldfastError } from '../../foundation/index.js';
import {
  addressWithPassword,
  FleetAddressError,
  type HubAddress,
  parseAddress,
  readSecretFile,
} from '../../hub/index.js';
import { loadConfig } from '../config.js';
import { builtOnce, type Services } from '../services.js';

/** The one connection that this process uses for all its work with the fleet. Throws FLEET_NOT_JOINED, FLEET_ADDRESS_INVALID. */
export function fleetDoor(services: Services): Door {
  const open = () => doorTo(services, addressNow(services));
  const held = builtOnce(services.tools, 'fleet-door', () => ({ door: open() }));
  // Its last user has closed it.
  if (held.door.isClosed) held.door = open();
  return held.door;
}

/** The address in the files now; it may have changed since a long-lived process started. Throws as `addressOf`, CONFIG_INVALID. */
function addressNow(services: Services): HubAddress {
  const { tools, environment, workingDirectory } = services;
  const config = loadConfig({ fileSystem: tools.fileSystem, environment, workingDirectory });
  return addressOf({ ...services, config });
}

/** Notices when this home becomes another machine, joins another fleet, or leaves its fleet. */
export function watchFleetIdentity(services: Services): IdentityWatch {
  const { tools, config } = services;
  const directory = config.layout.fleet;
  const identity = () => {
    try {
      const machine = readOwnMachine(tools, directory);
      return machine === undefined ? '' : `${machine.id} ${addressWithPassword(addressNow(services))}`;
    } catch (error) {
      // A half-made change: it is still being made, or whoever needs the address reports it.
      if (!isHoldfastError(error)) throw error;
      return '';
    }
  };
  return watchIdentity(tools, directory, identity);
}

/** A door to the hub at an address. */
export function doorTo({ config, tools, clock, log }: Services, address: HubAddress): Door {
  const passwordFile = join(config.roots.home, '.pgpass');
  return new Door({ address, passwordFile, fileSystem: tools.fileSystem, clock, log });
}

/**
 * The address from the environment, otherwise from the file, otherwise from config.json. Throws FLEET_NOT_JOINED,
 * FLEET_ADDRESS_INVALID, UNSAFE_PATH.
 */
export function addressOf({ config, environment, tools }: Services): HubAddress {
  const given = environment.HOLDFAST_FLEET_URL;
  if (given) return parseAddress(given);
  const file = expandHome(config.get('fleet.urlFile'), config.roots.home);
  if (file !== undefined) {
    const text = readSecretFile(tools.fileSystem, file);
    if (text === undefined)
      throw new FleetAddressError(`there is no file ${file}`, 'fleet.urlFile in config.json names it.');
    return parseAddress(text);
  }
  const url = config.get('fleet.url');
  if (url === undefined) throw new FleetNotJoinedError();
  return parseAddress(url);
}

function expandHome(path: string | undefined, home: string): string | undefined {
  return path?.startsWith('~/') ? join(home, path.slice(2)) : path;
}
