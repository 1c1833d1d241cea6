import { openChanges } from '../../../app/open-changes.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { recoverChange } from '../../../sessions/change/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change recover <change-or-session>',
  summary: 'Repair what a crash left of a session',
  details:
    'A claim that cannot be read is set aside and rebuilt from its copy in the temporary directory. Learnings of a\n' +
    'session whose change was released are written into design.md. What is whole stays as it is.',
  options: {},
  examples: ['holdfast change recover add-login', 'holdfast change recover 3f2a'],
  async run({ services, terminal, isJson }, { positionals: [target = ''] }) {
    const report = await recoverChange.run({ changes: openChanges(services) }, { target });
    const lines = {
      whole: `Session ${report.session_id} of ${report.change_name} is whole`,
      restored: `Made the claim of session ${report.session_id} on ${report.change_name} again from its copy`,
      freed: `Nobody holds ${report.change_name} now; there was no copy of its claim`,
      'learnings-written': `Learnings of session ${report.session_id} written into design.md: ${report.learnings_written}`,
    };
    terminal.write(isJson ? visibleJson(report) : lines[report.outcome]);
    if (!isJson && report.kept_at !== null)
      terminal.note(`The damaged file is kept as ${visibleLine(report.kept_at)}`);
    return ExitCode.done;
  },
});
