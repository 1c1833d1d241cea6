import { visibleJson } from '../../foundation/index.js';
import { listQuestions } from '../../sessions/question/index.js';
import { defineCommand } from '../command.js';
import { ExitCode } from '../exit-codes.js';
import { renderQuestionList } from '../render/questions.js';

export default defineCommand({
  usage: 'questions list',
  summary: 'List question sets that wait for an answer',
  options: { all: { type: 'boolean', about: 'list all sets, not only the pending ones' } },
  examples: ['holdfast questions', 'holdfast questions list --all --json'],
  async run({ services, terminal, isJson }, { values }) {
    const reports = await listQuestions.run(services, { isAll: values.all });
    terminal.write(
      isJson ? visibleJson(reports) : renderQuestionList(reports, services.clock.now(), terminal.style),
    );
    return ExitCode.done;
  },
});
