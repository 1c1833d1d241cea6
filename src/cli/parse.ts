import { Command as Commander, CommanderError, InvalidArgumentError } from 'commander';
import { visibleExcerpt } from '../foundation/index.js';
import {
  argumentsOf,
  COMMON_OPTIONS,
  type Command,
  flagOf,
  nameOf,
  type OptionSpec,
  UsageError,
} from './command.js';
import { numberOf, type ReadWords, readPlain } from './parse-plain.js';

export interface ParsedCommand {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly color: boolean | undefined;
}

/** The command line asked for the help of a command; it is printed and nothing else happens. */
export class HelpRequested extends Error {
  readonly text: string;

  constructor(text: string) {
    super('help requested');
    this.text = text;
  }
}

/** Parses what was typed after a command's words. Throws USAGE, HelpRequested. */
export function parseCommand(
  command: Command,
  words: readonly string[],
  program = 'holdfast',
): ParsedCommand {
  const { options, positionals } = readPlain(command, words) ?? readByCommander(command, words, program);
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(command.options)) {
    values[name] = chosen(name, spec, optionValue(options, name, spec));
  }
  return {
    positionals,
    values,
    isJson: options.json === true,
    isQuiet: options.quiet === true,
    color: typeof options.color === 'boolean' ? options.color : undefined,
  };
}

/** Any command line. Throws as `parseCommand`. */
export function readByCommander(command: Command, words: readonly string[], program: string): ReadWords {
  const parser = parseWords(command, words, program);
  return {
    options: parser.opts<Record<string, unknown>>(),
    positionals: parser.processedArgs
      .flat()
      .filter((argument): argument is string => typeof argument === 'string'),
  };
}

/** Setting up an option takes longer than parsing the line, so options that were not typed are left out. */
function parseWords(command: Command, words: readonly string[], program: string): Commander {
  const isTyped = (flag: string) => words.some((word) => word === flag || word.startsWith(`${flag}=`));
  try {
    return buildParser(command, program, isTyped).parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw refusal(command, words, program, error);
  }
}

/** The error for a line that cannot be parsed, from a parser that knows every option. */
function refusal(command: Command, words: readonly string[], program: string, first: CommanderError): Error {
  if (first.code === 'commander.helpDisplayed') return new HelpRequested(helpOf(command, program));
  let error = first;
  try {
    buildParser(command, program).parse([...words], { from: 'user' });
  } catch (second) {
    if (second instanceof CommanderError) error = second;
  }
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  return new UsageError(message, { cause: error, hint: `See \`${program} ${nameOf(command)} --help\`.` });
}

function optionValue(options: Readonly<Record<string, unknown>>, name: string, spec: OptionSpec): unknown {
  // Commander reads `--no-wait` as "wait is false".
  const negated = /^no([A-Z])(.*)$/.exec(name);
  if (negated !== null) return options[`${negated[1]?.toLowerCase()}${negated[2]}`] === false;
  // An option given without its optional value.
  if (options[name] === true && spec.type === 'string') return '';
  return options[name] ?? (spec.type === 'boolean' ? false : spec.type === 'strings' ? [] : undefined);
}

/** Checks the value of an option with choices. The error lists them. */
function chosen(name: string, { choices }: OptionSpec, value: unknown): unknown {
  if (choices === undefined || value === undefined || choices.includes(String(value))) return value;
  throw new UsageError(`${flagOf(name)} is ${choices.join(', ')}, not ${visibleExcerpt(String(value), 40)}`);
}

/** The help of one command, with its examples. */
export function helpOf(command: Command, program = 'holdfast'): string {
  const examples = command.examples.map((example) => `  ${example}`).join('\n');
  return `${buildParser(command, program).helpInformation()}\nExamples:\n${examples}`;
}

function buildParser(
  command: Command,
  program: string,
  isWanted: (flag: string) => boolean = () => true,
): Commander {
  const parser = new Commander(`${program} ${nameOf(command)}`);
  parser.exitOverride().configureOutput({ writeOut() {}, writeErr() {} });
  // Commander wraps paragraphs to the width of the terminal, so the lines of the source are joined.
  const details = command.details?.replaceAll('\n', ' ');
  parser.description(details === undefined ? command.summary : `${command.summary}\n\n${details}`);
  for (const argument of argumentsOf(command)) parser.argument(argument);
  for (const [name, spec] of Object.entries(command.options))
    if (isWanted(flagOf(name)) || (spec.short !== undefined && isWanted(spec.short)))
      addOption(parser, name, spec);
  for (const [flag, about] of Object.entries(COMMON_OPTIONS)) if (isWanted(flag)) parser.option(flag, about);
  if (isWanted('--help') || isWanted('-h')) parser.helpOption('-h, --help', 'show this help');
  else parser.helpOption(false);
  return parser.allowExcessArguments(false);
}

function addOption(parser: Commander, name: string, spec: OptionSpec): void {
  const flag = spec.short === undefined ? flagOf(name) : `${spec.short}, ${flagOf(name)}`;
  if (spec.type === 'boolean') parser.option(flag, spec.about);
  else if (spec.type === 'strings') {
    const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
    parser.option(`${flag} ${spec.value ?? '<text>'}`, spec.about, collect);
  } else if (spec.type === 'number')
    parser.option(`${flag} ${spec.value ?? '<number>'}`, spec.about, parseNumber);
  else parser.option(`${flag} ${spec.value ?? '<text>'}`, spec.about);
}

function parseNumber(text: string): number {
  const value = numberOf(text);
  if (value === undefined) throw new InvalidArgumentError('Not a number of 0 or more.');
  return value;
}
