import type { Services } from '../../../app/base.js';
import { listLeft, moveRun, releaseRun } from '../../../fleet/move-operations.js';
import type { FleetParts } from '../../../fleet/operations.js';
import { visibleLine } from '../../../foundation/index.js';
import { UsageError } from '../../command.js';
import { commandOf } from '../../command-of.js';
import { renderLeftBehind } from '../../render/fleet-moves.js';

const parts = (services: Services): FleetParts => ({
  fleet: async () => (await import('../../../app/fleet/open-fleet.js')).openFleet(services),
});

const move = commandOf(moveRun, {
  usage: 'fleet move <run>',
  details:
    'The run continues there in a new conversation of its agent, which is told what is known. Files that git ignores stay behind.\n' +
    'If that machine does not come for it, any other may take it after one more lease.',
  options: { to: { type: 'string', value: '<machine>', about: 'the machine that continues it' } },
  examples: ['holdfast fleet move 3f2a --to cloud-1'],
  parts,
  input: ({ positionals: [run = ''], values: { to } }) => {
    if (to === undefined) throw new UsageError('Where to? Give --to <machine>');
    return { run, to };
  },
  render: ({ run, from, to, isAtWork }) =>
    isAtWork
      ? `${run.slice(0, 8)} goes to ${visibleLine(to)} when its iteration on ${visibleLine(from ?? '')} is over`
      : `${run.slice(0, 8)} is for ${visibleLine(to)} to take; nobody has it now`,
});

const release = commandOf(releaseRun, {
  usage: 'fleet release <run>',
  details:
    'For a machine that is gone and whose lease has not ended yet. If it is alive after all, its agent may act for up to one more\n' +
    'renewal (20 seconds); what it writes to the fleet and to git is refused.',
  options: {
    force: { type: 'boolean', default: false, about: 'even though its machine gave a sign a moment ago' },
  },
  examples: ['holdfast fleet release 3f2a --force'],
  parts,
  input: ({ positionals: [run = ''], values: { force } }) => ({ run, isForced: force }),
  render: ({ run, from }) =>
    `${run.slice(0, 8)} may be taken over now${from === null ? '' : `; ${visibleLine(from)} no longer has it`}`,
});

const left = commandOf(listLeft, {
  usage: 'fleet left-behind',
  details: 'Nothing of it is merged for you: look at the worktree, take what you want, and remove it.',
  options: {},
  examples: ['holdfast fleet left-behind', 'holdfast fleet left-behind --json'],
  parts,
  input: () => ({}),
  render: (found, { services }) => renderLeftBehind(found, services.clock.now()),
});

export const moveCommands = [move, release, left];
