import type { Services } from '../app/base.js';
import { HoldfastError } from '../foundation/index.js';
import type { ExitCode } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** An option of a command. `strings` may be given several times; a `string` whose value is `[optional]` may be empty. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string' | 'strings' | 'number';
  /** What stands behind the option in the help, such as `<label>`. */
  readonly value?: string;
  /** One letter that means the same, such as `-i`. */
  readonly short?: string;
  readonly about: string;
}

type OptionValue<Spec extends OptionSpec> = Spec['type'] extends 'boolean'
  ? boolean
  : Spec['type'] extends 'strings'
    ? string[]
    : Spec['type'] extends 'number'
      ? number | undefined
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
}

/** A command: how it is called, what it is for, and what it does. A thin table over commander, nothing more. */
export interface Command<
  Specs extends Readonly<Record<string, OptionSpec>> = Readonly<Record<string, OptionSpec>>,
> {
  /** Name and arguments: `<needed>`, `[optional]`, such as `questions show <session>`. */
  readonly usage: string;
  readonly summary: string;
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

/** Declares a command; the table of options gives `run` its types. */
export function defineCommand<const Specs extends Readonly<Record<string, OptionSpec>>>(
  command: Command<Specs>,
): Command {
  return command as unknown as Command;
}

/** The command was called in a way it does not know. */
export class UsageError extends HoldfastError<'USAGE'> {
  readonly code = 'USAGE';
}

/** Something that cannot be undone needs a yes, and there is no terminal to ask at. */
export class ConfirmationMissingError extends HoldfastError<'CONFIRMATION_MISSING'> {
  readonly code = 'CONFIRMATION_MISSING';
}
