import { openLoops, type Services } from '../../../app/index.js';
import { guideLoop, type LoopParts, pauseLoop, stopLoop } from '../../../sessions/loop/index.js';
import { commandOf } from '../../command-of.js';
import { renderRequest } from '../../render/loop-request.js';

const parts = (services: Services): LoopParts => ({ loops: openLoops(services) });

const REASON = { type: 'string', value: '<text>', about: 'why; shown in the status' } as const;

const pause = commandOf(pauseLoop, {
  usage: 'pause',
  details:
    "The agent's turn is cut short, and the run waits for `holdfast resume`. Exit code 4 when there is no loop.",
  options: { reason: REASON },
  examples: ['holdfast pause', 'holdfast pause --reason "I need the machine"'],
  parts,
  input: ({ values }) => values,
  render: renderRequest,
});

const stop = commandOf(stopLoop, {
  usage: 'stop',
  details:
    "The same as Ctrl+C in the terminal of the run: the agent's processes are ended, the session is kept as suspended.",
  options: { reason: REASON },
  examples: ['holdfast stop'],
  parts,
  input: ({ values }) => values,
  render: renderRequest,
});

const guide = commandOf(guideLoop, {
  usage: 'guide <text>',
  details: 'The text is kept until the agent has received it, even if no run is active now.',
  options: {},
  examples: ['holdfast guide "use the existing date library"'],
  parts,
  input: ({ positionals: [text = ''] }) => ({ text }),
  render: renderRequest,
});

export const commands = [pause, stop, guide];
