import { start } from './start.js';

// A link that is opened in a tab of the page changes nothing but what is behind the #.
addEventListener('hashchange', () => {
  if (/^#(code|pair)=/.test(location.hash)) location.reload();
});

const root = document.getElementById('page');
if (root !== null) start(root);
