// The entry that knows the empty command of `empty-cli.ts` beside the others that start often.
import { startProgram } from '../src/cli/programs/entry.js';

startProgram('holdfast', '', {
  quick: ['empty', 'ask', 'answer', 'reject', 'questions', 'waiting', 'change', 'paths'],
  lists: ['top', 'status', 'sessions'],
});
