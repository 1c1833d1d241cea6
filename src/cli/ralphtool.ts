import { startProgram } from './entry.js';
import { RALPHTOOL_HELP } from './ralphtool-help.js';

startProgram('ralphtool', RALPHTOOL_HELP);
