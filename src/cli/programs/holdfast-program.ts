import { type Command, nameOf } from '../command.js';
import { type CliProgram, type IsOffered, isForCli, type LoadCommands, offered } from './program.js';

/** First words that are listed together in the help, each with the file of its commands. */
export interface WordGroup {
  readonly title: string;
  readonly words: Readonly<Record<string, LoadCommands>>;
}

/** The verb of a group that is called without one. */
const DEFAULT_VERB: Readonly<Record<string, string>> = {
  questions: 'list',
  change: 'list',
  config: 'show',
  agents: 'list',
  processes: 'list',
  sessions: 'list',
};

/** Other words for a group. */
const SAME_GROUP: Readonly<Record<string, string>> = {
  question: 'questions',
  session: 'sessions',
  agent: 'agents',
  process: 'processes',
  changes: 'change',
};

/** Where to find things that people first try under these words. */
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

/** The command line for people, with the commands of these words. */
export function holdfastProgram(groups: readonly WordGroup[], isOffered: IsOffered = isForCli): CliProgram {
  /** The commands that begin with a word, in the order of their file. */
  const commandsOf = async (word: string): Promise<readonly Command[]> => {
    const words = groups.find((group) => Object.hasOwn(group.words, word))?.words;
    const load = words?.[word];
    if (load === undefined) return [];
    return (await offered(load, isOffered)).filter((command) => firstWord(command) === word);
  };
  const allOf = async (words: readonly string[]) => (await Promise.all(words.map(commandsOf))).flat();
  return {
    name: 'holdfast',
    isForPrograms: false,
    async find(typed) {
      const args = inOurWords(typed);
      const [first = '', second = ''] = args;
      const commands = await commandsOf(first);
      const found = (name: string, rest: readonly string[]) => {
        const command = commands.find((one) => nameOf(one) === name);
        return command === undefined ? undefined : { name, command, rest };
      };
      const exact = found(`${first} ${second}`, args.slice(2)) ?? found(first, args.slice(1));
      if (exact !== undefined) return exact;
      const verb = Object.hasOwn(DEFAULT_VERB, first) ? DEFAULT_VERB[first] : undefined;
      if (verb === undefined || (second !== '' && !second.startsWith('-'))) return undefined;
      return isHelp(second) ? undefined : found(`${first} ${verb}`, args.slice(1));
    },
    async groupHelp(typed) {
      const [group = '', asked = '', ...rest] = inOurWords(typed);
      if (!isHelp(asked) || rest.length > 0) return undefined;
      const commands = (await commandsOf(group)).filter((command) => nameOf(command) !== group);
      return commands.length === 0 ? undefined : helpOfGroup(group, commands);
    },
    async similar(typed) {
      const [first = '', second = ''] = inOurWords(typed);
      const elsewhere = `${first} ${second}`;
      if (Object.hasOwn(ELSEWHERE, elsewhere)) return [`holdfast ${ELSEWHERE[elsewhere]}`];
      const near = (name: string, word: string) => word.length >= 2 && name.startsWith(word.slice(0, 2));
      const inGroup = (await commandsOf(first)).map(nameOf).filter((name) => name !== first);
      const alike = inGroup.filter((name) => near(name.slice(first.length + 1), second));
      if (alike.length > 0) return alike;
      if (inGroup.length > 0) return inGroup;
      const words = groups.flatMap((group) => Object.keys(group.words)).filter((word) => near(word, first));
      return (await allOf(words)).map(nameOf);
    },
    async groups() {
      return Promise.all(
        groups.map(async ({ title, words }) => ({ title, commands: await allOf(Object.keys(words)) })),
      );
    },
  };
}

function firstWord({ usage }: Command): string {
  return usage.split(' ', 1)[0] ?? '';
}

function helpOfGroup(group: string, commands: readonly Command[]): string {
  const verb = DEFAULT_VERB[group];
  const [first] = commands;
  return [
    `Usage: holdfast ${group} <command> [options]`,
    '',
    ...commands.map(commandLine),
    '',
    ...(verb === undefined ? [] : [`Without a command: ${group} ${verb}.`]),
    ...(first === undefined ? [] : [`More about each: holdfast ${nameOf(first)} --help`]),
  ].join('\n');
}

/** A command in a list. */
export function commandLine(command: Command): string {
  return `  ${nameOf(command).padEnd(19)} ${command.summary}`;
}

function inOurWords([first = '', ...rest]: readonly string[]): readonly string[] {
  return [Object.hasOwn(SAME_GROUP, first) ? (SAME_GROUP[first] ?? first) : first, ...rest];
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}
