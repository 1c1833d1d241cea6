/** In a file of its own, which is built beside the commands that start often: nobody else's answer loads it. */
export { assertLeaseHolds } from '../../fleet/index.js';
