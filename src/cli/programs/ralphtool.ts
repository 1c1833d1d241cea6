import { startProgram } from './entry.js';

// Put in place by the build: see `entry-texts.ts`.
declare const __RALPHTOOL_HELP__: string;

startProgram('ralphtool', __RALPHTOOL_HELP__);
