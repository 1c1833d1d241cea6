import { readRunRecords } from '../../../app/run-records.js';
import { visibleJson } from '../../../foundation/index.js';
import { reportRun } from '../../../run/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderReport, renderReportMarkdown } from '../../render/report.js';

export default defineCommand({
  usage: 'report [session]',
  summary: 'Show what a run did: files, tests, questions, phases, cost, why it stopped',
  details:
    'Of the nearest .prp-session upwards from here, or of an earlier session in its archive, by its id. Exit code 4 when\n' +
    'there is none.',
  options: { md: { type: 'boolean', about: 'as Markdown' } },
  examples: [
    'holdfast report',
    'holdfast report 3f2a',
    'holdfast report --md > report.md',
    'holdfast report --json | jq .phases',
  ],
  async run({ services, terminal, isJson }, { positionals: [session], values }) {
    if (values.md && isJson) throw new UsageError('One of --json and --md, not both');
    const report = reportRun(await readRunRecords(services, session));
    if (isJson) terminal.write(visibleJson(report));
    else terminal.write(values.md ? renderReportMarkdown(report) : renderReport(report, terminal.style));
    return ExitCode.done;
  },
});
