import type { Services } from '../app/base.js';
import { HoldfastError, type OperationFacts } from '../foundation/index.js';
import type { ExitCode } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** An option of a command. `strings` may be given several times; a `string` whose value is `[optional]` may be empty. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string' | 'strings' | 'number';
  /** The value shown after the option in the help, such as `<label>`. */
  readonly value?: string;
  /** A one-letter form of it, such as `-i`. */
  readonly short?: string;
  /** The only values accepted. */
  readonly choices?: readonly string[];
  readonly about: string;
}

type OptionValue<Spec extends OptionSpec> = Spec['type'] extends 'boolean'
  ? boolean
  : Spec['type'] extends 'strings'
    ? string[]
    : Spec['type'] extends 'number'
      ? number | undefined
      : Spec extends { readonly choices: readonly (infer Choice extends string)[] }
        ? Choice | undefined
        : string | undefined;

/** The values of a command's options, typed by their table. */
export type OptionValues<Specs extends Readonly<Record<string, OptionSpec>>> = {
  readonly [Name in keyof Specs]: OptionValue<Specs[Name]>;
};

/** What a command is given. */
export interface CommandContext {
  readonly services: Services;
  readonly terminal: Terminal;
  /** Fires on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly isJson: boolean;
  /** All commands of the program, as its help lists them. */
  groups(): Promise<readonly CommandGroup[]>;
}

/** Commands listed together in the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** A command: its name, purpose and action. Just a thin table over commander. */
export interface Command<
  Specs extends Readonly<Record<string, OptionSpec>> = Readonly<Record<string, OptionSpec>>,
> {
  /** Name and arguments: `<needed>`, `[optional]`, such as `questions show <session>`. */
  readonly usage: string;
  readonly summary: string;
  /** The operation that it performs, if any. If that is not offered, the command does not exist. */
  readonly operation?: OperationFacts;
  /** Text after the summary in a list, such as `(--change <name>)`. */
  readonly aside?: string;
  readonly details?: string;
  readonly options: Specs;
  readonly examples: readonly string[];
  /** Repairs `config.json`, so it runs even when that file is wrong. */
  readonly repairsConfig?: boolean;
  run(
    context: CommandContext,
    args: { readonly positionals: readonly string[]; readonly values: OptionValues<Specs> },
  ): Promise<ExitCode>;
}

/** The name of a command: the words of its usage that are not arguments. */
export function nameOf({ usage }: Pick<Command, 'usage'>): string {
  return usage
    .split(' ')
    .filter((word) => !/^[<[]/.test(word))
    .join(' ');
}

/** The arguments of a command as in its usage: `<needed>`, `[optional]`. */
export function argumentsOf({ usage }: Pick<Command, 'usage'>): string[] {
  return usage.split(' ').filter((word) => /^[<[]/.test(word));
}

/** Options that every command takes. */
export const COMMON_OPTIONS: Readonly<Record<string, string>> = {
  '--json': 'print data as JSON',
  '--quiet': 'print no progress and no notes',
  '--color': 'force colours',
  '--no-color': 'forbid colours',
};

/** The flag for an option name: `--max-time` for `maxTime`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

type Declared<Specs extends Readonly<Record<string, OptionSpec>>> = Omit<
  Command<Specs>,
  'summary' | 'operation'
> &
  ({ readonly operation: OperationFacts } | { readonly summary: string });

/** Declares a command; the table of options gives `run` its types. An operation supplies its own summary. */
export function defineCommand<const Specs extends Readonly<Record<string, OptionSpec>>>(
  command: Declared<Specs>,
): Command {
  const summary = 'operation' in command ? command.operation.summary : command.summary;
  return { ...command, summary } as unknown as Command;
}

/** The command was called in a way it does not support. */
export class UsageError extends HoldfastError<'USAGE'> {
  readonly code = 'USAGE';
}

/** Something that cannot be undone needs confirmation, and there is no terminal to ask at. */
export class ConfirmationMissingError extends HoldfastError<'CONFIRMATION_MISSING'> {
  readonly code = 'CONFIRMATION_MISSING';
}
