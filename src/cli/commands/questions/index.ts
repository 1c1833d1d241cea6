import type { Services } from '../../../app/base.js';
import { cleanOldQuestions } from '../../../catalog/index.js';
import { counted, visibleJson, visibleLine } from '../../../foundation/index.js';
import {
  cancelQuestions,
  listQuestions,
  type QuestionServices,
  questionLifecycle,
  showQuestions,
  verifyQuestions,
} from '../../../sessions/question/index.js';
import { defineCommand } from '../../command.js';
import { commandOf, perform } from '../../command-of.js';
import { ExitCode } from '../../exit-codes.js';
import { openQuestions } from '../../fleet.js';
import { renderQuestionList, renderQuestionSet } from '../../render/questions.js';
import { answer } from './answer.js';
import { ask } from './ask.js';
import { collect, wait } from './collect.js';
import { questionsReject, reject } from './reject.js';

const parts = ({ questions }: Services): QuestionServices => ({ questions });

const list = defineCommand({
  operation: listQuestions,
  usage: 'questions list',
  options: {
    all: { type: 'boolean', about: 'list all sets, not only the pending ones' },
    status: {
      type: 'string',
      value: '<status>',
      about: `only sets in this state: ${questionLifecycle.states.join(', ')}`,
      choices: questionLifecycle.states,
    },
  },
  examples: [
    'holdfast questions',
    'holdfast questions list --all --json',
    'holdfast questions list --status rejected',
  ],
  async run(context, { values: { all, status } }) {
    const { services, terminal, isJson } = context;
    await using open = await openQuestions(context);
    const reports = await perform(context, listQuestions, open, { isAll: all, status });
    const nothing = status === undefined ? undefined : `No question set is ${status}.`;
    if (isJson) terminal.write(visibleJson(reports));
    else terminal.write(renderQuestionList(reports, services.clock.now(), terminal.style, nothing));
    open.tellTrouble();
    return ExitCode.done;
  },
});

const show = defineCommand({
  operation: showQuestions,
  usage: 'questions show <session>',
  options: {},
  examples: ['holdfast questions show 3f2a', 'holdfast questions show 3f2a --json'],
  async run(context, { positionals: [session = ''] }) {
    const { terminal, isJson } = context;
    await using open = await openQuestions(context);
    const report = await perform(context, showQuestions, open, { session });
    terminal.write(isJson ? visibleJson(report) : renderQuestionSet(report, terminal.style));
    return ExitCode.done;
  },
});

const cancel = commandOf(cancelQuestions, {
  usage: 'questions cancel <session>',
  details: 'It leaves the inbox and counts as abandoned. An answer that comes anyway is kept.',
  options: { reason: { type: 'string', value: '<text>', about: 'why the answer is no longer needed' } },
  examples: ['holdfast questions cancel 3f2a --reason "decided otherwise"'],
  parts,
  input: ({ positionals: [session = ''], values: { reason } }) => ({ session, reason }),
  render: ({ sessionId }) => `Withdrew ${sessionId}`,
  json: (report) => ({ success: true, ...report }),
});

const verify = commandOf(verifyQuestions, {
  usage: 'questions verify [session]',
  details:
    'Exit code 8 when something does not verify, or another program changed an outcome after it had been decided. Nothing is changed but a status that lags behind its answer.',
  options: {},
  examples: ['holdfast questions verify', 'holdfast questions verify 3f2a --json'],
  parts,
  input: ({ positionals: [session] }) => ({ session }),
  render(reports) {
    const faults = reports.flatMap(({ sessionId, faults }) =>
      faults.map((fault) => `${sessionId}: ${visibleLine(fault)}`),
    );
    const damaged = reports.filter((report) => report.faults.length > 0).length;
    return [...faults, `${reports.length} checked, ${damaged} with faults`].join('\n');
  },
  exitCode: (reports) => (reports.some(({ faults }) => faults.length > 0) ? ExitCode.damaged : ExitCode.done),
});

const clean = commandOf(cleanOldQuestions, {
  usage: 'questions clean',
  details:
    'Pending sets are never touched, and an answer or a rejection that nobody has collected only with --uncollected. What\n' +
    'has been in the trash for 7 days is removed permanently. Default age: question.retentionDays (7).',
  options: {
    olderThan: { type: 'number', value: '<days>', about: 'without activity for this many days' },
    uncollected: { type: 'boolean', about: 'also move answers and rejections that nobody has collected' },
    dryRun: { type: 'boolean', about: 'only say what would be moved' },
  },
  examples: [
    'holdfast questions clean --dry-run',
    'holdfast questions clean --older-than 30',
    'holdfast questions clean --uncollected',
  ],
  parts: ({ questions, tools: { clock, log } }: Services) => ({ questions, clock, log }),
  input: ({ values: { olderThan, dryRun, uncollected } }) => ({
    olderThanDays: olderThan,
    isDryRun: dryRun,
    takesUncollected: uncollected,
  }),
  render({ retired, purged, uncollected }, { values }) {
    const verb = values.dryRun ? 'would be moved' : 'moved';
    const count = uncollected.length;
    const never = values.uncollected && count > 0 ? ` (${count} of them never collected)` : '';
    return `${retired.length} ${verb} to the trash${never}, ${purged.length} removed from it permanently`;
  },
  notes({ uncollected: { length: count }, skipped }, { terminal, values }) {
    if (!values.uncollected && count > 0)
      terminal.note(
        `Kept although old enough: ${counted(count, 'answer or rejection', 'answers or rejections')} that nobody has ` +
          'collected (see `holdfast questions collect`); --uncollected moves them too.',
      );
    for (const { id, reason } of skipped) terminal.complain(`left alone: ${id}: ${visibleLine(reason)}`);
  },
});

export const commands = [
  ask,
  answer,
  reject,
  list,
  show,
  collect,
  wait,
  questionsReject,
  cancel,
  verify,
  clean,
];
