import type { Services } from '../../../app/base.js';
import { createTextFile, writeTextFile } from '../../../app/index.js';
import { openRuns } from '../../../app/run/open-runs.js';
import { VERSION, visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { reportFile, reportMarkdown } from '../../../models/report/index.js';
import { type RunReport, reportOnRun } from '../../../run/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { orElsewhere, tellReportElsewhere } from '../../remote-run.js';
import { renderReport } from '../../render/report.js';

const report = defineCommand({
  operation: reportOnRun,
  usage: 'report [session]',
  details:
    'Of the nearest .prp-session upwards from here, or of any run of any project by its id, even one whose project is gone.\n' +
    '--html writes one file without scripts, with charts, to look at, print or give away; secrets are blacked out. It never\n' +
    'replaces a file without --force. --md is made for a comment on a pull request. Exit code 4 when there is no run.',
  options: {
    html: { type: 'string', value: '<file>', about: 'as one HTML file; - is standard output' },
    md: { type: 'boolean', about: 'as Markdown' },
    force: { type: 'boolean', about: 'replace an existing file' },
  },
  examples: [
    'holdfast report',
    'holdfast report 3f2a --html report.html',
    'holdfast report --md > report.md',
    'holdfast report --json | jq .phases',
  ],
  async run(context, { positionals: [session], values }) {
    const { services, terminal, isJson } = context;
    const { html, md, force } = values;
    if (md && isJson) throw new UsageError('Use --json or --md, not both');
    if (md && html !== undefined) throw new UsageError('Use --html or --md, not both');
    if (html === '-' && isJson) throw new UsageError('Use --json or --html -, not both');
    if (force && (html === undefined || html === '-'))
      throw new UsageError('--force goes with --html <file>');
    return orElsewhere(
      context,
      session,
      async () => {
        await show(await perform(context, reportOnRun, { runs: openRuns(services) }, { session }));
        return ExitCode.done;
      },
      tellReportElsewhere,
    );

    async function show(told: RunReport): Promise<void> {
      if (html === '-') await terminal.deliver(reportFile(told, VERSION), { isVerbatim: true });
      else if (html !== undefined) {
        writeFile(services, told, { path: html, isReplacing: force === true });
        const { sessionId } = told;
        terminal.write(
          isJson
            ? visibleJson({ success: true, sessionId, output: html })
            : `Wrote the report of ${sessionId.slice(0, 8)} to ${visibleLine(html)}`,
        );
      } else if (isJson) terminal.write(visibleJson(told));
      else terminal.write(md ? reportMarkdown(told).trimEnd() : renderReport(told, terminal.style));
    }
  },
});

/** Throws INVALID_INPUT if the file exists and replacing it was not allowed. */
function writeFile(
  services: Services,
  told: RunReport,
  { path, isReplacing }: { readonly path: string; readonly isReplacing: boolean },
): void {
  const text = reportFile(told, VERSION);
  if (isReplacing) writeTextFile(services, path, text);
  else if (!createTextFile(services, path, text))
    throw new UsageError(`${visibleExcerpt(path, 200)} already exists`, {
      hint: 'Nothing was written. Give another name, or replace it with --force.',
    });
}

export const commands = [report];
