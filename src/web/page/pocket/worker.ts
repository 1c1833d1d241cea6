/*
 * The service worker: serves the page without a server, and shows notices. It keeps the page's files by the hash in their
 * names, and nothing from the API; the page itself keeps and erases the one snapshot of the inbox.
 */
import type { PushMessage } from '../../contract/index.js';
import { TAKE_OVER } from './names.js';

/** Inserted by the build: the files the page begins with, and a name for exactly this set. */
declare const __SHELL__: readonly string[];
declare const __SHELL_VERSION__: string;

interface Extended extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetched extends Extended {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Pushed extends Extended {
  readonly data: { json(): unknown } | null;
}
interface Clicked extends Extended {
  readonly notification: Notification;
}
interface Shown {
  focus(): Promise<Shown>;
  postMessage(message: unknown): void;
}
interface Scope {
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: object): Promise<readonly Shown[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
  skipWaiting(): Promise<void>;
  addEventListener<Kind extends Event>(name: string, listener: (event: Kind) => void): void;
}

const scope = globalThis as unknown as Scope;
const PREFIX = 'holdfast-shell-';
const CACHE = PREFIX + __SHELL_VERSION__;
const HASHED = /-[0-9A-Z]{8}\.(js|css|png)$/;
/** A network that does not answer within this time counts as none. */
const PATIENCE_MS = 4_000;

scope.addEventListener<Extended>('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...__SHELL__])));
});

scope.addEventListener<Extended>('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith(PREFIX) && name !== CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => scope.clients.claim()),
  );
});

scope.addEventListener<MessageEvent>('message', ({ data }) => {
  if (data === TAKE_OVER) void scope.skipWaiting();
});

scope.addEventListener<Fetched>('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== scope.location.origin || pathname.startsWith('/api/')) return;
  if (request.mode === 'navigate') event.respondWith(shell(request));
  else if (HASHED.test(pathname)) event.respondWith(file(request));
});

/** The server's page, or the kept one if no server answers. */
async function shell(request: Request): Promise<Response> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  const told = await Promise.race([fetch(request).catch(() => undefined), late]);
  if (told !== undefined && told.status < 500) return told;
  return (await (await caches.open(CACHE)).match('/')) ?? told ?? Response.error();
}

/** A file named by its content is the same wherever it comes from. */
async function file(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request.url);
  if (kept !== undefined) return kept;
  const told = await fetch(request);
  if (told.ok) void cache.put(request.url, told.clone());
  return told;
}

scope.addEventListener<Pushed>('push', (event) => {
  event.waitUntil(show(event.data?.json() as PushMessage | undefined));
});

/** Shows a notice, or removes the earlier ones under the same tag. All of it is text. */
async function show(message: PushMessage | undefined): Promise<void> {
  const told = message?.notification;
  if (told === undefined) return;
  const { title, body, tag, navigate, app_badge: count } = told;
  const { registration } = scope;
  if (message?.holdfast?.close) for (const old of await registration.getNotifications({ tag })) old.close();
  else await registration.showNotification(title, { body, tag, icon: '/icon-192.png', data: navigate });
  const badge = navigator as { setAppBadge?(count: number): Promise<void> };
  if (count !== undefined) await badge.setAppBadge?.(count).catch(() => {});
}

scope.addEventListener<Clicked>('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});

/** Opens the card in an existing window or a new one; never anything but a place of this page. */
async function open(address: string): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const path = url?.origin === scope.location.origin ? url.pathname : '/';
  const [first] = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (first === undefined) await scope.clients.openWindow(path);
  else (await first.focus()).postMessage({ go: path });
}
