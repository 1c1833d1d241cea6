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

/** Words that mean a group. */
const SAME_GROUP: Readonly<Record<string, string>> = {
  question: 'questions',
  session: 'sessions',
  agent: 'agents',
  process: 'processes',
  changes: 'change',
};

/** What is done elsewhere, by the words that people try first. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'questions delete': 'sessions delete <id>',
  'questions remove': 'sessions delete <id>',
  'questions answer': 'answer <id>',
  'questions ask': 'ask',
  'questions recover': 'sessions recover <id>',
  'questions export': 'sessions export <id>',
  'config list': 'config show',
  'config edit': 'config set <key> <value>',
  'config remove': 'config unset <key>',
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
    find(typed) {
      const args = inOurWords(typed);
      const [first = '', second = ''] = args;
      const both = `${first} ${second}`;
      if (Object.hasOwn(commands, both)) return found(both, args.slice(2));
      if (Object.hasOwn(commands, first)) return found(first, args.slice(1));
      const verb = Object.hasOwn(DEFAULT_VERB, first) ? DEFAULT_VERB[first] : undefined;
      if (verb === undefined || (second !== '' && !second.startsWith('-'))) return undefined;
      return isHelp(second) ? undefined : found(`${first} ${verb}`, args.slice(1));
    },
    groupHelp(typed) {
      const [group = '', asked = '', ...rest] = inOurWords(typed);
      return isHelp(asked) && rest.length === 0 ? helpOfGroup(group, DEFAULT_VERB[group]) : undefined;
    },
    similar(typed) {
      const [first = '', second = ''] = inOurWords(typed);
      const elsewhere = `${first} ${second}`;
      if (Object.hasOwn(ELSEWHERE, elsewhere)) return [`holdfast ${ELSEWHERE[elsewhere]}`];
      const near = (name: string, word: string) => word.length >= 2 && name.startsWith(word.slice(0, 2));
      const names = Object.keys(commands);
      const inGroup = names.filter((name) => name.startsWith(`${first} `));
      const alike = inGroup.filter((name) => near(name.slice(first.length + 1), second));
      if (alike.length > 0) return alike;
      return inGroup.length > 0 ? inGroup : names.filter((name) => near(name, first));
    },
  };
}

function inOurWords([first = '', ...rest]: readonly string[]): readonly string[] {
  return [Object.hasOwn(SAME_GROUP, first) ? (SAME_GROUP[first] ?? first) : first, ...rest];
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}
