import { visibleJson, visibleLine } from '../../../foundation/index.js';
import { verifyQuestions } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';

export default defineCommand({
  usage: 'questions verify [session]',
  summary: 'Check the files of question sets',
  details:
    'Exit code 8 when something does not verify, or another program changed an outcome after it had been decided. Nothing is changed but a status that lags behind its answer.',
  options: {},
  examples: ['holdfast questions verify', 'holdfast questions verify 3f2a --json'],
  async run({ services, terminal, isJson }, { positionals: [session] }) {
    const reports = await verifyQuestions.run(services, { session });
    const damaged = reports.filter((report) => report.faults.length > 0);
    if (isJson) terminal.write(visibleJson(reports));
    else {
      for (const { sessionId, faults } of damaged) {
        for (const fault of faults) terminal.write(`${sessionId}: ${visibleLine(fault)}`);
      }
      terminal.write(`${reports.length} checked, ${damaged.length} with faults`);
    }
    return damaged.length > 0 ? ExitCode.damaged : ExitCode.done;
  },
});
