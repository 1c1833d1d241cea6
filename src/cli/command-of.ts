import type * as z from 'zod';
import type { Services } from '../app/base.js';
import { checkInput, type Operation, type OperationContext, visibleJson } from '../foundation/index.js';
import {
  type Command,
  type CommandContext,
  defineCommand,
  type OptionSpec,
  type OptionValues,
} from './command.js';
import { ExitCode } from './exit-codes.js';
import type { Terminal } from './terminal.js';

type Specs = Readonly<Record<string, OptionSpec>>;

/** What was typed. */
export interface Typed<Options extends Specs> {
  readonly positionals: readonly string[];
  readonly values: OptionValues<Options>;
  readonly isJson: boolean;
}

/** What a renderer may use besides the output. */
export interface Shown<Options extends Specs, Parts> extends Typed<Options> {
  readonly parts: Parts;
  readonly services: Services;
  readonly terminal: Terminal;
}

/** An operation as a command: its words, how typed values become its input, and how its output is shown. */
export interface CommandForm<Parts, Input, Output, Options extends Specs> {
  readonly usage: string;
  readonly aside?: string;
  readonly details?: string;
  /** Runs even if config.json is not usable, to repair it. */
  readonly repairsConfig?: boolean;
  readonly options: Options;
  readonly examples: readonly string[];
  /** What the operation works with; the terminal is for asking the person. */
  parts(services: Services, typed: Typed<Options>, terminal: Terminal): Parts;
  /** Typed values as the operation's input; the operation checks them. */
  input(typed: Typed<Options>, parts: Parts, services: Services): Input;
  /** For people. */
  render(output: Output, shown: Shown<Options, Parts>): string;
  /** For programs; the output itself if absent. */
  json?(output: Output): unknown;
  /** Prints notes on stderr. */
  notes?(output: Output, shown: Shown<Options, Parts>): void;
  /** Whether the notes are printed with --json, too. */
  readonly hasNotesForAll?: boolean;
  exitCode?(output: Output): ExitCode;
}

/** A command made from an operation, which checks the typed values and supplies the summary. */
export function commandOf<
  Parts,
  Input extends z.ZodType,
  Output extends z.ZodType,
  const Options extends Specs,
>(
  operation: Operation<Parts, Input, Output>,
  form: CommandForm<NoInfer<Parts>, z.input<NoInfer<Input>>, z.input<NoInfer<Output>>, Options>,
): Command {
  const { usage, aside, details, repairsConfig, options, examples } = form;
  return defineCommand({
    operation,
    usage,
    ...(aside === undefined ? {} : { aside }),
    ...(details === undefined ? {} : { details }),
    ...(repairsConfig === undefined ? {} : { repairsConfig }),
    options,
    examples,
    async run(context, { positionals, values }) {
      const { services, terminal, isJson } = context;
      const typed = { positionals, values, isJson };
      const parts = form.parts(services, typed, terminal);
      const input = checkInput(operation, form.input(typed, parts, services));
      const output = await operation.run(parts, input, asCaller(context));
      const shown = { ...typed, parts, services, terminal };
      if (isJson) terminal.write(visibleJson(form.json === undefined ? output : form.json(output)));
      else terminal.write(form.render(output, shown));
      if (!isJson || form.hasNotesForAll === true) form.notes?.(output, shown);
      return form.exitCode?.(output) ?? ExitCode.done;
    },
  });
}

/** The caller of an operation from the command line. The signal is for operations that use it. */
export function asCaller(context: Pick<CommandContext, 'signal'>): OperationContext {
  return {
    actor: 'cli',
    get signal() {
      return context.signal;
    },
  };
}

/** Calls an operation for a command that does more than `commandOf` offers. */
export function perform<Parts, Input extends z.ZodType, Output extends z.ZodType>(
  context: Pick<CommandContext, 'signal'>,
  operation: Operation<Parts, Input, Output>,
  parts: NoInfer<Parts>,
  input: z.input<NoInfer<Input>>,
): Promise<z.input<Output>> {
  return operation.run(parts, checkInput(operation, input), asCaller(context));
}
