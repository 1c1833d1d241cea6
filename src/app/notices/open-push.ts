import { InvalidInputError } from '../../foundation/index.js';
import {
  areBrowserKeys,
  type BrowserKeys,
  dropSubscription,
  endpointFault,
  keepSubscription,
  listSubscriptions,
  type PushServices,
  pushChannel,
  type Subscription,
  subscriptionOf,
  vapidKeys,
} from '../../notices/channels/push/index.js';
import type { OpenedChannel, QuestionStandings } from '../../notices/index.js';
import type { Services } from '../services.js';

/** A device, as the page knows it. */
interface PushDevice {
  readonly id: string;
  readonly origin: string;
}

/** Notices to the devices that asked for them on the page. */
export interface PushDesk {
  /** The key that a browser subscribes with. */
  key(): string;
  endpointOf(device: string): string | null;
  /** Subscribes a device to notices. Throws INVALID_INPUT. */
  keep(device: PushDevice, subscription: { readonly endpoint: string; readonly keys: BrowserKeys }): void;
  drop(device: string): void;
  /** The subscribed devices, by id. */
  devices(): string[];
}

/** The contact given to push services when the user configured none: nobody reads it, and it reveals nothing about the user. */
const CONTACT = 'mailto:nobody@holdfast.invalid';
/** How long the list of subscriptions is used before it is read again. */
const KNOWN_FOR_MS = 1_000;

export function openPush(services: Services): PushDesk {
  const place = placeOf(services);
  return {
    key: () => vapidKeys(place).publicKey,
    endpointOf: (device) => subscriptionOf(place, device)?.endpoint ?? null,
    keep({ id: device, origin }, { endpoint, keys }) {
      const fault = endpointFault(endpoint, servicesOf(services));
      if (fault !== undefined)
        throw new InvalidInputError(`The push service of this browser is not taken: ${fault}`, {
          place: 'endpoint',
          hint: 'If you trust it, add its name to `notices.push.services`; see docs/notices.md.',
        });
      if (!areBrowserKeys(keys))
        throw new InvalidInputError('The keys of the subscription are not valid', { place: 'keys' });
      const { p256dh, auth } = keys;
      keepSubscription(place, { device, endpoint, p256dh, auth, origin });
    },
    drop: (device) => dropSubscription(place, device),
    devices: () => listSubscriptions(place).map(({ device }) => device),
  };
}

/** A channel for each device that is subscribed now. */
export function openPushChannels(
  services: Services,
  standings: QuestionStandings,
  timeoutMs: number,
): () => readonly OpenedChannel[] {
  const { clock, config } = services;
  const place = placeOf(services);
  const { services: _services, contact = CONTACT, ...settings } = config.get('notices.push');
  const countWaiting = async () => {
    const open = await standings.open();
    return open.filter(({ outcome }) => outcome.status === 'pending').length;
  };
  const tools = { place, services: servicesOf(services), contact, clock, timeoutMs, countWaiting };
  const opened = ({ device }: Subscription): OpenedChannel => ({
    name: channelName(device),
    settings: { type: 'push', ...settings },
    channel: pushChannel(tools, device),
  });
  let known: { readonly atMs: number; readonly channels: readonly OpenedChannel[] } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (known === undefined || nowMs - known.atMs >= KNOWN_FOR_MS)
      known = { atMs: nowMs, channels: listSubscriptions(place).map(opened) };
    return known.channels;
  };
}

/** What the channel of a device is called in `notify list`. */
export function channelName(device: string): string {
  return `push-${device}`;
}

function placeOf({ tools, config }: Services) {
  return { tools, directory: config.layout.web };
}

function servicesOf({ config, environment }: Services): PushServices {
  return {
    own: config.get('notices.push').services ?? [],
    // A push service on this machine; only our own tests have one.
    test: environment.HOLDFAST_TEST_PUSH_SERVICE || undefined,
  };
}

/** Ends the notices of a device that is removed. */
export { dropSubscription };
