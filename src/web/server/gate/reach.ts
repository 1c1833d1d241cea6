import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { InvalidInputError, visibleExcerpt } from '../../../foundation/index.js';
import { BindRefusedError } from '../errors.js';

/** How the server can be reached. */
export interface Reach {
  /** The port; if absent, the usual one, or any. */
  readonly port?: number | undefined;
  /** An address in addition to those only this machine can reach. */
  readonly bind?: string | undefined;
  readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
  /** Origins under which a proxy, a tunnel or a tailnet exposes it. */
  readonly behind: readonly string[];
  /** A Unix socket instead of a port. */
  readonly socket?: string | undefined;
}

const LOOPBACK = ['127.0.0.1', '::1'];

/** Refuses settings that would expose the page to the network unencrypted. Throws BIND_REFUSED, INVALID_INPUT. */
export function checkReach({ port, bind, tls, behind, socket }: Reach): void {
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535))
    throw new InvalidInputError('--port: a number from 1 to 65535 is expected', { place: 'port' });
  for (const origin of behind) behindOrigin(origin);
  if (socket !== undefined && behind.length === 0)
    throw new BindRefusedError('A socket has no name that a browser could open', {
      hint: 'Name the origin under which it will be reached, such as --behind http://localhost:8080 for `ssh -L 8080:<socket>`.',
    });
  if (socket !== undefined && (port !== undefined || bind !== undefined || tls !== undefined))
    throw new InvalidInputError('--socket takes the place of --port, --bind and --tls-cert', {
      place: 'socket',
    });
  if (bind === undefined || LOOPBACK.includes(bind)) return;
  if (isIP(bind) === 0) throw new InvalidInputError('--bind: an IP address is expected', { place: 'bind' });
  if (tls === undefined && !behind.some((origin) => origin.startsWith('https:')))
    throw new BindRefusedError(
      `${bind} can be reached from other machines, where plain http can be read on its way`,
      {
        hint: 'Add --tls-cert and --tls-key, or --behind <origin> if an https proxy stands in front of it.',
      },
    );
}

/** Checks a declared origin. Throws INVALID_INPUT. */
export function behindOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && (url.origin === text || `${url.origin}/` === text);
  if (!isOrigin)
    throw new InvalidInputError(
      `--behind: an origin such as https://host.example is expected, not ${visibleExcerpt(text, 80)}`,
      { place: 'behind' },
    );
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isOfThisMachine(url.hostname)))
    return url.origin;
  throw new BindRefusedError(`${visibleExcerpt(text, 80)} is plain http, which can be read on its way`, {
    hint: 'Only localhost may be plain http; everything else must be https.',
  });
}

function isOfThisMachine(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '127.0.0.1' || name === '[::1]';
}

/** The origins of a server on this port; the one for links comes first. */
export function originsOf(
  { bind, tls, behind, socket }: Reach,
  name: string,
  port: number,
): { readonly origin: string; readonly isBehind: boolean }[] {
  const scheme = tls === undefined ? 'http' : 'https';
  const local = [`${name}.localhost`, '127.0.0.1', '[::1]'];
  // Without our own TLS, only the proxy may use that address, and it passes on the name of its own origin.
  const isBound = tls !== undefined && bind !== undefined && !['0.0.0.0', '::', ...LOOPBACK].includes(bind);
  const bound = isBound ? [inUrl(bind)] : [];
  const certified = tls === undefined ? [] : namesIn(tls.certificate);
  // A declared origin is where the person means to open the page.
  const own = socket === undefined ? [...certified, ...bound, ...local] : [];
  return [
    ...behind.map((text) => ({ origin: behindOrigin(text), isBehind: true })),
    ...own.map((host) => ({ origin: `${scheme}://${host}:${port}`, isBehind: false })),
  ];
}

function inUrl(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}

/** The names a certificate is valid for. Throws INVALID_INPUT. */
function namesIn(certificate: string): string[] {
  try {
    const { subjectAltName = '' } = new X509Certificate(certificate);
    return [...subjectAltName.matchAll(/DNS:([a-z0-9.-]+)/gi)].map(([, name = '']) => name.toLowerCase());
  } catch (cause) {
    throw new InvalidInputError('--tls-cert: not a certificate in PEM form', { place: 'tls-cert', cause });
  }
}
