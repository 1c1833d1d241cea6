import type { Loader, Program } from './program.js';
import { helpOfGroup } from './root-help.js';

/** What a group does when it is called without a verb. */
const DEFAULT_VERB: Readonly<Record<string, string>> = {
  questions: 'list',
  change: 'list',
  config: 'show',
  agents: 'list',
  processes: 'list',
  sessions: 'list',
};

/** The command line for people, with these commands by their words. */
export function holdfastProgram(commands: Readonly<Record<string, Loader>>): Program {
  const found = (name: string, rest: readonly string[]) => {
    const load = commands[name];
    return load === undefined ? undefined : { name, load, rest };
  };
  return {
    name: 'holdfast',
    isForPrograms: false,
    find(args) {
      const [first = '', second = ''] = args;
      const both = `${first} ${second}`;
      if (Object.hasOwn(commands, both)) return found(both, args.slice(2));
      if (Object.hasOwn(commands, first)) return found(first, args.slice(1));
      const verb = Object.hasOwn(DEFAULT_VERB, first) ? DEFAULT_VERB[first] : undefined;
      if (verb === undefined || (second !== '' && !second.startsWith('-'))) return undefined;
      return isHelp(second) ? undefined : found(`${first} ${verb}`, args.slice(1));
    },
    groupHelp([group = '', asked = '', ...rest]) {
      return isHelp(asked) && rest.length === 0 ? helpOfGroup(group, DEFAULT_VERB[group]) : undefined;
    },
    similar(args) {
      const [first = ''] = args;
      return Object.keys(commands).filter((name) => name.startsWith(first.slice(0, 2)) && first.length >= 2);
    },
  };
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}
