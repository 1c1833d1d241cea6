/*
 * What the build uses instead of some of Ink's packages: parts that take most of the time to the first frame although most
 * frames do not need them; see docs/decisions/0276 and 0279.
 */
export { loadLayoutEngine } from './layout-engine.js';
