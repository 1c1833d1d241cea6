import { openLoops, type Services } from '../../../app/index.js';
import { placeOfRun } from '../../../app/run/run-place.js';
import { guideLoop, type LoopParts, pauseLoop, stopLoop } from '../../../sessions/loop/index.js';
import { commandOf } from '../../command-of.js';
import { alsoElsewhere } from '../../remote-run.js';
import { renderRequest } from '../../render/loop-request.js';

/** The loop of the run with the typed id, or of the run here if none was typed. */
const partsOf = (services: Services, run: string | undefined): LoopParts => ({
  loops: openLoops(placeOfRun(services, run)),
});

const REASON = { type: 'string', value: '<text>', about: 'why; shown in the status' } as const;

const pause = commandOf(pauseLoop, {
  usage: 'pause [run]',
  details:
    "The agent's turn is cut short, and the run waits for `holdfast resume`. Exit code 4 when there is no loop.",
  options: { reason: REASON },
  examples: ['holdfast pause', 'holdfast pause 3f2a --reason "I need the machine"'],
  parts: (services, { positionals: [run] }) => partsOf(services, run),
  input: ({ values }) => values,
  render: renderRequest,
});

const stop = commandOf(stopLoop, {
  usage: 'stop [run]',
  details:
    "The same as Ctrl+C in the terminal of the run: the agent's processes are ended, the session is kept as suspended.\n" +
    'What a run that was killed left behind is ended, too.',
  options: { reason: REASON },
  examples: ['holdfast stop', 'holdfast stop 3f2a'],
  parts: (services, { positionals: [run] }) => {
    const parts = partsOf(services, run);
    // The agent of a killed run may still be working, and should stop too.
    services.programs.endOrphans();
    return parts;
  },
  input: ({ values }) => values,
  render: renderRequest,
});

const guide = commandOf(guideLoop, {
  usage: 'guide <text> [run]',
  details: 'The text is kept until the agent has received it, even if no run is active now.',
  options: {},
  examples: ['holdfast guide "use the existing date library"', 'holdfast guide "no new packages" 3f2a'],
  parts: (services, { positionals: [, run] }) => partsOf(services, run),
  input: ({ positionals: [text = ''] }) => ({ text }),
  render: renderRequest,
});

const reasonOf = (reason: unknown) => (typeof reason === 'string' ? { reason } : {});

export const commands = [
  alsoElsewhere(pause, ({ positionals: [run], values: { reason } }) => ({
    run,
    request: () => ({ kind: 'pause', ...reasonOf(reason) }),
  })),
  alsoElsewhere(stop, ({ positionals: [run], values: { reason } }) => ({
    run,
    request: () => ({ kind: 'stop', ...reasonOf(reason) }),
  })),
  alsoElsewhere(guide, ({ positionals: [text = '', run] }) => ({
    run,
    request: () => ({ kind: 'guidance', text }),
  })),
];
