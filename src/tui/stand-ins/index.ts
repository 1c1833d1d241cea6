/*
 * What the build puts in the place of packages of Ink's: parts of them that take most of the time to the first frame, and that most
 * frames do not need; see docs/decisions/0276 and 0279.
 */
export { loadLayoutEngine } from './layout-engine.js';
