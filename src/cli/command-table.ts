import type { Command } from './command.js';

type Loader = () => Promise<{ default: Command }>;

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
  status: () => import('./commands/status.js'),
  mcp: () => import('./commands/mcp.js'),
  setup: () => import('./commands/setup.js'),
  'agents list': () => import('./commands/agents-list.js'),
  'agents probe': () => import('./commands/agents-probe.js'),
  exec: () => import('./commands/exec.js'),
  demo: () => import('./commands/demo.js'),
  unlock: () => import('./commands/unlock.js'),
  paths: () => import('./commands/paths.js'),
  'config show': () => import('./commands/config-show.js'),
  completion: () => import('./commands/completion.js'),
};

/** What a group does when it is called without a verb. */
const DEFAULT_VERB: Readonly<Record<string, string>> = { questions: 'list', config: 'show', agents: 'list' };

export interface FoundCommand {
  readonly name: string;
  readonly load: Loader;
  readonly rest: readonly string[];
}

/** The command that a command line means, and the words that are left; undefined when there is none. */
export function findCommand(args: readonly string[]): FoundCommand | undefined {
  const [first = '', second = ''] = args;
  const both = `${first} ${second}`;
  if (Object.hasOwn(COMMANDS, both)) return found(both, args.slice(2));
  if (Object.hasOwn(COMMANDS, first)) return found(first, args.slice(1));
  const verb = Object.hasOwn(DEFAULT_VERB, first) ? DEFAULT_VERB[first] : undefined;
  if (verb === undefined || (second !== '' && !second.startsWith('-'))) return undefined;
  return found(`${first} ${verb}`, args.slice(1));
}

/** Names near to what was typed, for the error. */
export function similarCommands(args: readonly string[]): string[] {
  const [first = ''] = args;
  return Object.keys(COMMANDS).filter((name) => name.startsWith(first.slice(0, 2)) && first.length >= 2);
}

function found(name: string, rest: readonly string[]): FoundCommand | undefined {
  const load = COMMANDS[name];
  return load === undefined ? undefined : { name, load, rest };
}
