import { render } from 'preact';
import { App } from './app.js';
import { Kept } from './frame/kept.js';
import { LetterKeys } from './frame/keys.js';
import { Router } from './frame/router.js';
import { takeCode } from './frame/sign-in.js';
import { Theme } from './frame/theme.js';
import { Desk } from './inbox/desk.js';
import { Snoozes } from './inbox/snooze.js';
import { Store } from './live/store.js';

function start(root: HTMLElement): void {
  const code = takeCode();
  const kept = new Kept();
  const desk: Desk = new Desk({ kept, store: () => store });
  const store = new Store({ kept, isPinned: (id) => desk.leftBehind(id) !== undefined });
  const router = new Router();
  const keys = new LetterKeys(kept, router);
  const page = { kept, store, desk, router, keys, snoozes: new Snoozes(kept), theme: new Theme(kept) };
  // A new link counts even where the browser was signed in before.
  if (code !== null) store.access.value = 'none';
  router.onLeave(() => desk.flush());
  router.start();
  keys.start();
  desk.start();
  store.start();
  render(<App page={page} code={code} />, root);
}

// A link that is opened in a tab of the page changes nothing but what is behind the #.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#code=')) location.reload();
});

const root = document.getElementById('page');
if (root !== null) start(root);
