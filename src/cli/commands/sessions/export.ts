import { createTextFile, writeTextFile } from '../../../app/index.js';
import { openCatalog } from '../../../app/sessions/open-catalog.js';
import { type ExportFormat, exportSession } from '../../../catalog/index.js';
import { visibleBlock, visibleExcerpt, visibleJson, visibleLine } from '../../../foundation/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { renderFault } from '../../render/sessions.js';
import { KIND_OPTION } from './session-kinds.js';

export const exportCommand = defineCommand({
  operation: exportSession,
  usage: 'sessions export <session>',
  details:
    'To standard output (control characters made visible), or to a file that is not there yet (mode 0600). API keys and\n' +
    'other secrets are blacked out. The JSON of a conversation can be imported again (`/import` in a chat).',
  options: {
    format: { type: 'string', value: '<md|json>', about: 'md (default), or json' },
    output: { type: 'string', value: '<file>', about: 'where to write it' },
    force: { type: 'boolean', about: 'replace an existing file' },
    ...KIND_OPTION,
  },
  examples: [
    'holdfast sessions export session-2026 --output talk.md',
    'holdfast sessions export 3f2a --format json',
  ],
  async run(context, { positionals: [typed = ''], values }) {
    const { services, terminal, isJson } = context;
    const format = values.format ?? 'md';
    if (format !== 'md' && format !== 'json')
      throw new UsageError(`--format is md or json, not ${visibleExcerpt(format, 40)}`);
    const catalog = openCatalog(services);
    const wanted = { session: typed, kind: values.kind, format } as const;
    const { text, faults, kind, id } = await perform(context, exportSession, { catalog }, wanted);
    const session = { kind, id };
    // An export has only what is intact; its reader should know what is missing.
    for (const fault of faults.slice(0, 10)) terminal.complain(`damaged: ${renderFault(fault)}`);
    if (faults.length > 0)
      terminal.complain(
        'What is intact is exported. `holdfast sessions verify` lists everything that is wrong.',
      );
    const { output } = values;
    if (output === undefined) {
      const isVerbatim = isJson || format === 'json';
      await terminal.deliver(
        isJson ? visibleJson({ ...session, format, text, faults }) : printable(text, format),
        { isVerbatim },
      );
      return ExitCode.done;
    }
    if (values.force) writeTextFile(services, output, text);
    else if (!createTextFile(services, output, text))
      throw new UsageError(`${visibleExcerpt(output, 200)} already exists`, {
        hint: 'Nothing was written. Give another name, or replace it with --force.',
      });
    terminal.write(
      isJson
        ? visibleJson({ success: true, ...session, format, output, faults })
        : `Wrote ${session.kind} ${visibleLine(session.id)} to ${visibleLine(output)}`,
    );
    return ExitCode.done;
  },
});

/** Printed text may end up on a screen, so nothing in it may move the cursor; a file gets every character unchanged. */
function printable(text: string, format: ExportFormat): string {
  return format === 'json' ? visibleJson(JSON.parse(text)) : visibleBlock(text.replace(/\n$/, ''));
}
