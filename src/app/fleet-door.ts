import { join } from 'node:path';
import { Door, FleetNotJoinedError } from '../fleet/index.js';
import { FleetAddressError, type HubAddress, parseAddress, readSecretFile } from '../hub/index.js';
import { builtOnce, type Services } from './services.js';

/** One connection for all that this process does with its fleet while it lives. Throws FLEET_NOT_JOINED, FLEET_ADDRESS_INVALID. */
export function fleetDoor(services: Services): Door {
  const open = () => doorTo(services, addressOf(services));
  const held = builtOnce(services.tools, 'fleet-door', () => ({ door: open() }));
  // Whoever had it is done with it.
  if (held.door.isClosed) held.door = open();
  return held.door;
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
