import { holdfastProgram } from './holdfast-program.js';
import type { Loader } from './program.js';

const changes = () => import('./commands/change/index.js');

/** The commands whose first word is in `QUICK_WORDS`, by their words. */
export const QUICK_COMMANDS: Readonly<Record<string, Loader>> = {
  ask: () => import('./commands/questions/ask.js'),
  reject: async () => ({ default: (await import('./commands/questions/reject.js')).reject }),
  answer: () => import('./commands/questions/answer.js'),
  'questions list': () => import('./commands/questions/list.js'),
  'questions show': () => import('./commands/questions/show.js'),
  'questions collect': () => import('./commands/questions/collect.js'),
  'questions wait': async () => ({ default: (await import('./commands/questions/collect.js')).wait }),
  'questions reject': async () => ({
    default: (await import('./commands/questions/reject.js')).questionsReject,
  }),
  'questions cancel': () => import('./commands/questions/cancel.js'),
  'questions verify': () => import('./commands/questions/verify.js'),
  'questions clean': () => import('./commands/questions/clean.js'),
  'change list': async () => ({ default: (await changes()).list }),
  'change show': async () => ({ default: (await changes()).show }),
  'change init': async () => ({ default: (await changes()).init }),
  'change next-story': async () => ({ default: (await changes()).nextStory }),
  'change context': async () => ({ default: (await changes()).context }),
  'change done': async () => ({ default: (await changes()).done }),
  'change undo': async () => ({ default: (await changes()).undo }),
  'change status': async () => ({ default: (await changes()).status }),
  'change learn': async () => ({ default: (await changes()).learn }),
  'change flush': async () => ({ default: (await changes()).flush }),
  'change release': async () => ({ default: (await changes()).release }),
  'change recover': async () => ({ default: (await changes()).recover }),
  paths: () => import('./commands/settings/paths.js'),
};

/** What there is of `holdfast` in the file of the quick commands. */
export const QUICK_HOLDFAST = holdfastProgram(QUICK_COMMANDS);
