import { openCatalog } from '../../../app/open-catalog.js';
import type { SessionRef } from '../../../catalog/index.js';
import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { daysToMs, KIND_OPTION, parseKind } from '../../session-kinds.js';

export default defineCommand({
  usage: 'sessions clean',
  summary: 'Move old sessions to the trash',
  details:
    'Never what somebody has open, a question that is waiting, a change that is held or whose learnings are not in design.md\n' +
    'yet, nor a loop. What has been in the trash for 7 days is removed permanently. Without --older-than: questions after\n' +
    'question.retentionDays (7), conversations after conversation.expiryDays (30), the rest after 30 days.',
  options: {
    olderThan: { type: 'number', value: '<days>', about: 'without activity for this many days' },
    ...KIND_OPTION,
    dryRun: { type: 'boolean', about: 'only say what would be moved' },
  },
  examples: [
    'holdfast sessions clean --dry-run',
    'holdfast sessions clean --older-than 90 --kind conversation',
  ],
  async run({ services, terminal, isJson }, { values }) {
    const isDryRun = values.dryRun;
    const olderThanMs = daysToMs(values.olderThan);
    const kind = parseKind(values.kind);
    const report = await openCatalog(services).clean({ kind, olderThanMs, isDryRun });
    const { retired, purged, skipped, failed } = report;
    if (isJson) terminal.write(visibleJson(report));
    else {
      for (const session of retired) terminal.write(name(session));
      const verb = isDryRun ? 'would be moved' : 'moved';
      terminal.write(`${retired.length} ${verb} to the trash, ${purged.length} removed from it permanently`);
      for (const { reason, ...session } of skipped)
        terminal.complain(`left alone: ${name(session)}: ${visibleLine(reason)}`);
    }
    return failed.length > 0 ? ExitCode.failed : ExitCode.done;
  },
});

function name({ kind, id }: SessionRef): string {
  return `${kind} ${visibleLine(id)}`;
}
