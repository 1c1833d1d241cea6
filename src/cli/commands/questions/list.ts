import { visibleExcerpt, visibleJson } from '../../../foundation/index.js';
import { listQuestions, type QuestionStatus, questionLifecycle } from '../../../sessions/question/index.js';
import { defineCommand, UsageError } from '../../command.js';
import { ExitCode } from '../../exit-codes.js';
import { renderQuestionList } from '../../render/questions.js';

export default defineCommand({
  usage: 'questions list',
  summary: 'List question sets that are waiting for an answer',
  options: {
    all: { type: 'boolean', about: 'list all sets, not only the pending ones' },
    status: {
      type: 'string',
      value: '<status>',
      about: `only sets in this state: ${questionLifecycle.states.join(', ')}`,
    },
  },
  examples: [
    'holdfast questions',
    'holdfast questions list --all --json',
    'holdfast questions list --status rejected',
  ],
  async run({ services, terminal, isJson }, { values }) {
    const reports = await listQuestions.run(services, {
      isAll: values.all,
      status: parseStatus(values.status),
    });
    const nothing = values.status === undefined ? undefined : `No question set is ${values.status}.`;
    terminal.write(
      isJson
        ? visibleJson(reports)
        : renderQuestionList(reports, services.clock.now(), terminal.style, nothing),
    );
    return ExitCode.done;
  },
});

function parseStatus(text: string | undefined): QuestionStatus | undefined {
  const status = questionLifecycle.states.find((one) => one === text);
  if (text !== undefined && status === undefined)
    throw new UsageError(
      `--status is ${questionLifecycle.states.join(', ')}, not ${visibleExcerpt(text, 40)}`,
    );
  return status;
}
