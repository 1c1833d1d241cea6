import type { Clock } from '../../foundation/index.js';
import { channelOf, FleetUnreachableError, type Hub, type RequestRow } from '../../hub/index.js';
import type { OwnMachine } from '../own-machine.js';
import type { SentRequest, SentRequests } from './sent-requests.js';

export interface SenderParts {
  readonly machine: OwnMachine;
  readonly sent: SentRequests;
  readonly clock: Clock;
}

/** How long to wait for a machine that gave a sign recently, and for one that did not. */
const PATIENCE_MS = 5_000;
const SHORT_PATIENCE_MS = 1_000;
/** After this long without a sign a machine counts as quiet: it gives one every 20 seconds. */
export const QUIET_SECONDS = 60;
/** How often to look for the reply if no notifications arrive. */
const REPLY_LOOK_MS = 250;

/**
 * Sends a request to a home and waits a moment for the outcome; undefined if it is on its way. Throws as the hub, in
 * which case nothing was stored.
 */
export async function sendRequest(
  { machine, sent, clock }: SenderParts,
  hub: Hub,
  request: SentRequest,
  quietSeconds: number,
): Promise<RequestRow | undefined> {
  // It listens before sending, so it misses no reply.
  using reply = await replyTo(hub, request.id, { machine, clock });
  sent.keep(request);
  try {
    await hub.send(machine.id, request);
  } catch (error) {
    // After a cut in the middle it is unknown whether the request was stored: the copy stays, and the link asks again.
    if (error instanceof FleetUnreachableError && !error.isCertain) return undefined;
    sent.forget(request.id);
    throw error;
  }
  const settled = await reply.within(quietSeconds > QUIET_SECONDS ? SHORT_PATIENCE_MS : PATIENCE_MS);
  if (settled !== undefined) sent.forget(request.id);
  return settled;
}

async function replyTo(
  hub: Hub,
  id: string,
  { machine, clock }: { readonly machine: OwnMachine; readonly clock: Clock },
) {
  let wake = () => {};
  const listening = await hub.connection.listen(channelOf(machine.id), (payload) => {
    if (payload === id) wake();
  });
  return {
    [Symbol.dispose]: () => listening.close(),
    async within(patienceMs: number): Promise<RequestRow | undefined> {
      const until = clock.monotonicMs() + patienceMs;
      for (;;) {
        const hint = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const found = await hub.request(id).catch(() => undefined);
        if (found?.state === 'applied' || found?.state === 'refused') return found;
        const leftMs = until - clock.monotonicMs();
        if (leftMs <= 0 || !hub.connection.isOpen) return undefined;
        const stop = new AbortController();
        await Promise.race([hint, clock.sleep(Math.min(REPLY_LOOK_MS, leftMs), stop.signal).catch(() => {})]);
        stop.abort();
      }
    },
  };
}
