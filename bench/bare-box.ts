// One box without our command line.
import { loadLayoutEngine } from '../src/tui/stand-ins/layout-engine.js';
import { drawBox } from './one-box.js';

await loadLayoutEngine();
drawBox();
