import type { Loader, Program } from './program.js';

const changes = () => import('./commands/change.js');
const sessions = () => import('./commands/sessions.js');

/** Every command by its words. Each is a chunk of its own, loaded when it runs. */
export const COMMANDS: Readonly<Record<string, Loader>> = {
  ask: () => import('./commands/ask.js'),
  inbox: () => import('./commands/inbox.js'),
  answer: () => import('./commands/answer.js'),
  'questions list': () => import('./commands/questions-list.js'),
  'questions show': () => import('./commands/questions-show.js'),
  'questions collect': () => import('./commands/questions-collect.js'),
  'questions cancel': () => import('./commands/questions-cancel.js'),
  'questions verify': () => import('./commands/questions-verify.js'),
  'questions clean': () => import('./commands/questions-clean.js'),
  'change list': async () => ({ default: (await changes()).list }),
  'change show': async () => ({ default: (await changes()).show }),
  'change init': async () => ({ default: (await changes()).init }),
  'change next-story': async () => ({ default: (await changes()).nextStory }),
  'change context': async () => ({ default: (await changes()).context }),
  'change done': async () => ({ default: (await changes()).done }),
  'change status': async () => ({ default: (await changes()).status }),
  'change learn': async () => ({ default: (await changes()).learn }),
  'change flush': async () => ({ default: (await changes()).flush }),
  'change release': async () => ({ default: (await changes()).release }),
  'change recover': async () => ({ default: (await changes()).recover }),
  run: () => import('./commands/run.js'),
  status: () => import('./commands/status.js'),
  pause: () => import('./commands/pause.js'),
  resume: () => import('./commands/resume.js'),
  stop: () => import('./commands/stop.js'),
  guide: () => import('./commands/guide.js'),
  report: () => import('./commands/report.js'),
  mcp: () => import('./commands/mcp.js'),
  setup: () => import('./commands/setup.js'),
  'agents list': () => import('./commands/agents-list.js'),
  'agents probe': () => import('./commands/agents-probe.js'),
  exec: () => import('./commands/exec.js'),
  chat: () => import('./commands/chat.js'),
  'processes list': () => import('./commands/processes-list.js'),
  'processes show': () => import('./commands/processes-show.js'),
  'processes stop': () => import('./commands/processes-stop.js'),
  'sessions list': async () => ({ default: (await sessions()).list }),
  'sessions show': async () => ({ default: (await sessions()).show }),
  'sessions verify': async () => ({ default: (await sessions()).verify }),
  'sessions recover': async () => ({ default: (await sessions()).recover }),
  'sessions export': async () => ({ default: (await sessions()).exportOne }),
  'sessions delete': async () => ({ default: (await sessions()).remove }),
  'sessions clean': async () => ({ default: (await sessions()).clean }),
  'sessions trash': async () => ({ default: (await sessions()).trash }),
  demo: () => import('./commands/demo.js'),
  unlock: () => import('./commands/unlock.js'),
  paths: () => import('./commands/paths.js'),
  'config show': () => import('./commands/config-show.js'),
  completion: () => import('./commands/completion.js'),
};

/** What a group does when it is called without a verb. */
const DEFAULT_VERB: Readonly<Record<string, string>> = {
  questions: 'list',
  change: 'list',
  config: 'show',
  agents: 'list',
  processes: 'list',
  sessions: 'list',
};

/** The command line for people. */
export const HOLDFAST: Program = {
  name: 'holdfast',
  isForPrograms: false,
  find(args) {
    const [first = '', second = ''] = args;
    const both = `${first} ${second}`;
    if (Object.hasOwn(COMMANDS, both)) return found(both, args.slice(2));
    if (Object.hasOwn(COMMANDS, first)) return found(first, args.slice(1));
    const verb = Object.hasOwn(DEFAULT_VERB, first) ? DEFAULT_VERB[first] : undefined;
    if (verb === undefined || (second !== '' && !second.startsWith('-'))) return undefined;
    return found(`${first} ${verb}`, args.slice(1));
  },
  similar(args) {
    const [first = ''] = args;
    return Object.keys(COMMANDS).filter((name) => name.startsWith(first.slice(0, 2)) && first.length >= 2);
  },
};

function found(name: string, rest: readonly string[]) {
  const load = COMMANDS[name];
  return load === undefined ? undefined : { name, load, rest };
}
