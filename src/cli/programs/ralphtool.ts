import { type QuickWords, startProgram } from './entry.js';

// Set by the build: see `entry-texts.ts`.
declare const __RALPHTOOL_HELP__: string;
declare const __RALPHTOOL_WORDS__: QuickWords;

startProgram('ralphtool', __RALPHTOOL_HELP__, __RALPHTOOL_WORDS__);
