import { visibleJson, visibleLine } from '../../foundation/index.js';
import { cleanOldQuestions } from '../../sessions/question/index.js';
import { defineCommand } from '../command.js';
import { ExitCode } from '../exit-codes.js';

export default defineCommand({
  usage: 'questions clean',
  summary: 'Move old question sets to the trash',
  details:
    'Pending sets are never touched. What has lain in the trash for 7 days is removed for good. Default age:\n' +
    'question.retentionDays (7).',
  options: {
    olderThan: { type: 'number', value: '<days>', about: 'without activity for this many days' },
    dryRun: { type: 'boolean', about: 'only tell what would be moved' },
  },
  examples: ['holdfast questions clean --dry-run', 'holdfast questions clean --older-than 30'],
  async run({ services, terminal, isJson }, { values }) {
    const report = await cleanOldQuestions.run(services, {
      olderThanDays: values.olderThan,
      isDryRun: values.dryRun,
    });
    if (isJson) terminal.write(visibleJson(report));
    else {
      const verb = values.dryRun ? 'would be moved' : 'moved';
      terminal.write(
        `${report.retired.length} ${verb} to the trash, ${report.purged.length} removed from it for good`,
      );
      for (const { id, reason } of report.skipped)
        terminal.complain(`left alone: ${id}: ${visibleLine(reason)}`);
    }
    return ExitCode.done;
  },
});
