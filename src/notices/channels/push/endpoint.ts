import { BlockList, isIP } from 'node:net';

/** The push services of existing browsers. An entry that begins with a dot covers every name below it. */
const KNOWN_SERVICES = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  'web.push.apple.com',
  '.push.apple.com',
  '.notify.windows.com',
] as const;

/** The push services that may be called. */
export interface PushServices {
  /** Names that the user added. */
  readonly own: readonly string[];
  /** An origin on this machine, for tests only. */
  readonly test: string | undefined;
}

const MAX_ENDPOINT = 2_000;

/**
 * Why we do not send to an address; undefined if we do. It comes from a browser, so it could be anything: it must be https,
 * under the name of a known push service, on the default port.
 */
export function endpointFault(endpoint: string, { own, test }: PushServices): string | undefined {
  if (endpoint.length > MAX_ENDPOINT || !URL.canParse(endpoint)) return 'its address is not a URL';
  const { protocol, hostname, port, username, password, origin } = new URL(endpoint);
  if (test !== undefined && origin === test) return undefined;
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '')
    return 'its address is not plain https';
  const isKnown = [...KNOWN_SERVICES, ...own].some((name) =>
    name.startsWith('.') ? hostname.endsWith(name) : hostname === name,
  );
  if (isKnown && isIP(hostname.replaceAll(/[[\]]/g, '')) === 0) return undefined;
  return `${hostname.slice(0, 100)} is not a known push service`;
}

const PRIVATE_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const;
const PRIVATE_6 = [
  ['::', 96],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const;

/** Whether an address is public, and not of this machine, a home, an office or a tailnet. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  const family = isIP(plain);
  return family !== 0 && !privateNets().check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

function privateNets(): BlockList {
  const nets = new BlockList();
  for (const [net, prefix] of PRIVATE_4) nets.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of PRIVATE_6) nets.addSubnet(net, prefix, 'ipv6');
  return nets;
}
