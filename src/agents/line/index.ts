export { lineDriver } from './driver.js';
export type { ContextOptions, LineOptions } from './options.js';
