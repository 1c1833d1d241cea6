import { KEY_ITEM } from '../contract/index.js';
import { THEME_ITEM } from './frame/kept.js';
import { placeOf } from './frame/place.js';
import { askEarly } from './live/early.js';
import { queryOf, turnsPath, wantedOf } from './reader/wanted.js';

/*
 * Loaded before anything is painted and before the page itself: a theme that was chosen by hand does not flash, and what a transcript
 * begins with is on its way while everything else is loaded.
 */
try {
  const theme = localStorage.getItem(THEME_ITEM);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const key = localStorage.getItem(KEY_ITEM);
  const place = placeOf(location.pathname);
  // Whoever comes with a link is about to be somebody else.
  const isLink = /^#(code|pair)=/.test(location.hash);
  if (place.name === 'transcript' && key !== null && !isLink)
    askEarly(`/api/${turnsPath(place.id, queryOf(wantedOf(location.hash) ?? 'start'))}`, key);
} catch {
  // A browser that keeps nothing has the theme of its system, and nobody is signed in.
}
