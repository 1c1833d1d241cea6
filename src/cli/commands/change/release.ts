import { openChanges } from '../../../app/open-changes.js';
import { visibleJson } from '../../../foundation/index.js';
import { releaseChange } from '../../../sessions/change/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change release <change>',
  summary: 'Take a change away from its session',
  details:
    'For a session that nobody is working on. What it had learned is kept, but is not in design.md yet.',
  options: { reason: { type: 'string', value: '<text>', about: 'why; it is shown to that session' } },
  examples: [
    'holdfast change release add-login',
    'holdfast change release add-login --reason "the laptop is gone"',
  ],
  async run({ services, terminal, isJson }, { positionals: [change = ''], values }) {
    const report = await releaseChange.run(
      { changes: openChanges(services) },
      { change, reason: values.reason },
    );
    terminal.write(isJson ? visibleJson(report) : `Took ${change} away from session ${report.session_id}`);
    if (!isJson && report.unflushed_learnings > 0)
      terminal.note(
        `Learnings that are not in design.md: ${report.unflushed_learnings}. Write them there with: ` +
          `holdfast change recover ${report.session_id}`,
      );
    return ExitCode.done;
  },
});
