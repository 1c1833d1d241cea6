import { visibleJson } from '../../../foundation/index.js';
import { cancelQuestions } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'questions cancel <session>',
  summary: 'Withdraw a question set',
  details: 'It leaves the inbox and counts as abandoned. An answer that comes anyway is kept.',
  options: { reason: { type: 'string', value: '<text>', about: 'why the answer is no longer needed' } },
  examples: ['holdfast questions cancel 3f2a --reason "decided otherwise"'],
  async run({ services, terminal, isJson }, { positionals: [session = ''], values }) {
    const report = await cancelQuestions.run(services, { session, reason: values.reason ?? 'withdrawn' });
    terminal.write(isJson ? visibleJson({ success: true, ...report }) : `Withdrew ${report.sessionId}`);
    return ExitCode.done;
  },
});
