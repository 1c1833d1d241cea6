import { openChanges } from '../../../app/open-changes.js';
import { visibleJson } from '../../../foundation/index.js';
import { showChangeSession } from '../../../sessions/change/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderChange } from '../../render/changes.js';

export default defineCommand({
  usage: 'change show <change>',
  summary: 'Show one change with its stories and sessions',
  options: {},
  examples: ['holdfast change show add-login', 'holdfast change show add-login --json'],
  async run({ services, terminal, isJson }, { positionals: [change = ''] }) {
    const report = await showChangeSession.run({ changes: openChanges(services) }, { change });
    terminal.write(isJson ? visibleJson(report) : renderChange(report, terminal.style));
    return ExitCode.done;
  },
});
