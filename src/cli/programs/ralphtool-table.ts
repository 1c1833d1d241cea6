import { change } from './quick-table.js';
import { ralphtoolProgram } from './ralphtool-program.js';

/** The command line for agents that work on a change. */
export const RALPHTOOL = ralphtoolProgram(change.ralphtool.agent);
