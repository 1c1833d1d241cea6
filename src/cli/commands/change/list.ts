import { openChanges } from '../../../app/open-changes.js';
import { visibleJson } from '../../../foundation/index.js';
import { listChangeSessions } from '../../../sessions/change/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderChangeList } from '../../render/changes.js';

export default defineCommand({
  usage: 'change list',
  summary: 'List the changes of the project and who holds them',
  options: { all: { type: 'boolean', about: 'list archived changes too' } },
  examples: ['holdfast change', 'holdfast change list --all --json'],
  async run({ services, terminal, isJson }, { values }) {
    const changes = openChanges(services);
    const reports = await listChangeSessions.run({ changes }, { isAll: values.all });
    terminal.write(
      isJson ? visibleJson(reports) : renderChangeList(reports, services.clock.now(), terminal.style),
    );
    return ExitCode.done;
  },
});
