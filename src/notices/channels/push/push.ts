import type { Clock } from '../../../foundation/index.js';
import { NoticeNotSentError } from '../../errors.js';
import { isWaiting, type Message } from '../../words.js';
import type { Channel } from '../channel.js';
import { encrypted } from './encrypt.js';
import { endpointFault, type PushServices } from './endpoint.js';
import { type PushPost, postToService, SubscriptionGoneError } from './post.js';
import {
  dropSubscription,
  type Subscription,
  type SubscriptionPlace,
  subscriptionOf,
} from './subscriptions.js';
import { vapidHeader, vapidKeys } from './vapid.js';

export interface PushTools {
  readonly place: SubscriptionPlace;
  readonly services: PushServices;
  /** The contact for push services, as RFC 8292 requires: `mailto:…` or `https://…`. */
  readonly contact: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** How many questions are waiting now, for the badge. */
  readonly countWaiting: () => Promise<number>;
  readonly resolve?: PushPost['resolve'];
}

const KEPT_S = 12 * 60 * 60;
/** Every push service accepts this much, and we never send more. */
const MAX_BYTES = 3_000;

/**
 * Web Push to one device (RFC 8030), readable only by its browser. The id of a message is its topic and its tag: a second
 * try replaces the first, whether that waits at the service or is on the screen, and the message that takes it back finds
 * it.
 */
export function pushChannel(tools: PushTools, device: string): Channel {
  const deliver = async (id: string, payload: object, isUrgent: boolean, signal: AbortSignal) => {
    const subscription = subscriptionOf(tools.place, device);
    if (subscription === undefined) throw new SubscriptionGoneError();
    try {
      await post(tools, subscription, { id, payload, isUrgent, signal });
    } catch (error) {
      if (error instanceof SubscriptionGoneError) dropSubscription(tools.place, device);
      throw error;
    }
  };
  const origin = () => subscriptionOf(tools.place, device)?.origin ?? '';
  return {
    unfit: () => undefined,
    async send(message, signal) {
      const { id, title, body, isUrgent } = message;
      const badge = { app_badge: await tools.countWaiting() };
      const notification = {
        title,
        body,
        navigate: `${origin()}${placeOf(message)}`,
        tag: tagOf(id),
        ...badge,
      };
      await deliver(id, { web_push: 8030, notification }, isUrgent, signal);
      return null;
    },
    async takeBack({ id }, signal) {
      const notification = {
        title: 'Holdfast',
        body: 'Answered: nothing to do.',
        navigate: `${origin()}/`,
        tag: tagOf(id),
        silent: true,
        app_badge: await tools.countWaiting(),
      };
      await deliver(id, { web_push: 8030, notification, holdfast: { close: true } }, false, signal);
    },
  };
}

/** 32 characters that may appear in a URL: the longest a topic may be. */
function tagOf(id: string): string {
  return id.replaceAll('-', '');
}

/** What a tap opens: the card itself, or the place where it can be found. */
function placeOf({ notices }: Message): string {
  const [first] = notices;
  if (first === undefined || notices.length > 1) return '/';
  if (first.question !== null) return `/q/${encodeURIComponent(first.question)}`;
  return first.kind === 'test' || isWaiting(first) ? '/' : '/runs';
}

async function post(
  { place, services, contact, clock, timeoutMs, resolve }: PushTools,
  { endpoint, p256dh, auth }: Subscription,
  told: {
    readonly id: string;
    readonly payload: object;
    readonly isUrgent: boolean;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const fault = endpointFault(endpoint, services);
  if (fault !== undefined) throw new NoticeNotSentError('connection', fault);
  const text = JSON.stringify(told.payload);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new NoticeNotSentError('record', 'it is too long to be pushed');
  const { origin } = new URL(endpoint);
  await postToService({
    endpoint,
    headers: {
      authorization: vapidHeader(vapidKeys(place), { audience: origin, contact, now: clock.now() }),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(KEPT_S),
      topic: tagOf(told.id),
      urgency: told.isUrgent ? 'high' : 'normal',
    },
    body: encrypted(text, { p256dh, auth }),
    signal: told.signal,
    timeoutMs,
    isTest: origin === services.test,
    resolve,
  });
}
