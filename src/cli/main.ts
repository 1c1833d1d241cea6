import { fileURLToPath } from 'node:url';
import { processEnvironment } from '../app/base.js';
import { AUR } from './aur-table.js';
import { HOLDFAST } from './command-table.js';
import { ExitCode } from './exit-codes.js';
import type { ProgramName } from './program.js';
import { RALPHTOOL } from './ralphtool-table.js';
import { run } from './run.js';

const PROGRAMS = { holdfast: HOLDFAST, aur: AUR, ralphtool: RALPHTOOL };

/** Longer than ending an agent takes, with all its grace. */
const WIND_DOWN_MS = 15_000;

/** Runs the program and returns its exit code. A first signal asks the command to stop; a second one is not waited for. */
export async function main(args: readonly string[], name: ProgramName = 'holdfast'): Promise<number> {
  const controller = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppedBy !== undefined) process.exit(exitCodeOfSignal(signal));
    stoppedBy = signal;
    controller.abort(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  // A reader such as `head` that closed the pipe has what it wanted; anything else is output that was lost. Either way
  // the command is asked to stop, so that nothing it started is left behind.
  let lostOutput: ExitCode | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (lostOutput !== undefined) return;
    lostOutput = error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed;
    if (lostOutput === ExitCode.failed)
      process.stderr.write(`${name}: the output could not be written: ${error.message}\n`);
    // For output that is lost only when the command is done.
    process.exitCode = lostOutput;
    controller.abort(error);
    setTimeout(() => process.exit(lostOutput), WIND_DOWN_MS).unref();
  });
  // Nobody reads our notes any more: that is no reason to stop.
  process.stderr.on('error', () => {});
  const surroundings = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: processEnvironment(),
    workingDirectory: process.cwd(),
    // Beside this file, wherever a link to it was called from: agents start `holdfast mcp` by it.
    self: { command: process.execPath, args: [fileURLToPath(new URL('holdfast.cjs', import.meta.url))] },
    signal: controller.signal,
  };
  const code = await run(args, surroundings, PROGRAMS[name]);
  if (lostOutput !== undefined && stoppedBy === undefined) return lostOutput;
  return stoppedBy !== undefined && code === ExitCode.interrupted ? exitCodeOfSignal(stoppedBy) : code;
}

function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
}
