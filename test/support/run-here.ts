import { PassThrough } from 'node:stream';
import { AUR } from '../../src/cli/programs/aur-table.js';
import { HOLDFAST } from '../../src/cli/programs/holdfast-table.js';
import type { CliProgram } from '../../src/cli/programs/program.js';
import { RALPHTOOL } from '../../src/cli/programs/ralphtool-table.js';
import { run } from '../../src/cli/run.js';

export const PROGRAMS = { holdfast: HOLDFAST, aur: AUR, ralphtool: RALPHTOOL };

export interface CliOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly signal?: AbortSignal;
  readonly workingDirectory?: string;
  /** Which program of the package; `holdfast` if absent. */
  readonly program?: CliProgram;
  /** How it starts itself again, for work in the background. */
  readonly self?: { readonly command: string; readonly args: readonly string[] };
}

export interface CliOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How this program was started, for tests to which that does not matter. */
export const SELF = { command: process.execPath, args: [] };

/** Runs a command line in this process as the program would in its own. */
export async function runHere(
  args: readonly string[],
  options: CliOptions & Required<Pick<CliOptions, 'environment' | 'workingDirectory'>>,
): Promise<CliOutcome> {
  const [stdin, stdout, stderr] = [new PassThrough(), new Collector(), new Collector()];
  stdin.end(options.input ?? '');
  if (options.isTerminal) Object.assign(stdout, { isTTY: true, columns: 100 });
  if (options.isTerminal) Object.assign(stderr, { isTTY: true });
  const surroundings = {
    stdin: () => stdin,
    hasKeyboard: false,
    stdout,
    stderr,
    environment: options.environment,
    workingDirectory: options.workingDirectory,
    self: options.self ?? SELF,
    signal: options.signal ?? new AbortController().signal,
  };
  const code = await run(args, surroundings, options.program ?? HOLDFAST);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends PassThrough {
  text = '';

  constructor() {
    super();
    this.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
    });
  }
}
