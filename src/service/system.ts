import { findProgram, type ProgramTools, runProgram } from '../programs/index.js';

/** What calling systemd needs. */
export interface SystemTools extends ProgramTools {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
}

/** What a program of systemd printed, and whether it succeeded. */
export interface SystemReply {
  readonly isDone: boolean;
  readonly words: string;
}

const PATIENCE_MS = 30_000;

/** Runs `systemctl --user` or `loginctl` from its argument vector; undefined if it is not installed. */
export async function askSystem(
  tools: SystemTools,
  program: 'systemctl' | 'loginctl',
  args: readonly string[],
): Promise<SystemReply | undefined> {
  const { environment, workingDirectory } = tools;
  const command = findProgram(tools.fileSystem, program, environment.PATH);
  if (command === undefined) return undefined;
  const spec = { command, args: [...args], workingDirectory, environment };
  const { lines, exit, stderr } = await runProgram(tools, spec, PATIENCE_MS);
  return { isDone: exit.code === 0, words: lines.join('\n').trim() || stderr.trim() };
}
