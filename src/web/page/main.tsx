import { render } from 'preact';
import type { Snapshot } from '../contract/index.js';

const root = document.getElementById('page');
const empty: Pick<Snapshot, 'cards'> = { cards: [] };
if (root !== null) render(<h1>{empty.cards.length} wait</h1>, root);
