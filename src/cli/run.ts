import { createServices, type Environment, type Services } from '../app/index.js';
import { HoldfastError, messageOf, visibleBlock, visibleJson, visibleLine } from '../foundation/index.js';
import { findCommand, similarCommands } from './command-table.js';
import { ExitCode, exitCodeOf } from './exit-codes.js';
import { HelpRequested, parseCommand } from './parse.js';
import { createTerminal, type Terminal } from './terminal.js';

/** The process around a command. */
export interface Surroundings {
  readonly stdin: Parameters<typeof createTerminal>[0]['stdin'];
  readonly stdout: Parameters<typeof createTerminal>[0]['stdout'];
  readonly stderr: Parameters<typeof createTerminal>[0]['stderr'];
  readonly environment: Environment;
  readonly workingDirectory: string;
  /** How this program was started. */
  readonly self: { readonly command: string; readonly args: readonly string[] };
  readonly signal: AbortSignal;
}

/** Runs one command line and returns its exit code; what is thrown becomes a message and a code. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const isJson = args.includes('--json');
  const plain = createTerminal(surroundings, {
    isQuiet: false,
    color: args.includes('--no-color') ? false : args.includes('--color') ? true : undefined,
    environment: surroundings.environment,
  });
  try {
    return await runCommand(args, surroundings);
  } catch (error) {
    if (error instanceof HelpRequested) {
      plain.write(error.text);
      return ExitCode.done;
    }
    tell(error, plain, isJson);
    return exitCodeOf(error);
  }
}

async function runCommand(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const found = findCommand(args);
  if (found === undefined) throw new UnknownCommandError(args);
  const { default: command } = await found.load();
  const parsed = parseCommand(command, found.rest);
  const terminal = createTerminal(surroundings, { ...parsed, environment: surroundings.environment });
  let services: Services | undefined;
  return command.run(
    {
      get services() {
        services ??= createServices({
          environment: surroundings.environment,
          workingDirectory: surroundings.workingDirectory,
          command: `holdfast ${found.name}`,
          self: surroundings.self,
          log: terminal.log,
        });
        return services;
      },
      terminal,
      signal: surroundings.signal,
      isJson: parsed.isJson,
    },
    parsed as Parameters<typeof command.run>[1],
  );
}

function tell(error: unknown, terminal: Terminal, isJson: boolean): void {
  const code = error instanceof HoldfastError ? error.code : 'INTERNAL';
  const hint =
    error instanceof HoldfastError ? error.hint : 'This is a defect of Holdfast; please report it.';
  if (isJson) {
    terminal.write(
      visibleJson({
        success: false,
        error: messageOf(error),
        code,
        ...(hint === undefined ? {} : { hint }),
      }),
    );
    return;
  }
  terminal.complain(`${terminal.errorStyle.red('holdfast:')} ${visibleLine(messageOf(error))}`);
  if (hint !== undefined) terminal.complain(terminal.errorStyle.dim(visibleBlock(hint)));
}

class UnknownCommandError extends HoldfastError<'USAGE'> {
  readonly code = 'USAGE';

  constructor(args: readonly string[]) {
    const similar = similarCommands(args);
    const typed = visibleLine(args.slice(0, 2).join(' '));
    super(`There is no command \`${typed}\``, {
      hint: similar.length === 0 ? 'See `holdfast --help`.' : `Did you mean: ${similar.join(', ')}?`,
    });
  }
}
