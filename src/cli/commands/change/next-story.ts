import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { takeNextStory } from '../../../sessions/change/index.js';
import { openScope, SCOPE_OPTIONS } from '../../change-scope.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'change next-story',
  summary: 'Take the next story into scope',
  details: 'The first unfinished story. Later commands are about it.',
  options: { session: SCOPE_OPTIONS.session },
  examples: ['holdfast change next-story'],
  async run({ services, terminal, isJson }, { values }) {
    const { changes, scope } = openScope(services, values);
    const report = await takeNextStory.run({ changes }, scope);
    if (isJson) terminal.write(visibleJson(report));
    else if (report.complete) terminal.write('All stories are complete.');
    else terminal.write(`Story ${report.story_id}: ${visibleLine(report.story_title ?? '')}`);
    return ExitCode.done;
  },
});
