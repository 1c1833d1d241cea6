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

/** One connection for all that this process does with its fleet while it lives. Throws FLEET_NOT_JOINED, FLEET_ADDRESS_INVALID. */
export function fleetDoor(services: Services): Door {
  const open = () => doorTo(services, addressNow(services));
  const held = builtOnce(services.tools, 'fleet-door', () => ({ door: open() }));
  // Whoever had it is done with it.
  if (held.door.isClosed) held.door = open();
  return held.door;
}

/** As the files have it now: whoever lives long may have been started before it was changed. Throws as `addressOf`, CONFIG_INVALID. */
function addressNow(services: Services): HubAddress {
  const { tools, environment, workingDirectory } = services;
  const config = loadConfig({ fileSystem: tools.fileSystem, environment, workingDirectory });
  return addressOf({ ...services, config });
}

/** Tells when this home is another machine, in another fleet, or in none. */
export function watchFleetIdentity(services: Services): IdentityWatch {
  const { tools, config } = services;
  const directory = config.layout.fleet;
  const identity = () => {
    try {
      const machine = readOwnMachine(tools, directory);
      return machine === undefined ? '' : `${machine.id} ${addressWithPassword(addressNow(services))}`;
    } catch (error) {
      // Half of a change: whoever makes it is not done yet, or it is told by who needs it.
      if (!isHoldfastError(error)) throw error;
      return '';
    }
  };
  return watchIdentity(tools, directory, identity);
}

/** A way to an address. */
export function doorTo({ config, tools, clock, log }: Services, address: HubAddress): Door {
  const passwordFile = join(config.roots.home, '.pgpass');
  return new Door({ address, passwordFile, fileSystem: tools.fileSystem, clock, log });
}

/** The environment before the file before config.json. Throws FLEET_NOT_JOINED, FLEET_ADDRESS_INVALID, UNSAFE_PATH. */
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
