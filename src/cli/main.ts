import { processEnvironment } from '../app/index.js';
import { ExitCode } from './exit-codes.js';
import { run } from './run.js';

/** Runs the program and returns its exit code. A first signal asks the command to stop; a second one is not waited for. */
export async function main(args: readonly string[]): Promise<number> {
  const controller = new AbortController();
  let stoppedBy: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppedBy !== undefined) process.exit(exitCodeOfSignal(signal));
    stoppedBy = signal;
    controller.abort(signal);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  // A reader such as `head` that closed the pipe has what it wanted; anything else is output that was lost.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      process.stderr.write(`holdfast: the output could not be written: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? ExitCode.done : ExitCode.failed);
  });
  // Nobody reads our notes any more: that is no reason to stop.
  process.stderr.on('error', () => {});
  const code = await run(args, {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: processEnvironment(),
    workingDirectory: process.cwd(),
    self: { command: process.execPath, args: process.argv.slice(1, 2) },
    signal: controller.signal,
  });
  return stoppedBy !== undefined && code === ExitCode.interrupted ? exitCodeOfSignal(stoppedBy) : code;
}

function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return signal === 'SIGINT' ? ExitCode.interrupted : ExitCode.terminated;
}
