import { messageOf } from '../../foundation/index.js';
import {
  type Program,
  ProgramNotStartedError,
  type ProgramTools,
  startProgram,
} from '../../programs/index.js';
import type { TestCounts } from '../../sessions/loop/index.js';
import { parseTestResults } from '../../workspace/index.js';

/** A command that checks the project. */
export interface Check {
  /** As a person would type it. */
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** The results of the checks of a project. */
export interface CheckResults {
  /** Of the first check that failed; 0 if all passed, null if none ran to its end. */
  readonly exitCode: number | null;
  /** The sum over all checks that reported numbers; null = unknown, which is not 0 of 0. */
  readonly tests: TestCounts | null;
  /** One line about the first failure. */
  readonly failure: string | null;
  /** The end of the output of the first check that failed. */
  readonly output: string;
  /** The first check that could not even run: its command is missing, or may not be executed. */
  readonly broken: { readonly label: string; readonly exitCode: number; readonly words: string } | null;
}

export interface CheckTools {
  readonly programs: ProgramTools;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long one check may take. */
  readonly timeoutMs: number;
}

export interface CheckListener {
  readonly onStart: (check: Check) => void;
  readonly onEnd: (check: Check, result: CheckResult) => void;
}

export interface CheckResult {
  readonly exitCode: number | null;
  readonly tests: TestCounts | null;
  readonly output: string;
  readonly durationMs: number;
}

const MAX_OUTPUT_CHARACTERS = 512 * 1024;
const TOLD_LINES = 40;
/** The exit codes of shells for a command that is missing, and for one that cannot be executed. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** The user typed it, so a shell runs it. */
export function typedCheck(text: string): Check {
  return { label: text, command: 'sh', args: ['-c', text] };
}

/** We guessed it: an argument vector, never a shell. */
export function guessedCheck(words: string): Check {
  const [command = '', ...args] = words.split(' ');
  return { label: words, command, args };
}

/** Runs all checks one after the other. A signal ends the running check with its whole process tree. Never throws for a check. */
export async function runChecks(
  tools: CheckTools,
  checks: readonly Check[],
  listener: CheckListener,
  signal: AbortSignal,
): Promise<CheckResults> {
  const results: { check: Check; result: CheckResult }[] = [];
  for (const check of checks) {
    if (signal.aborted) break;
    listener.onStart(check);
    const result = await runCheck(tools, check, signal);
    listener.onEnd(check, result);
    results.push({ check, result });
  }
  return summarize(results);
}

async function runCheck(tools: CheckTools, check: Check, signal: AbortSignal): Promise<CheckResult> {
  const { clock } = tools.programs;
  const startedMs = clock.monotonicMs();
  const took = () => Math.round(clock.monotonicMs() - startedMs);
  const output = new Tail();
  let program: Program;
  try {
    program = await startProgram(tools.programs, {
      command: check.command,
      args: check.args,
      workingDirectory: tools.workingDirectory,
      environment: tools.environment,
      input: 'closed',
      onLine: () => {},
      onOutput: (_stream, chunk) => output.add(chunk),
    });
  } catch (error) {
    if (!(error instanceof ProgramNotStartedError)) throw error;
    return { exitCode: NOT_FOUND, tests: null, output: messageOf(error), durationMs: took() };
  }
  const isInTime = await endsInTime(program, tools, signal);
  // Even after it ended: what it left running in the background is not part of the project.
  const exit = await program.stop({ graceMs: 0, termMs: 0 });
  const text = isInTime ? output.text() : `${output.text()}\nstopped after ${tools.timeoutMs / 1_000} s`;
  const exitCode = isInTime ? exit.code : null;
  return { exitCode, tests: countTests(text, exitCode), output: text, durationMs: took() };
}

async function endsInTime(program: Program, tools: CheckTools, signal: AbortSignal): Promise<boolean> {
  const timer = new AbortController();
  const stop = AbortSignal.any([signal, timer.signal]);
  const tooLate = tools.programs.clock.sleep(tools.timeoutMs, stop).catch(() => {
    // Cancelled: the check ended, or the run was aborted.
  });
  await Promise.race([program.exited, tooLate]);
  timer.abort();
  return program.exit !== undefined;
}

function countTests(output: string, exitCode: number | null): TestCounts | null {
  const found = parseTestResults(output, exitCode);
  if (found.source !== 'summary' || found.unit !== 'tests') return null;
  const { total, passed, failed, skipped } = found;
  return { total, passing: passed, failing: failed, skipped };
}

function summarize(results: readonly { check: Check; result: CheckResult }[]): CheckResults {
  const failed = results.find(({ result }) => result.exitCode !== 0);
  const counted = results.flatMap(({ result }) => (result.tests === null ? [] : [result.tests]));
  const tests = counted.length === 0 ? null : counted.reduce(sum);
  if (failed === undefined) {
    return { exitCode: results.length === 0 ? null : 0, tests, failure: null, output: '', broken: null };
  }
  const { check, result } = failed;
  const words = result.exitCode === null ? 'did not end by itself' : `ended with ${result.exitCode}`;
  return {
    // A killed check has failed; `null` would mean that nothing ran.
    exitCode: result.exitCode ?? 1,
    tests,
    failure: `${check.label} ${words}: ${tellingLine(result.output)}`,
    output: result.output.split('\n').slice(-TOLD_LINES).join('\n').trim(),
    broken: brokenIn(results),
  };
}

function brokenIn(results: readonly { check: Check; result: CheckResult }[]): CheckResults['broken'] {
  const found = results.find(
    ({ result: { exitCode, tests } }) =>
      (exitCode === NOT_FOUND || exitCode === NOT_EXECUTABLE) && tests === null,
  );
  if (found === undefined) return null;
  const { check, result } = found;
  return { label: check.label, exitCode: result.exitCode ?? NOT_FOUND, words: tellingLine(result.output) };
}

function sum(a: TestCounts, b: TestCounts): TestCounts {
  return {
    total: a.total + b.total,
    passing: a.passing + b.passing,
    failing: a.failing + b.failing,
    skipped: a.skipped + b.skipped,
  };
}

/** The line most likely to say what is wrong. */
function tellingLine(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const found = lines.find((line) => /\b(error|exception|not ok|failed|panicked)\b|✖|Error:/i.test(line));
  return found ?? lines.findLast((line) => line !== '') ?? 'it printed nothing';
}

/** The end of a program's output. */
class Tail {
  readonly #decoder = new TextDecoder();
  #text = '';

  add(chunk: Buffer): void {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#text.length > 2 * MAX_OUTPUT_CHARACTERS) this.#text = this.#text.slice(-MAX_OUTPUT_CHARACTERS);
  }

  text(): string {
    return this.#text;
  }
}
