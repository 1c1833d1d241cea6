import { type ReadonlySignal, signal } from '@preact/signals';
import { type Place, placeOf } from './place.js';

/** The person's current place: the address bar as a signal. */
export class Router {
  readonly #place = signal<Place>(placeOf(location.pathname));
  readonly #onLeave = new Set<() => void>();

  get place(): ReadonlySignal<Place> {
    return this.#place;
  }

  /** Handles the page's links and the browser's back and forward buttons. */
  start(): void {
    addEventListener('popstate', () => this.#arrive());
    document.addEventListener('click', (event) => {
      const link = (event.target as Element | null)?.closest?.('a');
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
      if (link == null || !isPlain || event.defaultPrevented) return;
      if (link.origin !== location.origin || link.target !== '' || link.hash !== '') return;
      event.preventDefault();
      this.go(link.pathname);
    });
  }

  go(path: string): void {
    if (path === location.pathname) return;
    history.pushState(null, '', path);
    this.#arrive();
    scrollTo(0, 0);
    document.getElementById('content')?.focus({ preventScroll: true });
  }

  back(): void {
    const { name } = this.#place.value;
    if (name === 'transcript' || name === 'sessions') this.go('/s');
    else this.go(['runs', 'run', 'report'].includes(name) ? '/runs' : '/');
  }

  onLeave(listener: () => void): void {
    this.#onLeave.add(listener);
  }

  #arrive(): void {
    for (const listener of this.#onLeave) listener();
    this.#place.value = placeOf(location.pathname);
  }
}
