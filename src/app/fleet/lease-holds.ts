/** In a file of its own, built next to the commands that start often, so only answers that need it load it. */
export { assertLeaseHolds } from '../../fleet/index.js';
