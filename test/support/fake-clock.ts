export { FakeClock } from '../../src/testing/index.js';
