import { openLoops } from '../app/index.js';
import { visibleJson } from '../foundation/index.js';
import type { LoopRequestInput } from '../sessions/loop/index.js';
import type { CommandContext } from './command.js';
import { ExitCode } from './exit-codes.js';

/** Leaves a request for the loop of this project, durably, and says whether somebody runs it now. */
export async function sendLoopRequest(
  { services, terminal, isJson }: CommandContext,
  request: LoopRequestInput,
): Promise<ExitCode> {
  const { request: sent, owner } = await openLoops(services).request(request);
  const isRunning = owner.hold === 'held';
  if (isJson) terminal.write(visibleJson({ request: sent, isRunning }));
  else
    terminal.write(
      isRunning
        ? `Asked the run to ${WORDS[request.kind]}.`
        : `No process is running it now${KEPT[request.kind] ?? ': there is nothing to do.'}`,
    );
  return ExitCode.done;
}

/** What a run that is started later still does; a pause or a stop from before its start is none of its business. */
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
