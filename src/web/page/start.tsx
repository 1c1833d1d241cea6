import { render } from 'preact';
import { App, readyFor } from './app.js';
import { Kept } from './frame/kept.js';
import { LetterKeys } from './frame/keys.js';
import { painted } from './frame/painted.js';
import { Router } from './frame/router.js';
import { takeCode } from './frame/sign-in.js';
import { Theme } from './frame/theme.js';
import { CardDesk } from './inbox/card-desk.js';
import { Snoozes } from './inbox/snooze.js';
import { Store } from './live/store.js';
import { Pocket } from './pocket/pocket.js';

/** Creates the parts of the page once, and shows it. */
export function start(root: HTMLElement): void {
  const code = takeCode();
  const kept = new Kept();
  const desk: CardDesk = new CardDesk({ kept, store: () => store });
  const store = new Store({ kept, isPinned: (id) => desk.leftBehind(id) !== undefined });
  const router = new Router();
  const keys = new LetterKeys(kept, router);
  const pocket = new Pocket();
  const page = {
    kept,
    store,
    desk,
    router,
    keys,
    snoozes: new Snoozes(kept),
    theme: new Theme(kept),
    pocket,
  };
  // A new link counts even if the browser was signed in before.
  if (code !== null || pocket.code !== null) store.access.value = 'none';
  router.onLeave(() => desk.flush());
  router.start();
  keys.start();
  desk.start();
  const follow = () => {
    store.start();
    pocket.start(store, router);
  };
  const show = () => render(<App page={page} code={code} />, root);
  const ready = readyFor(router.place.value);
  if (ready === null) {
    follow();
    show();
    return;
  }
  // First things first: the beginning of the place is drawn in one go, then what is new.
  const shown = Promise.race([ready, later(PATIENCE_MS)])
    .catch(() => {})
    .then(show);
  void shown.then(() => Promise.race([painted(), later(PATIENCE_MS)])).then(follow);
}

/** After a longer wait a sign of loading is shown. A page in the background is never painted. */
const PATIENCE_MS = 250;

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
