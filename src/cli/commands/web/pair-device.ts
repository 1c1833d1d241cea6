import type { Services } from '../../../app/base.js';
import { AbortedError, sleepOrHint } from '../../../foundation/index.js';
import type { WebLink, WebPairing } from '../../../operations/web.js';
import {
  decidePairing,
  endPairing,
  issuePairing,
  type KnownServer,
  MAX_TRIES,
  NotPairedError,
  type PairingRequest,
  pairingState,
  type WebPlace,
  watchPairing,
  writeAudit,
} from '../../../web/server/index.js';

/** What is shown for typing or scanning. */
export interface ShownPairing {
  readonly code: string;
  /** The address of the page, the best one for a phone. */
  readonly origin: string;
  /** Whether other devices can reach it there. */
  readonly isReachable: boolean;
  readonly port: number | null;
}

/** The person at the terminal. */
export interface PairingPerson {
  show(pairing: ShownPairing): Promise<void>;
  /** Whether the device that asks is theirs. */
  confirm(request: PairingRequest): Promise<boolean>;
  /** The device was let in, and must now fetch what it needs. */
  wait(): void;
}

export interface PairParts {
  readonly services: Services;
  readonly place: WebPlace;
  readonly server: KnownServer;
  readonly person: PairingPerson;
  readonly signal: AbortSignal;
}

/** How often to look: hints may be missed, and timeouts cause none. */
const LOOK_MS = 500;

/** Pairs one device. The code is valid while this waits. Throws NOT_PAIRED, ABORTED. */
export async function pairDevice(parts: PairParts, can: WebLink['can']): Promise<WebPairing> {
  const { place, server, person } = parts;
  const { id, code } = issuePairing(place, can);
  try {
    await writeAudit(place, { what: 'link', device: null, can, result: 'done', reason: 'pairing' });
    await person.show({ code, ...reachOf(server), port: server.port });
    await changed(parts, id, 'waits');
    const request = requestOf(place, id);
    const isYes = await person.confirm(request);
    // The request may be over by the time it is answered.
    requestOf(place, id);
    decidePairing(place, id, isYes);
    if (!isYes) throw new NotPairedError('you said no');
    person.wait();
    await changed(parts, id, 'asked');
    if (pairingState(place, id).name !== 'claimed')
      throw new NotPairedError('the device did not come back within two minutes');
    return { name: request.name, can, origin: request.origin };
  } finally {
    endPairing(place, id);
  }
}

const REASONS = {
  expired: 'nobody entered the code within two minutes',
  'tried too often': `somebody tried ${MAX_TRIES} wrong codes`,
  replaced: 'a newer code took its place',
} as const;

function requestOf(place: WebPlace, id: string): PairingRequest {
  const state = pairingState(place, id);
  if (state.name === 'asked') return state.request;
  throw new NotPairedError(state.name === 'over' ? REASONS[state.why] : 'it is over');
}

/** Waits until the state of the pairing changes. Throws ABORTED. */
async function changed({ services, place, signal }: PairParts, id: string, from: string): Promise<void> {
  let wake = () => {};
  const watch = watchPairing(place, () => wake());
  try {
    while (pairingState(place, id).name === from) {
      const hint = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await sleepOrHint(services.clock, LOOK_MS, hint, signal);
      if (signal.aborted) throw new AbortedError('The pairing', { hint: 'The code is no longer valid.' });
    }
  } finally {
    watch.close();
  }
}

/** The origin that a phone can use: https under a name other than localhost; otherwise the first. */
function reachOf({ origins }: KnownServer): { readonly origin: string; readonly isReachable: boolean } {
  const reachable = origins.find((origin) => {
    const { protocol, hostname } = new URL(origin);
    const isOwn = hostname.endsWith('localhost') || hostname === '127.0.0.1' || hostname === '[::1]';
    return protocol === 'https:' && !isOwn;
  });
  return { origin: reachable ?? origins[0] ?? '', isReachable: reachable !== undefined };
}
