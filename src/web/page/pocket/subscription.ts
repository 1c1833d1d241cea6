import type { PushState } from '../../contract/index.js';
import type { Reply } from '../live/api.js';
import type { Store } from '../live/store.js';

/** Whether this browser can get notices; `install`: only once the page is on the home screen. */
export function canBeTold(): 'yes' | 'no' | 'install' | 'denied' {
  if (!('serviceWorker' in navigator) || !('Notification' in globalThis) || !('PushManager' in globalThis))
    return /iPhone|iPad/.test(navigator.userAgent) ? 'install' : 'no';
  return Notification.permission === 'denied' ? 'denied' : 'yes';
}

/** The subscription of this browser, if it has one. */
export async function ownSubscription(): Promise<PushSubscription | null> {
  if (canBeTold() !== 'yes') return null;
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Subscribes after a tap: without one, browsers do not ask the person. Throws the browser's own error. */
export async function subscribe(store: Store, key: string): Promise<Reply<PushState> | 'denied'> {
  if ((await Notification.requestPermission()) !== 'granted') return 'denied';
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  return tell(store, subscription);
}

export async function unsubscribe(): Promise<void> {
  await (await ownSubscription())?.unsubscribe().catch(() => false);
}

/** Confirms now and then that this browser still wants notices; one that is away for a month gets no more. */
export async function renewSubscription(
  store: Store,
  registration: ServiceWorkerRegistration,
): Promise<void> {
  if (canBeTold() !== 'yes' || store.state.peek().me?.can === 'view') return;
  const subscription = await registration.pushManager.getSubscription();
  if (subscription !== null) await tell(store, subscription);
}

function tell(store: Store, subscription: PushSubscription): Promise<Reply<PushState>> {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh, auth } = keys ?? {};
  return store.api.post('push', { subscription: { endpoint, keys: { p256dh, auth } } });
}
