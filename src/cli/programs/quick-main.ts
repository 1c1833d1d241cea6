import { join } from 'node:path';
import { openOutput } from './direct-output.js';
import { holdfastProgram } from './holdfast-program.js';
import type { ProgramName } from './program.js';
import type { QuickFile } from './quick-table.js';
import { ralphtoolProgram } from './ralphtool-program.js';
import { runProcess } from './run-process.js';

/** Runs a command from a file of commands that start often: like `main`, but without the rest of the product. */
export function quickMain({ holdfast, ralphtool, isLongLived }: QuickFile) {
  return (args: readonly string[], name: ProgramName): Promise<number> => {
    const program =
      name === 'ralphtool'
        ? ralphtoolProgram(ralphtool?.agent)
        : holdfastProgram([{ title: '', words: holdfast ?? {} }]);
    return runProcess(args, program, join(__dirname, 'holdfast.cjs'), isLongLived ? undefined : openOutput);
  };
}
