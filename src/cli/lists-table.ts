import { holdfastProgram } from './holdfast-program.js';
import type { Loader } from './program.js';

const sessions = () => import('./commands/sessions/index.js');

/** The commands whose first word is in `LIST_WORDS`, by their words. */
export const LIST_COMMANDS: Readonly<Record<string, Loader>> = {
  status: () => import('./commands/run/status.js'),
  'sessions list': async () => ({ default: (await sessions()).list }),
  'sessions show': async () => ({ default: (await sessions()).show }),
  'sessions verify': async () => ({ default: (await sessions()).verify }),
  'sessions recover': async () => ({ default: (await sessions()).recover }),
  'sessions export': async () => ({ default: (await sessions()).exportOne }),
  'sessions delete': async () => ({ default: (await sessions()).remove }),
  'sessions clean': async () => ({ default: (await sessions()).clean }),
  'sessions trash': async () => ({ default: (await sessions()).trash }),
};

/** What there is of `holdfast` in the file of these commands. */
export const LISTS_HOLDFAST = holdfastProgram(LIST_COMMANDS);
