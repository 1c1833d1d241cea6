import { holdfastProgram } from './holdfast-program.js';
import { LIST_COMMANDS } from './lists-table.js';
import type { Loader } from './program.js';
import { QUICK_COMMANDS } from './quick-table.js';

const config = () => import('./commands/settings/config-edit.js');

/** Every command by its words. Each is a chunk of its own, loaded when it runs. */
export const COMMANDS: Readonly<Record<string, Loader>> = {
  ...QUICK_COMMANDS,
  ...LIST_COMMANDS,
  inbox: () => import('./commands/questions/inbox.js'),
  run: () => import('./commands/run/run.js'),
  pause: () => import('./commands/run/pause.js'),
  resume: () => import('./commands/run/resume.js'),
  stop: () => import('./commands/run/stop.js'),
  guide: () => import('./commands/run/guide.js'),
  report: () => import('./commands/run/report.js'),
  mcp: () => import('./commands/agents/mcp.js'),
  setup: () => import('./commands/agents/setup.js'),
  'agents list': () => import('./commands/agents/list.js'),
  'agents probe': () => import('./commands/agents/probe.js'),
  exec: () => import('./commands/agents/exec.js'),
  chat: () => import('./commands/agents/chat.js'),
  'processes list': () => import('./commands/processes/list.js'),
  'processes show': () => import('./commands/processes/show.js'),
  'processes stop': () => import('./commands/processes/stop.js'),
  demo: () => import('./commands/run/demo.js'),
  unlock: () => import('./commands/sessions/unlock.js'),
  'config show': () => import('./commands/settings/config-show.js'),
  'config get': async () => ({ default: (await config()).get }),
  'config set': async () => ({ default: (await config()).set }),
  'config unset': async () => ({ default: (await config()).unset }),
  completion: () => import('./commands/settings/completion.js'),
};

/** The command line for people. */
export const HOLDFAST = holdfastProgram(COMMANDS);
