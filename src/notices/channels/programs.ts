import { isHoldfastError, messageOf, visibleExcerpt } from '../../foundation/index.js';
import { findProgram, type ProgramTools, runProgram } from '../../programs/index.js';
import { NoticeNotSentError } from '../errors.js';

/** What running a program for a notice needs. */
export interface NoticePrograms extends ProgramTools {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly timeoutMs: number;
}

/** Runs a program from its argument vector, in the home directory. Returns its first line. Throws NOTICE_NOT_SENT. */
export async function runForNotice(
  tools: NoticePrograms,
  [command = '', ...args]: readonly string[],
): Promise<string> {
  const { environment, home, timeoutMs } = tools;
  try {
    const spec = { command, args, workingDirectory: home, environment };
    const { lines, exit } = await runProgram(tools, spec, timeoutMs);
    if (exit.code === 0) return lines[0] ?? '';
    const how = exit.code === null ? 'was ended: it took too long' : `ended with ${exit.code}`;
    throw new NoticeNotSentError('program', `${visibleExcerpt(command, 80)} ${how}`, { isPassing: true });
  } catch (error) {
    if (isHoldfastError(error, 'NOTICE_NOT_SENT')) throw error;
    throw new NoticeNotSentError('program', visibleExcerpt(messageOf(error), 200), { cause: error });
  }
}

/** Where a program is on the PATH. */
export function findForNotice(tools: NoticePrograms, command: string): string | undefined {
  return findProgram(tools.fileSystem, command, tools.environment.PATH);
}
