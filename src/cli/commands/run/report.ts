import type { Services } from '../../../app/base.js';
import { openRuns } from '../../../app/open-runs.js';
import { type RunsParts, reportOnRun } from '../../../run/index.js';
import { UsageError } from '../../command.js';
import { commandOf } from '../../command-of.js';
import { renderReport, renderReportMarkdown } from '../../render/report.js';

const parts = (services: Services): RunsParts => ({ runs: openRuns(services) });

const report = commandOf(reportOnRun, {
  usage: 'report [session]',
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
  parts,
  input({ positionals: [session], values, isJson }) {
    if (values.md && isJson) throw new UsageError('One of --json and --md, not both');
    return { session };
  },
  render: (told, { terminal, values }) =>
    values.md ? renderReportMarkdown(told) : renderReport(told, terminal.style),
});

export const commands = [report];
