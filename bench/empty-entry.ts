// The entry that knows the empty command of `empty-cli.ts`.
import { startProgram } from '../src/cli/programs/entry.js';

startProgram('holdfast', '', { quick: ['empty'], lists: [] });
