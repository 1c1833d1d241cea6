import { type ProgramExit, type ProgramSpec, type ProgramTools, startProgram } from './program.js';

/** What a short program printed, and how it ended. */
export interface ProgramResult {
  readonly lines: readonly string[];
  readonly exit: ProgramExit;
  readonly stderr: string;
}

/** Runs a program to its end, for at most this long; then kills its whole tree. Throws PROGRAM_NOT_STARTED. */
export async function runProgram(
  tools: ProgramTools,
  spec: Omit<ProgramSpec, 'onLine' | 'input'>,
  timeoutMs: number,
): Promise<ProgramResult> {
  const lines: string[] = [];
  const program = await startProgram(tools, { ...spec, input: 'closed', onLine: (line) => lines.push(line) });
  const timer = new AbortController();
  const tooLate = tools.clock.sleep(timeoutMs, timer.signal).catch(() => {});
  await Promise.race([program.exited, tooLate]);
  timer.abort();
  const exit = await program.stop({ graceMs: 0, termMs: 0 });
  return { lines, exit, stderr: program.stderrTail };
}
