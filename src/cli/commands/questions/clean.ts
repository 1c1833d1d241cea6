import { counted, visibleJson, visibleLine } from '../../../foundation/index.js';
import { cleanOldQuestions } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'questions clean',
  summary: 'Move old question sets to the trash',
  details:
    'Pending sets are never touched, and an answer or a rejection that nobody has collected only with --uncollected. What\n' +
    'has been in the trash for 7 days is removed permanently. Default age: question.retentionDays (7).',
  options: {
    olderThan: { type: 'number', value: '<days>', about: 'without activity for this many days' },
    uncollected: { type: 'boolean', about: 'also move answers and rejections that nobody has collected' },
    dryRun: { type: 'boolean', about: 'only say what would be moved' },
  },
  examples: [
    'holdfast questions clean --dry-run',
    'holdfast questions clean --older-than 30',
    'holdfast questions clean --uncollected',
  ],
  async run({ services, terminal, isJson }, { values }) {
    const report = await cleanOldQuestions.run(services, {
      olderThanDays: values.olderThan,
      isDryRun: values.dryRun,
      takesUncollected: values.uncollected,
    });
    if (isJson) terminal.write(visibleJson(report));
    else {
      const verb = values.dryRun ? 'would be moved' : 'moved';
      const count = report.uncollected.length;
      const never = values.uncollected && count > 0 ? ` (${count} of them never collected)` : '';
      terminal.write(
        `${report.retired.length} ${verb} to the trash${never}, ${report.purged.length} removed from it permanently`,
      );
      if (!values.uncollected && count > 0)
        terminal.note(
          `Kept although old enough: ${counted(count, 'answer or rejection', 'answers or rejections')} that nobody has ` +
            'collected (see `holdfast questions collect`); --uncollected moves them too.',
        );
      for (const { id, reason } of report.skipped)
        terminal.complain(`left alone: ${id}: ${visibleLine(reason)}`);
    }
    return ExitCode.done;
  },
});
