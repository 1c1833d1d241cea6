import { effect, type Signal, signal } from '@preact/signals';
import type { Router } from '../frame/router.js';
import type { Store } from '../live/store.js';

/** What makes the page usable on the go: the worker, the kept inbox, notices. Most of it loads late. */
export class Pocket {
  /** Switches to the newer version; null if there is none. */
  readonly update: Signal<(() => void) | null> = signal(null);
  /** The time of the kept snapshot, while that is all the page can show. */
  readonly keptAt: Signal<string | null> = signal(null);
  /** A scanned pairing code. */
  readonly code: string | null = takePairingCode();

  /** Shows the number of waiting cards as the badge of an installed app. */
  showCount(count: number): void {
    if ('setAppBadge' in navigator) navigator.setAppBadge(count).catch(() => {}); // not installed: no badge
  }

  start(store: Store, router: Router): void {
    const load = () => import('./carry.js').then(({ carry }) => carry({ pocket: this, store, router }));
    // Not needed until there is something to keep, or no server answers.
    const stop = effect(() => {
      if (store.access.value !== 'in' || store.connection.value.name === 'connecting') return;
      queueMicrotask(() => stop());
      void load().catch(() => {}); // without it the page still works while online
    });
  }
}

/** Removes the code from the address bar at once: it must not get into any history. */
function takePairingCode(): string | null {
  const code = /^#pair=([\w-]{1,40})$/.exec(location.hash)?.[1] ?? null;
  if (location.hash.startsWith('#pair=')) history.replaceState(null, '', location.pathname);
  return code;
}
