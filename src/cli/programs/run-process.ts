import { isatty } from 'node:tty';
import { processEnvironment } from '../../app/base.js';
import { ExitCode } from '../exit-codes.js';
import { run } from '../run.js';
import type { Output } from './direct-output.js';
import type { CliProgram } from './program.js';

/** Longer than it takes to end an agent, including its grace. */
const WIND_DOWN_MS = 15_000;

/**
 * Runs a program in this process and returns its exit code. The first signal asks the command to stop; a second one ends it at
 * once. `entry` is the file with which agents start `holdfast mcp`.
 */
export async function runProcess(
  args: readonly string[],
  program: CliProgram,
  entry: string,
  output: (descriptor: 1 | 2) => Output = (descriptor) =>
    descriptor === 1 ? process.stdout : process.stderr,
): Promise<number> {
  // Made only when a command uses it: most are done before anybody could ask them to stop.
  let made: AbortController | undefined;
  const controller = () => {
    made ??= new AbortController();
    return made;
  };
  let stoppedBy: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals) => {
    // A closing terminal sends this several times: from the kernel, the shell and the terminal program.
    if (stoppedBy !== undefined && signal === 'SIGHUP') return;
    if (stoppedBy !== undefined) process.exit(exitCodeOfSignal(signal));
    stoppedBy = signal;
    controller().abort(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  // A reader such as `head` that closed the pipe has what it wanted; anything else is output that was lost. Either way
  // the command is asked to stop, so that nothing it started is left behind.
  let lostOutput: ExitCode | undefined;
  const stdout = output(1);
  stdout.on('error', (error) => {
    if (lostOutput !== undefined) return;
    lostOutput = error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed;
    if (lostOutput === ExitCode.failed)
      stderr().write(`${program.name}: the output could not be written: ${error.message}\n`);
    // For output that is lost only after the command is done.
    process.exitCode = lostOutput;
    controller().abort(error);
    setTimeout(() => process.exit(lostOutput), WIND_DOWN_MS).unref();
  });
  // Made only when used: each takes Node as long as a small command.
  let notes: Output | undefined;
  const stderr = () => {
    if (notes !== undefined) return notes;
    notes = output(2);
    // Nobody reads our notes any more, which is no reason to stop.
    notes.on('error', () => {});
    return notes;
  };
  const surroundings = {
    stdin: () => process.stdin,
    get hasKeyboard() {
      return isatty(0);
    },
    stdout,
    get stderr() {
      return stderr();
    },
    environment: processEnvironment(),
    workingDirectory: process.cwd(),
    self: { command: process.execPath, args: [entry] },
    get signal() {
      return controller().signal;
    },
  };
  const code = await run(args, surroundings, program);
  if (lostOutput !== undefined && stoppedBy === undefined) return lostOutput;
  return stoppedBy !== undefined && code === ExitCode.interrupted ? exitCodeOfSignal(stoppedBy) : code;
}

function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
}
