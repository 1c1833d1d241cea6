import { visibleBlock } from '../foundation/index.js';
import type { Program, ProgramExit } from '../programs/index.js';

/** How much of a program's stderr is shown. */
const MAX_TAIL = 2_000;

/** How a program ended, as the rest of a sentence that begins with its name. */
export function describeExit({ code, signal }: ProgramExit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

/** How a program ended, with the end of its stderr. */
export function describeDeath(name: string, exit: ProgramExit, program: Program): string {
  const tail = tailOf(program);
  return `${name} ${describeExit(exit)}${tail === '' ? '' : `:\n${tail}`}`;
}

/** The end of a program's stderr, safe to show. */
export function tailOf(program: Program): string {
  return visibleBlock(program.stderrTail.trim().slice(-MAX_TAIL));
}
