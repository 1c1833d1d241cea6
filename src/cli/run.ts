import { createServices, type Environment, mendTerminal, type Services } from '../app/base.js';
import {
  HoldfastError,
  isHoldfastError,
  messageOf,
  redact,
  visibleBlock,
  visibleJson,
  visibleLine,
} from '../foundation/index.js';
import type { CommandContext } from './command.js';
import { ExitCode, exitCodeOf } from './exit-codes.js';
import { HelpRequested, parseCommand } from './parse.js';
import type { CliProgram } from './programs/program.js';
import { createTerminal, type Streams, type Terminal } from './terminal.js';

/** The process around a command. */
export interface Surroundings extends Streams {
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** How this program was started. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly signal: AbortSignal;
}

/** Runs one command line and returns its exit code; errors become a message and a code. */
export async function run(
  args: readonly string[],
  surroundings: Surroundings,
  program: CliProgram,
): Promise<ExitCode> {
  const isJson = args.includes('--json');
  const plain = createTerminal(surroundings, {
    isQuiet: false,
    color: args.includes('--no-color') ? false : args.includes('--color') ? true : undefined,
    isJson,
    environment: surroundings.environment,
  });
  try {
    return await runCommand(args, surroundings, program);
  } catch (error) {
    if (error instanceof HelpRequested) {
      plain.write(error.text);
      return ExitCode.done;
    }
    if (program.isForPrograms) surroundings.stderr.write(`${visibleJson(reportOf(error, program))}\n`);
    else tell(reportOf(error, program), program.name, plain, isJson);
    return exitCodeOf(error);
  }
}

async function runCommand(
  args: readonly string[],
  surroundings: Surroundings,
  program: CliProgram,
): Promise<ExitCode> {
  const words = commandFirst(args);
  const found = await program.find(words);
  if (found === undefined) {
    const help = await program.groupHelp?.(words);
    if (help !== undefined) throw new HelpRequested(help);
    throw new UnknownCommandError(words, program, await program.similar(words));
  }
  const { command } = found;
  const parsed = parseCommand(command, found.rest, program.name);
  const isJson = parsed.isJson || program.isForPrograms;
  const terminal = createTerminal(surroundings, {
    ...parsed,
    isJson,
    environment: surroundings.environment,
    isForPrograms: program.isForPrograms,
  });
  let services: Services | undefined;
  const context = {
    get services() {
      services ??= createServices({
        environment: surroundings.environment,
        workingDirectory: surroundings.workingDirectory,
        command: `${program.name} ${found.name}`,
        actor: 'cli',
        self: surroundings.self,
        log: terminal.log,
        ignoresConfigFile: command.repairsConfig,
      });
      return services;
    },
    terminal,
    get signal() {
      return surroundings.signal;
    },
    isJson,
    groups: async () => (await program.groups?.()) ?? [],
  };
  if (terminal.isInteractive) mendAfterKill(context);
  return command.run(context, parsed as Parameters<typeof command.run>[1]);
}

/** Restores a terminal left behind by one of our views that was killed in it. */
function mendAfterKill(context: CommandContext): void {
  try {
    mendTerminal(context.services, (text) => context.terminal.print(text));
  } catch {
    // The command reports an unreadable configuration, if it needs one.
  }
}

const FOR_ALL_COMMANDS: readonly string[] = ['--json', '--quiet', '--color', '--no-color'];

/** `--json questions` and `help ask` mean the same as `questions --json` and `ask --help`. */
function commandFirst(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first === undefined || rest.length === 0) return args;
  if (first === 'help') return [...rest, '--help'];
  return FOR_ALL_COMMANDS.includes(first) ? [...commandFirst(rest), first] : args;
}

interface ErrorReport {
  readonly success: false;
  readonly error: string;
  readonly code: string;
  readonly hint?: string;
}

function tell(report: ErrorReport, name: string, terminal: Terminal, isJson: boolean): void {
  if (isJson) {
    terminal.write(visibleJson(report));
    return;
  }
  terminal.complain(`${terminal.errorStyle.red(`${name}:`)} ${visibleLine(redact(report.error))}`);
  if (report.hint !== undefined) terminal.complain(terminal.errorStyle.dim(visibleBlock(report.hint)));
}

function reportOf(error: unknown, program: CliProgram): ErrorReport {
  const isOurs = isHoldfastError(error);
  const hint = isOurs ? hintOf(error, program) : 'This is a defect of Holdfast; please report it.';
  return {
    success: false,
    error: messageOf(error),
    code: isOurs ? error.code : 'INTERNAL',
    ...(hint === undefined ? {} : { hint }),
  };
}

function hintOf({ hint, hintForPeople }: HoldfastError, { isForPrograms }: CliProgram): string | undefined {
  return isForPrograms ? hint : (hintForPeople ?? hint);
}

class UnknownCommandError extends HoldfastError<'USAGE'> {
  readonly code = 'USAGE';

  constructor(args: readonly string[], program: CliProgram, similar: readonly string[]) {
    const typed = visibleLine(args.slice(0, program.isForPrograms ? 3 : 2).join(' '));
    const isBegun = similar.length > 0 && similar.every((name) => name.startsWith(`${args.join(' ')} `));
    super(isBegun ? `\`${typed}\` is only the first word of a command` : `There is no command \`${typed}\``, {
      hint:
        similar.length === 0
          ? `See \`${program.name} --help\`.`
          : `${isBegun ? 'One of' : 'Did you mean'}: ${similar.join(', ')}${isBegun ? '' : '?'}`,
    });
  }
}
