import { effect, type Signal, signal } from '@preact/signals';
import type { Router } from '../frame/router.js';
import type { Store } from '../live/store.js';

/** What makes the page something to carry along: the worker, the kept inbox, notices. Most of it is loaded late. */
export class Pocket {
  /** Takes the newer version that is there, where one is. */
  readonly update: Signal<(() => void) | null> = signal(null);
  /** When what is shown was true, where it is only what was kept. */
  readonly keptAt: Signal<string | null> = signal(null);
  /** A code that was scanned. */
  readonly code: string | null = takePairingCode();

  /** The badge of an installed app is the count of what waits. */
  showCount(count: number): void {
    if ('setAppBadge' in navigator) navigator.setAppBadge(count).catch(() => {}); // not installed: there is no badge
  }

  start(store: Store, router: Router): void {
    const load = () => import('./carry.js').then(({ carry }) => carry({ pocket: this, store, router }));
    // It is of no use before there is something to keep, or nobody answers.
    const stop = effect(() => {
      if (store.access.value !== 'in' || store.connection.value.name === 'connecting') return;
      queueMicrotask(() => stop());
      void load().catch(() => {}); // without it the page works as long as it is online
    });
  }
}

/** Taken out of the address bar at once: it must be in no history. */
function takePairingCode(): string | null {
  const code = /^#pair=([\w-]{1,40})$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith('#pair=')) history.replaceState(null, '', location.pathname);
  return code;
}
