import { effect, type Signal } from '@preact/signals';
import type { PageSnapshot } from '../../contract/index.js';
import type { Router } from '../frame/router.js';
import { snapshotOf } from '../live/page-state.js';
import type { Store } from '../live/store.js';
import { SNAPSHOT_CACHE, SNAPSHOT_ITEM, TAKE_OVER } from './names.js';
import { renewSubscription, unsubscribe } from './subscription.js';

/** What the page shows from this part. */
interface Carried {
  readonly update: Signal<(() => void) | null>;
  readonly keptAt: Signal<string | null>;
}

export interface CarryParts {
  readonly pocket: Carried;
  readonly store: Store;
  readonly router: Router;
}

const KEEP_AFTER_MS = 1_000;
/** The worker loads the page a second time, so not while the person is waiting to see it. */
const REGISTER_AFTER_MS = 1_500;

/** Keeps what a browser needs without a server, and erases it when this browser is signed out. */
export function carry(parts: CarryParts): void {
  keepInbox(parts);
  if (!('serviceWorker' in navigator)) return;
  let isAsked = false;
  effect(() => {
    if (parts.store.connection.value.name !== 'live' || isAsked) return;
    isAsked = true;
    setTimeout(() => void register(parts).catch(() => {}), REGISTER_AFTER_MS); // forbidden here: then there is no worker
  });
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const path = (data as { go?: unknown } | null)?.go;
    if (typeof path === 'string') parts.router.go(path);
  });
}

function keepInbox({ pocket, store }: CarryParts): void {
  if (!('caches' in globalThis)) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const state = store.state.value;
    const { name } = store.connection.value;
    if (store.access.value !== 'in') {
      clearTimeout(timer);
      pocket.keptAt.value = null;
      void forgetInbox();
      return;
    }
    if (name === 'live') {
      pocket.keptAt.value = null;
      if (state.seq === -1) return;
      clearTimeout(timer);
      timer = setTimeout(() => void keep(snapshotOf(store.state.peek(), Date.now()), store), KEEP_AFTER_MS);
    } else if (name !== 'connecting' && state.seq === -1) void showKept(pocket, store);
  });
}

async function keep(snapshot: PageSnapshot | undefined, store: Store): Promise<void> {
  if (snapshot === undefined || store.access.peek() !== 'in') return;
  const cache = await caches.open(SNAPSHOT_CACHE);
  await cache.put(SNAPSHOT_ITEM, Response.json(snapshot));
  // Signed out meanwhile: nothing may remain.
  if (store.access.peek() !== 'in') await forgetInbox();
}

async function showKept(pocket: Carried, store: Store): Promise<void> {
  const kept = await (await caches.open(SNAPSHOT_CACHE)).match(SNAPSHOT_ITEM);
  const snapshot = (await kept?.json().catch(() => undefined)) as PageSnapshot | undefined;
  if (snapshot === undefined || !store.showKept(snapshot)) return;
  pocket.keptAt.value = snapshot.now;
}

async function forgetInbox(): Promise<void> {
  await caches.delete(SNAPSHOT_CACHE);
  await unsubscribe();
}

async function register({ pocket, store }: CarryParts): Promise<void> {
  const registration = await navigator.serviceWorker.register(workerUrl() as string);
  let isTaken = false;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    if (isTaken) location.reload();
  });
  const offer = (worker: ServiceWorker | null) => {
    // The first worker has none to take over from.
    if (worker === null || navigator.serviceWorker.controller === null) return;
    pocket.update.value = () => {
      isTaken = true;
      worker.postMessage(TAKE_OVER);
    };
  };
  offer(registration.waiting);
  registration.addEventListener('updatefound', () => {
    const { installing } = registration;
    installing?.addEventListener('statechange', () => {
      if (installing.state === 'installed') offer(installing);
    });
  });
  // A server that comes back may be a newer version.
  effect(() => {
    if (store.connection.value.name === 'live') void registration.update().catch(() => {});
  });
  await renewSubscription(store, registration);
}

interface TrustedTypes {
  createPolicy(name: string, rules: object): { createScriptURL(url: string): unknown };
}

/** The only address from which code is loaded by name. */
function workerUrl(): unknown {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return '/worker.js';
  const policy = trustedTypes.createPolicy('holdfast-worker', { createScriptURL: () => '/worker.js' });
  return policy.createScriptURL('');
}
