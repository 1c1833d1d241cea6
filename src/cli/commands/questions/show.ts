import { visibleJson } from '../../../foundation/index.js';
import { showQuestions } from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderQuestionSet } from '../../render/questions.js';

export default defineCommand({
  usage: 'questions show <session>',
  summary: 'Show one question set with its answers',
  options: {},
  examples: ['holdfast questions show 3f2a', 'holdfast questions show 3f2a --json'],
  async run({ services, terminal, isJson }, { positionals: [session = ''] }) {
    const report = await showQuestions.run(services, { session });
    terminal.write(isJson ? visibleJson(report) : renderQuestionSet(report, terminal.style));
    return ExitCode.done;
  },
});
