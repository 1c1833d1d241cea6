import { verifies } from '../support/verifies.js';
import { raceOnThePage } from '../support/web-races.js';

/** `scripts/web-races.mjs` asks for more. */
const races = Number(process.env.HOLDFAST_TEST_WEB_RACES ?? 200);

verifies(
  'W02',
  `two browsers, a terminal and an agent over MCP on one set, the server killed meanwhile: one winner each (${races} races)`,
  () => raceOnThePage({ races, kills: Math.max(10, races / 20) }),
);
