import type { Services } from '../app/base.js';
import { HoldfastError, type OperationFacts } from '../foundation/index.js';
import type { ExitCode } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** An option of a command. `strings` may be given several times; a `string` whose value is `[optional]` may be empty. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string' | 'strings' | 'number';
  /** What stands behind the option in the help, such as `<label>`. */
  readonly value?: string;
  /** One letter that means the same, such as `-i`. */
  readonly short?: string;
  /** The only words that are taken. */
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

/** What the options of a command hold, by their table. */
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
  /** All commands of the program that it belongs to, as its help lists them. */
  groups(): Promise<readonly CommandGroup[]>;
}

/** Commands that stand together in the help. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** A command: how it is called, what it is for, and what it does. A thin table over commander, nothing more. */
export interface Command<
  Specs extends Readonly<Record<string, OptionSpec>> = Readonly<Record<string, OptionSpec>>,
> {
  /** Name and arguments: `<needed>`, `[optional]`, such as `questions show <session>`. */
  readonly usage: string;
  readonly summary: string;
  /** The operation that it is, if it is one; without it there is no such command. */
  readonly operation?: OperationFacts;
  /** What stands behind the summary in a list, such as `(--change <name>)`. */
  readonly aside?: string;
  readonly details?: string;
  readonly options: Specs;
  readonly examples: readonly string[];
  /** It repairs `config.json`, so it runs even when that file is wrong. */
  readonly repairsConfig?: boolean;
  run(
    context: CommandContext,
    args: { readonly positionals: readonly string[]; readonly values: OptionValues<Specs> },
  ): Promise<ExitCode>;
}

/** What a command is called: the words of its usage that are not arguments. */
export function nameOf({ usage }: Pick<Command, 'usage'>): string {
  return usage
    .split(' ')
    .filter((word) => !/^[<[]/.test(word))
    .join(' ');
}

/** The arguments of a command, as its usage has them: `<needed>`, `[optional]`. */
export function argumentsOf({ usage }: Pick<Command, 'usage'>): string[] {
  return usage.split(' ').filter((word) => /^[<[]/.test(word));
}

/** What every command takes. */
export const COMMON_OPTIONS: Readonly<Record<string, string>> = {
  '--json': 'print data as JSON',
  '--quiet': 'print no progress and no notes',
  '--color': 'force colours',
  '--no-color': 'forbid colours',
};

/** How the option of this name is typed: `--max-time` for `maxTime`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

type Declared<Specs extends Readonly<Record<string, OptionSpec>>> = Omit<
  Command<Specs>,
  'summary' | 'operation'
> &
  ({ readonly operation: OperationFacts } | { readonly summary: string });

/** Declares a command; the table of options gives `run` its types. The summary of one that is an operation is there. */
export function defineCommand<const Specs extends Readonly<Record<string, OptionSpec>>>(
  command: Declared<Specs>,
): Command {
  const summary = 'operation' in command ? command.operation.summary : command.summary;
  return { ...command, summary } as unknown as Command;
}

/** The command was called in a way it does not know. */
export class UsageError extends HoldfastError<'USAGE'> {
  readonly code = 'USAGE';
}

/** Something that cannot be undone needs a yes, and there is no terminal to ask at. */
export class ConfirmationMissingError extends HoldfastError<'CONFIRMATION_MISSING'> {
  readonly code = 'CONFIRMATION_MISSING';
}
