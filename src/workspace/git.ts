import { dirname } from 'node:path';
import { HoldfastError, visibleExcerpt } from '../foundation/index.js';
import {
  type ProgramExit,
  ProgramNotStartedError,
  type ProgramTools,
  startProgram,
} from '../programs/index.js';

/** What is needed to ask git. */
export interface GitTools extends ProgramTools {
  /** The user's environment; variables about repositories (`GIT_DIR` and the like) are left out. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly gitCommand: string;
  readonly timeoutMs: number;
}

/** git answered with an error, or not in time. */
export class GitFailedError extends HoldfastError<'GIT_FAILED'> {
  readonly code = 'GIT_FAILED';
  /** Null if it did not exit by itself. */
  readonly exitCode: number | null;

  constructor(operation: string, directory: string, reason: string, exitCode: number | null) {
    super(`git ${operation} failed in ${visibleExcerpt(directory, 200)}: ${visibleExcerpt(reason, 300)}`, {
      hint: /dubious ownership/.test(reason)
        ? 'The repository belongs to another user: `git config --global --add safe.directory <path>` if you trust it.'
        : 'Run the same command by hand to see what is wrong with the repository.',
    });
    this.exitCode = exitCode;
  }
}

/** Whether git could not be asked, or failed: then there are other ways to find out. */
export function isGitTrouble(error: unknown): error is GitFailedError | ProgramNotStartedError {
  return error instanceof GitFailedError || error instanceof ProgramNotStartedError;
}

/**
 * Asks git a question at the top of a repository without changing anything: no lock, no hook, no monitor, no pager, no
 * prompt, nothing fetched, and no program that the repository names. Returns the bytes it printed. Throws
 * PROGRAM_NOT_STARTED, GIT_FAILED.
 */
export async function askGit(
  tools: GitTools,
  directory: string,
  args: readonly [operation: string, ...rest: string[]],
  options: GitOptions = {},
): Promise<Buffer> {
  const { output, exitCode, signal, stderr } = await runGit(tools, directory, args, options);
  if (exitCode === 0) return output;
  const hasEnded = exitCode !== null || signal !== null;
  const reason = hasEnded
    ? describeExit({ code: exitCode, signal }, stderr)
    : `no answer within ${tools.timeoutMs} ms`;
  throw new GitFailedError(args[0], directory, reason, exitCode);
}

export interface GitOptions {
  /** Lines for its standard input. */
  readonly input?: readonly string[];
  readonly settings?: readonly string[];
  /** Environment variables in addition to the few it gets, or replacing them. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/** How git ended; it has neither an exit code nor a signal if it did not end in time. */
export interface GitResult {
  readonly output: Buffer;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Like `askGit`, for callers that want to know how it failed. Throws PROGRAM_NOT_STARTED. */
export async function runGit(
  tools: GitTools,
  directory: string,
  args: readonly [operation: string, ...rest: string[]],
  { input = [], settings = [], variables = {} }: GitOptions = {},
): Promise<GitResult> {
  const chunks: Buffer[] = [];
  const program = await startProgram(tools, {
    command: tools.gitCommand,
    args: [...QUIET_OPTIONS, ...settings.flatMap((setting) => ['-c', setting]), ...args],
    workingDirectory: directory,
    environment: { ...quietEnvironment(tools.environment, directory), ...variables },
    input: input.length > 0 ? 'open' : 'closed',
    onLine: () => {},
    maxLineBytes: 0, // names may contain line breaks, so only whole chunks are kept
    onOutput: (stream, chunk) => {
      if (stream === 'stdout') chunks.push(chunk);
    },
  });
  const timer = new AbortController();
  const tooLate = tools.clock.sleep(tools.timeoutMs, timer.signal).catch(() => {});
  const isWritten = writeAll(program, input);
  await Promise.race([program.exited, tooLate]);
  timer.abort();
  const hasEnded = program.exit !== undefined;
  const exit = await program.stop({ graceMs: 0, termMs: 0 });
  await isWritten;
  return {
    output: Buffer.concat(chunks),
    stderr: program.stderrTail,
    exitCode: hasEnded ? exit.code : null,
    signal: hasEnded ? exit.signal : null,
  };
}

/** Switches off settings of a repository that would run its own programs or change the output. */
const QUIET_OPTIONS = [
  '--no-pager',
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.quotePath=false',
  '-c',
  'log.showSignature=false',
  '-c',
  'submodule.recurse=false',
] as const;

/** What git needs to find itself and the user's own configuration; nothing else in our environment concerns it. */
const KEPT_VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME'] as const;

function quietEnvironment(
  environment: GitTools['environment'],
  directory: string,
): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(KEPT_VARIABLES.map((name) => [name, environment[name]])),
    LC_ALL: 'C',
    // If this is not a repository after all, the one around it must not answer instead.
    GIT_CEILING_DIRECTORIES: dirname(directory),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // Older versions fetch what a partial clone lacks anyway, with a program that the repository may name.
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

interface Input {
  writeLine(line: string): Promise<void>;
  closeInput(): void;
}

async function writeAll(program: Input, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  try {
    await program.writeLine(lines.join('\n'));
  } catch {
    // It ended early; its exit code and stderr say why.
  }
  program.closeInput();
}

function describeExit({ code, signal }: ProgramExit, stderr: string): string {
  const [firstLine = ''] = stderr.trim().split('\n');
  return firstLine === '' ? `it ended with ${signal ?? code}` : firstLine;
}
