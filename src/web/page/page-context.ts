import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Kept } from './frame/kept.js';
import type { LetterKeys } from './frame/keys.js';
import type { Router } from './frame/router.js';
import type { Theme } from './frame/theme.js';
import type { CardDesk } from './inbox/card-desk.js';
import type { Snoozes } from './inbox/snooze.js';
import type { Store } from './live/store.js';
import type { Pocket } from './pocket/pocket.js';

/** The parts of the page, created once at the start. */
export interface Page {
  readonly kept: Kept;
  readonly store: Store;
  readonly desk: CardDesk;
  readonly snoozes: Snoozes;
  readonly router: Router;
  readonly theme: Theme;
  readonly keys: LetterKeys;
  readonly pocket: Pocket;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('outside of the page');
  return page;
}
