import { KEY_ITEM } from '../contract/index.js';
import { THEME_ITEM } from './frame/kept.js';
import { placeOf } from './frame/place.js';
import { askEarly } from './live/early.js';
import { queryOf, turnsPath, wantedOf } from './reader/wanted.js';

/*
 * Loaded before anything is painted and before the page itself, so that a theme chosen by hand does not flash and the
 * beginning of a transcript is on its way while everything else loads.
 */
try {
  const theme = localStorage.getItem(THEME_ITEM);
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const key = localStorage.getItem(KEY_ITEM);
  const place = placeOf(location.pathname);
  // A sign-in link is about to change who is signed in.
  const isLink = /^#(code|pair)=/.test(location.hash);
  if (place.name === 'transcript' && key !== null && !isLink)
    askEarly(`/api/${turnsPath(place.id, queryOf(wantedOf(location.hash) ?? 'start'))}`, key);
} catch {
  // A browser that stores nothing uses the system's theme, and nobody is signed in.
}
