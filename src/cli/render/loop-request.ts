import type { LoopRequestInput, RequestReceipt } from '../../sessions/loop/index.js';

/** What became of a request to a loop. */
export function renderRequest({ request: { kind }, isRunning }: RequestReceipt): string {
  if (isRunning) return `Asked the run to ${WORDS[kind]}.`;
  return `No process is running it now${KEPT[kind] ?? '.'}`;
}

/** What a run that is started later still does. It ignores a pause or a stop from before its start. */
const KEPT: { readonly [Kind in LoopRequestInput['kind']]?: string } = {
  guidance: '; the next run passes it on to its agent.',
  reset: '; the next run tries again.',
};

const WORDS: Readonly<Record<LoopRequestInput['kind'], string>> = {
  pause: 'pause',
  resume: 'continue',
  stop: 'stop',
  guidance: 'pass it on to the agent',
  reset: 'try again',
};
