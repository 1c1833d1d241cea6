import { verifies } from '../support/verifies.js';
import { raceOnThePage } from '../support/web-races.js';

verifies(
  'W02',
  'two browsers, a terminal and an agent over MCP on one set, the server killed meanwhile: one winner (20 races, 4 kills)',
  () => raceOnThePage({ races: 20, kills: 4 }),
);
