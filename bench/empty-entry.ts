// The entry that knows the empty command of `empty-cli.ts` beside the others that start often.
import { type QuickWords, startProgram } from '../src/cli/programs/entry.js';

// Put in place by the build.
declare const __HOLDFAST_WORDS__: QuickWords;

startProgram('holdfast', '', { ...__HOLDFAST_WORDS__, empty: 'quick' });
