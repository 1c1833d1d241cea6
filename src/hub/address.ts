import { isIP } from 'node:net';
import { FleetAddressError } from './errors.js';

/** How a connection is protected from being read and from ending at an impostor. */
export type TlsMode = 'verify-full' | 'verify-ca' | 'require' | 'disable';

export interface HubHost {
  /** A name, an address, or the directory of a socket. */
  readonly host: string;
  readonly port: number;
}

/** Where the database is and how to get in. The password is kept separate, and nothing of ours prints it. */
export interface HubAddress {
  readonly hosts: readonly HubHost[];
  readonly user: string;
  readonly database: string;
  /** As typed; absent means verify-full, or no TLS on this machine. */
  readonly tls: TlsMode | undefined;
  readonly rootCertificate: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly password: string | undefined;
}

const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const TLS_MODES: readonly string[] = ['verify-full', 'verify-ca', 'require', 'disable'];
const PARAMETERS: readonly string[] = ['host', 'port', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const DEFAULT_PORT = 5432;
const MAX_CHARACTERS = 4_096;

/** Parses an address. Throws FLEET_ADDRESS_INVALID, which never repeats anything of the input. */
export function parseAddress(text: string): HubAddress {
  const match = text.length > MAX_CHARACTERS ? null : FORM.exec(text.trim());
  if (match === null) throw new FleetAddressError('not of the form postgres://user@host/database');
  const [, person = '', places = '', database = '', query = ''] = match;
  const parameters = parametersOf(query);
  const colon = person.indexOf(':');
  const user = decoded(colon === -1 ? person : person.slice(0, colon));
  if (user === '') throw new FleetAddressError('it names no user: postgres://user@…');
  if (database === '') throw new FleetAddressError('it does not name a database: …/holdfast');
  const tls = parameters.get('sslmode');
  if (tls !== undefined && !TLS_MODES.includes(tls))
    throw new FleetAddressError(`sslmode is one of ${TLS_MODES.join(', ')}`);
  return {
    hosts: hostsOf(parameters.get('host') ?? places, parameters.get('port')),
    user,
    database: decoded(database),
    tls: tls as TlsMode | undefined,
    rootCertificate: parameters.get('sslrootcert'),
    certificate: parameters.get('sslcert'),
    key: parameters.get('sslkey'),
    password: colon === -1 ? undefined : decoded(person.slice(colon + 1)),
  };
}

/** The address as text, without its password: for config, messages and the next machine. */
export function addressText(address: HubAddress, user = address.user): string {
  const { hosts, database, tls, rootCertificate, certificate, key } = address;
  const places = hosts
    .map(({ host, port }) => `${bracketed(host)}${port === DEFAULT_PORT ? '' : `:${port}`}`)
    .join(',');
  const parameters = Object.entries({
    sslmode: tls,
    sslrootcert: rootCertificate,
    sslcert: certificate,
    sslkey: key,
  })
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `postgres://${encodeURIComponent(user)}@${places}/${encodeURIComponent(database)}${query}`;
}

/** The same with its password, for a file that only its owner may read. */
export function addressWithPassword(address: HubAddress): string {
  const { password } = address;
  const text = addressText(address);
  return password === undefined ? text : text.replace('@', () => `:${encodeURIComponent(password)}@`);
}

/** Whether a host is this machine: a socket or loopback. */
export function isLocal({ host }: HubHost): boolean {
  if (host.startsWith('/') || host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

/** The TLS mode for a host: what was typed; otherwise none on this machine and verify-full elsewhere. */
export function tlsFor(address: Pick<HubAddress, 'tls'>, host: HubHost): TlsMode {
  return address.tls ?? (isLocal(host) ? 'disable' : 'verify-full');
}

function hostsOf(places: string, portOfAll: string | undefined): HubHost[] {
  const hosts = places.split(',').map((place) => hostOf(place, portOfAll));
  if (hosts.length > 16) throw new FleetAddressError('it names more than 16 hosts');
  return hosts;
}

function hostOf(place: string, portOfAll: string | undefined): HubHost {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(place.trim());
  if (match === null) throw new FleetAddressError('a host is a name, an address or a directory, then :port');
  const host = match[1] ?? decoded(match[2] ?? '');
  const port = Number(match[3] ?? portOfAll ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new FleetAddressError('a port is a number from 1 to 65535');
  return { host: host === '' ? 'localhost' : host, port };
}

function parametersOf(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!PARAMETERS.includes(name))
      throw new FleetAddressError(`only these may follow the question mark: ${PARAMETERS.join(', ')}`);
    parameters.set(name, value);
  }
  return parameters;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // What stands there is not repeated: it may be the password.
    throw new FleetAddressError('a % in it is not followed by two hexadecimal digits');
  }
}

function bracketed(host: string): string {
  if (host.startsWith('/')) return encodeURIComponent(host);
  return host.includes(':') ? `[${host}]` : host;
}
