import { openLocks } from '../../../app/index.js';
import { unlockSession } from '../../../catalog/index.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { ConfirmationMissingError, defineCommand } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';

const unlock = defineCommand({
  operation: unlockSession,
  usage: 'unlock <session>',
  details:
    'A dead owner needs no unlocking: the next writer replaces it by itself. --force takes the lock from a living\n' +
    'one, which can then no longer write.',
  options: { force: { type: 'boolean', about: 'take the lock away from a living owner' } },
  examples: ['holdfast unlock 3f2a', 'holdfast unlock 3f2a --force'],
  async run(context, { positionals: [session = ''], values: { force } }) {
    const { services, terminal, isJson } = context;
    const locks = openLocks(services);
    const report = await perform(context, unlockSession, { locks }, { session, isForced: force });
    const { sessionId: id, owner, state } = report;
    if (state === 'held' && !force) {
      throw new ConfirmationMissingError(`${id} is locked ${owner}`, {
        hint: 'Run it again with --force to take the lock away; then the owner can no longer write.',
      });
    }
    if (isJson) terminal.write(visibleJson({ ...report, taken: force && state !== 'free' }));
    else if (owner === null) terminal.write(`${id} is not locked`);
    else if (force) terminal.write(`Took the lock of ${id}, which was held ${visibleLine(owner)}`);
    else terminal.write(`The owner of ${id} is gone; the next writer takes over: ${visibleLine(owner)}`);
    return ExitCode.done;
  },
});

export const commands = [unlock];
