import { join } from 'node:path';
import {
  DAY_MS,
  isHoldfastError,
  messageOf,
  record,
  text,
  textThat,
  time,
  timestamp,
  type ValueOf,
  whole,
  withDefault,
} from '../../../foundation/index.js';
import {
  DOCUMENT_VERSION,
  ensureDirectory,
  type LockTools,
  listDirectory,
  readDocument,
  removeQuietly,
  writeDocument,
} from '../../../storage/index.js';

/**
 * `<state>/web/push/<device>.json`: where the browser of a device receives notices. It is removed when the device is signed
 * out.
 */
const SubscriptionRecord = record({
  version: withDefault(whole(), () => DOCUMENT_VERSION),
  device: textThat((id) => ID.test(id), 'not the id of a device'),
  endpoint: text,
  /** The browser's public key and secret, as base64url. */
  p256dh: text,
  auth: text,
  /** The origin of the page on that device, for what a tap opens. */
  origin: text,
  /** When the browser last confirmed that it still wants them. */
  renewedAt: time,
});
export type Subscription = Readonly<ValueOf<typeof SubscriptionRecord>>;

const ID = /^[0-9a-f]{16}$/;
/** A device that has been away this long is signed out, too. */
const KEPT_MS = 30 * DAY_MS;

/** What keeping subscriptions needs; `directory` is the page's directory. */
export interface SubscriptionPlace {
  readonly tools: LockTools;
  readonly directory: string;
}

/** Stores the subscription of a device, replacing an earlier one. Throws ATOMIC_WRITE_FAILED. */
export function keepSubscription(
  place: SubscriptionPlace,
  facts: Pick<Subscription, 'device' | 'endpoint' | 'p256dh' | 'auth' | 'origin'>,
): void {
  const { tools } = place;
  ensureDirectory(tools.fileSystem, join(place.directory, 'push'));
  const content = { version: DOCUMENT_VERSION, ...facts, renewedAt: timestamp(tools.clock) };
  writeDocument(tools, pathOf(place, facts.device), content, SubscriptionRecord);
}

/** The current subscription of a device, from its file. */
export function subscriptionOf(place: SubscriptionPlace, device: string): Subscription | undefined {
  const { fileSystem, clock, log } = place.tools;
  try {
    const known = readDocument(fileSystem, pathOf(place, device), SubscriptionRecord);
    if (known === undefined || clock.now().getTime() - Date.parse(known.renewedAt) > KEPT_MS)
      return undefined;
    return known;
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    log.warn('notice.subscription-unreadable', { device, error: messageOf(error) });
    return undefined;
  }
}

/** The subscriptions of all devices. */
export function listSubscriptions(place: SubscriptionPlace): Subscription[] {
  return listDirectory(place.tools.fileSystem, join(place.directory, 'push')).flatMap((name) => {
    const id = name.replace(/\.json$/, '');
    return id !== name && ID.test(id) ? (subscriptionOf(place, id) ?? []) : [];
  });
}

export function dropSubscription(place: SubscriptionPlace, device: string): void {
  removeQuietly(place.tools.fileSystem, pathOf(place, device));
}

function pathOf({ directory }: SubscriptionPlace, device: string): string {
  return join(directory, 'push', `${device}.json`);
}
