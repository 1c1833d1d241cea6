// The entry that knows the one box of `box-cli.ts` beside the commands that start often.
import { type QuickWords, startProgram } from '../src/cli/programs/entry.js';

// Put in place by the build.
declare const __HOLDFAST_WORDS__: QuickWords;

startProgram('holdfast', '', { ...__HOLDFAST_WORDS__, box: 'inbox', 'plain-box': 'inbox' });
