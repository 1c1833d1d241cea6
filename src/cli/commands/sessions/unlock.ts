import { findLockedSession, lockOf, unlock } from '../../../app/index.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { ConfirmationMissingError, defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'unlock <session>',
  summary: 'See who holds the lock of a session, or take it away',
  details:
    'A dead owner needs no unlocking: the next writer replaces it by itself. --force takes the lock from a living\n' +
    'one, which can then no longer write.',
  options: { force: { type: 'boolean', about: 'take the lock away from a living owner' } },
  examples: ['holdfast unlock 3f2a', 'holdfast unlock 3f2a --force'],
  async run({ services, terminal, isJson }, { positionals: [session = ''], values }) {
    const locked = await findLockedSession(services, session);
    const id = locked.sessionId;
    const found = lockOf(services, locked);
    if (found.state === 'held' && !values.force) {
      throw new ConfirmationMissingError(`${id} is locked ${found.owner}`, {
        hint: 'Run it again with --force to take the lock away; then the owner can no longer write.',
      });
    }
    const report = values.force ? unlock(services, locked) : found;
    if (isJson) terminal.write(visibleJson({ ...report, taken: values.force && report.state !== 'free' }));
    else if (report.owner === null) terminal.write(`${id} is not locked`);
    else if (values.force)
      terminal.write(`Took the lock of ${id}, which was held ${visibleLine(report.owner)}`);
    else
      terminal.write(`The owner of ${id} is gone; the next writer takes over: ${visibleLine(report.owner)}`);
    return ExitCode.done;
  },
});
