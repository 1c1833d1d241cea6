// One box without our command line.
import { loadLayoutEngine, openBox } from './one-box.js';

await loadLayoutEngine();
openBox();
