import type { LoopRequestInput, SentRequest } from '../../sessions/loop/index.js';

/** What became of a request to a loop. */
export function renderRequest({ request: { kind }, isRunning }: SentRequest): string {
  if (isRunning) return `Asked the run to ${WORDS[kind]}.`;
  return `No process runs the loop now${KEPT[kind] ?? ': there is nothing to do.'}`;
}

/** What a run that is started later still does; a pause or a stop from before its start is none of its business. */
const KEPT: { readonly [Kind in LoopRequestInput['kind']]?: string } = {
  guidance: '; the next one that does tells its agent.',
  reset: '; the next one that does tries again.',
};

const WORDS: Readonly<Record<LoopRequestInput['kind'], string>> = {
  pause: 'pause',
  resume: 'go on',
  stop: 'stop',
  guidance: 'tell its agent',
  reset: 'try again',
};
