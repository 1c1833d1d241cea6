import { fileURLToPath } from 'node:url';
import { AUR } from './aur-table.js';
import { HOLDFAST } from './holdfast-table.js';
import type { ProgramName } from './program.js';
import { RALPHTOOL } from './ralphtool-table.js';
import { runProcess } from './run-process.js';

const PROGRAMS = { holdfast: HOLDFAST, aur: AUR, ralphtool: RALPHTOOL };

/** Runs any command of any program and returns its exit code. */
export function main(args: readonly string[], name: ProgramName): Promise<number> {
  // Next to this file, even if it was called through a link elsewhere.
  return runProcess(args, PROGRAMS[name], fileURLToPath(new URL('holdfast.cjs', import.meta.url)));
}
