import { join } from 'node:path';
import { openOutput } from './direct-output.js';
import { LISTS_HOLDFAST } from './lists-table.js';
import { runProcess } from './run-process.js';

/** Runs a command that looks at sessions of every kind; what `main` does, without the rest of the product. */
export function main(args: readonly string[]): Promise<number> {
  return runProcess(args, LISTS_HOLDFAST, join(__dirname, 'holdfast.cjs'), openOutput);
}
