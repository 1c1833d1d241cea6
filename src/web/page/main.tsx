import { start } from './start.js';

// Opening a link in a tab of the page changes only the part after the #.
addEventListener('hashchange', () => {
  if (/^#(code|pair)=/.test(location.hash)) location.reload();
});

const root = document.getElementById('page');
if (root !== null) start(root);
