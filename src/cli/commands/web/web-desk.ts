import type { Services } from '../../../app/base.js';
import { sleepOrHint } from '../../../foundation/index.js';
import type { WebDesk, WebLink } from '../../../operations/web.js';
import {
  askToStop,
  issueCode,
  LinkRefusedError,
  listDevices,
  listServers,
  revokeDevice,
  revokeDevices,
  WebNotRunningError,
  webPlace,
  writeAudit,
} from '../../../web/server/index.js';

import { type PairingPerson, pairDevice } from './pair-device.js';

/** Variables in the environment of agents that we started, which must not get a link. */
const MARKS = ['HOLDFAST_MARKER', 'HOLDFAST_RUN', 'RALPH_SESSION'];

/** Refuses if an agent may be working here, or if nobody is looking. Throws LINK_REFUSED. */
export function assertPerson({ environment }: Services, isTerminal: boolean): void {
  const mark = MARKS.find((name) => environment[name] !== undefined && environment[name] !== '');
  if (mark !== undefined) throw new LinkRefusedError(`an agent is working here (${mark} is set)`);
  if (!isTerminal) throw new LinkRefusedError('there is no terminal');
}

/** Makes a link for each name that a server has. */
export async function makeLink(
  services: Services,
  origins: readonly string[],
  can: WebLink['can'],
): Promise<WebLink> {
  const place = webPlace(services);
  const { code, expiresAt } = issueCode(place, can);
  await writeAudit(place, { what: 'link', device: null, can, result: 'done' });
  return { links: shownOrigins(origins).map((origin) => `${origin}/#code=${code}`), can, expiresAt };
}

/** The origins worth printing: the declared ones, otherwise our own; on a Mac also by number, as Safari may not know the name. */
function shownOrigins([first = '', ...rest]: readonly string[]): string[] {
  const isOwn = new URL(first).hostname.endsWith('.localhost');
  const byNumber = rest.find((origin) => new URL(origin).hostname === '127.0.0.1');
  return process.platform === 'darwin' && isOwn && byNumber !== undefined ? [first, byNumber] : [first];
}

/** How often to check whether a server that was asked to stop has ended. */
const LOOK_MS = 50;
const PATIENCE_MS = 15_000;

export function webDesk(services: Services, isTerminal: boolean, pairing?: PairingPerson): WebDesk {
  const place = webPlace(services);
  return {
    async link(can) {
      assertPerson(services, isTerminal);
      const server = listServers(place).at(-1);
      if (server === undefined) throw new WebNotRunningError();
      return makeLink(services, server.origins, can);
    },
    async pair(can, signal = new AbortController().signal) {
      assertPerson(services, isTerminal);
      const server = listServers(place).at(-1);
      if (server === undefined) throw new WebNotRunningError();
      if (pairing === undefined) throw new LinkRefusedError('there is nobody to ask');
      return pairDevice({ services, place, server, person: pairing, signal }, can);
    },
    devices: () => listDevices(place),
    async revoke(device) {
      const reason = 'revoked at the terminal';
      const revoked = device === 'all' ? revokeDevices(place, reason) : [revokeDevice(place, device, reason)];
      for (const { id, name } of revoked)
        await writeAudit(place, { what: 'revoked', device: id, name, result: 'done', reason });
      return revoked;
    },
    async stop(signal) {
      const servers = listServers(place);
      if (servers.length === 0) throw new WebNotRunningError();
      for (const server of servers) askToStop(place, server);
      const asked = new Set(servers.map(({ token }) => token));
      const { clock } = services;
      const untilMs = clock.monotonicMs() + PATIENCE_MS;
      const never = new Promise<void>(() => {});
      while (listServers(place).some(({ token }) => asked.has(token)) && clock.monotonicMs() < untilMs)
        await sleepOrHint(clock, LOOK_MS, never, signal);
      const left = new Set(listServers(place).map(({ token }) => token));
      return servers.filter(({ token }) => !left.has(token)).map(({ pid }) => pid);
    },
  };
}
