import { join } from 'node:path';
import { openOutput } from './direct-output.js';
import { QUICK_HOLDFAST } from './quick-table.js';
import { RALPHTOOL } from './ralphtool-table.js';
import { runProcess } from './run-process.js';

/** Runs a command that is started often; what `main` does, without the rest of the product. */
export function main(args: readonly string[], name: 'holdfast' | 'ralphtool'): Promise<number> {
  const program = name === 'ralphtool' ? RALPHTOOL : QUICK_HOLDFAST;
  return runProcess(args, program, join(__dirname, 'holdfast.cjs'), openOutput);
}
