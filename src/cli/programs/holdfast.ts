import { type QuickWords, startProgram } from './entry.js';

// Set by the build: see `entry-texts.ts`.
declare const __HOLDFAST_HELP__: string;
declare const __HOLDFAST_WORDS__: QuickWords;

startProgram('holdfast', __HOLDFAST_HELP__, __HOLDFAST_WORDS__);
