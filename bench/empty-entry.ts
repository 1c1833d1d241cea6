// The entry that knows the empty command of `empty-cli.ts`.
import { startProgram } from '../src/cli/entry.js';
import { QUICK_WORDS } from '../src/cli/quick-words.js';
import { ROOT_HELP } from '../src/cli/root-help.js';

QUICK_WORDS.push('empty');
startProgram('holdfast', ROOT_HELP);
