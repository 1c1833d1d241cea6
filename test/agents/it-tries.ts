import { expect, it } from 'vitest';
import { type Needed, whyNotInstalled } from './real-agents.js';

/**
 * A test with programs of other people. Where one of them cannot be tried it is skipped, and its name says why; with
 * HOLDFAST_NO_SKIPS=1 it fails instead.
 */
export function itTries(
  programs: readonly Needed[],
  name: string,
  prove: () => Promise<void>,
  { isConcurrent = false, timeoutMs }: { readonly isConcurrent?: boolean; readonly timeoutMs?: number } = {},
): void {
  const reason = programs.map(whyNotInstalled).find((why) => why !== undefined);
  if (reason === undefined) (isConcurrent ? it.concurrent : it)(name, prove, timeoutMs);
  else if (process.env.HOLDFAST_NO_SKIPS === '1') it(name, () => expect.fail(reason));
  // Told by its name and counted: this machine lacks the program.
  else it.skip(`${name} (SKIPPED: ${reason})`, () => {});
}
