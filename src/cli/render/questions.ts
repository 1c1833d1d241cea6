import { barred, visibleExcerpt, visibleLabel, visibleLine } from '../../foundation/index.js';
import {
  describeAnswers,
  inOneLine,
  isPermission,
  type QuestionReport,
  quoteText,
  type UserAnswer,
} from '../../sessions/question/index.js';
import { formatAge } from '../duration.js';
import type { Style } from '../terminal.js';
import { renderTable } from './table.js';

/** Starts every line of what was asked and said. */
const PROMPT_BAR = '   │ ';

/** Question sets as a table. */
export function renderQuestionList(
  reports: readonly QuestionReport[],
  now: Date,
  style: Style,
  nothing = 'Nothing is waiting for an answer.',
): string {
  if (reports.length === 0) return nothing;
  const rows = reports.map((report) => [
    report.sessionId.slice(0, 8),
    report.onItsWay === undefined ? `${report.status}${faultWord(report)}` : 'answer on its way',
    formatAge(now.getTime() - Date.parse(report.createdAt)),
    String(report.questions.length),
    visibleExcerpt(askerOf(report), 20),
    visibleExcerpt(report.workingDirectory?.split('/').filter(Boolean).at(-1) ?? '-', 20),
    visibleExcerpt(inOneLine(report.questions[0]?.prompt ?? '(cannot be read)'), 48),
  ]);
  const head = ['ID', 'STATUS', 'AGE', 'QUESTIONS', 'ASKER', 'PROJECT', 'FIRST QUESTION'];
  if (reports.every(({ machine }) => machine === undefined)) return renderTable(head, rows, style);
  const withMachines = rows.map(([id = '', ...rest], at) => [
    id,
    visibleExcerpt(reports[at]?.machine ?? 'here', 20),
    ...rest,
  ]);
  return renderTable(['ID', 'MACHINE', ...head.slice(1)], withMachines, style);
}

/** One question set in full. */
export function renderQuestionSet(report: QuestionReport, style: Style): string {
  const lines = [
    `${style.bold(report.sessionId)}  ${report.status}${report.late ? ' (late)' : ''}`,
    `asked ${report.createdAt} by ${visibleLabel(askerOf(report))}${goneNote(report)}`,
  ];
  if (report.machine !== undefined) lines.push(`on ${visibleLabel(report.machine)}`);
  if (report.onItsWay !== undefined)
    lines.push(`a decision by ${visibleLabel(report.onItsWay.by)} is on its way there`);
  if (report.workingDirectory !== null) lines.push(`in ${visibleLine(report.workingDirectory)}`);
  if (report.expiresAt !== null) lines.push(`times out ${report.expiresAt}`);
  if (report.actor !== null) lines.push(`${DECIDED[report.status]} by ${visibleLabel(report.actor)}`);
  for (const [index, question] of report.questions.entries()) {
    lines.push(
      '',
      `${index + 1}. ${style.bold(visibleLabel(question.title))}${question.multiSelect ? '  (several)' : ''}`,
    );
    lines.push(barred(question.prompt, PROMPT_BAR));
    for (const [number, option] of question.options.entries()) {
      const description = option.description ? ` — ${visibleLabel(option.description)}` : '';
      lines.push(`   ${number + 1}) ${visibleLabel(option.label)}${style.dim(description)}`);
    }
  }
  const outcome = renderDecision(report);
  if (outcome !== '') lines.push('', outcome);
  for (const fault of report.faults) {
    const word = fault.kind === 'replaced' ? 'changed' : 'damaged';
    lines.push(style.yellow(`${word}: ${fault.file}: ${visibleLine(fault.reason)}`));
  }
  return lines.join('\n');
}

/** What the decider did. */
const DECIDED: Readonly<Record<QuestionReport['status'], string>> = {
  pending: 'decided',
  completed: 'answered',
  rejected: 'rejected',
  timed_out: 'decided',
  abandoned: 'withdrawn',
};

/** Marks a set with faults, after its state. */
function faultWord({ faults }: QuestionReport): string {
  if (faults.length === 0) return '';
  return faults.every(({ kind }) => kind === 'replaced') ? ' (changed)' : ' (damaged)';
}

/** The outcome of a set, for the person who decided: by title only, because they have just read the questions. */
export function renderDecision(report: QuestionReport): string {
  if (report.status === 'rejected' && report.rejectionReason !== null)
    return `The person rejected this question set. Reason: ${ownWords(report.rejectionReason)}`;
  if (report.status !== 'completed') return renderOutcome(report);
  const answers = report.answers ?? [];
  const isStrange = answers.some(({ questionIndex }) => report.questions[questionIndex] === undefined);
  if (isStrange) return renderOutcome(report);
  const rows = report.questions.map(({ title }, index) => {
    const own = answers.filter(({ questionIndex }) => questionIndex === index);
    // A title is somebody else's words, so it must not begin a line.
    return `  ${visibleLabel(inOneLine(title))} → ${own.map(describeAnswer).join(', ') || 'no answer'}`;
  });
  return rows.join('\n');
}

function describeAnswer({ selectedOption, selectedOptions, customText = '' }: UserAnswer): string {
  const labels = selectedOptions ?? (selectedOption === undefined ? [] : [selectedOption]);
  const own = customText === '' ? [] : [ownWords(customText)];
  return [...labels.map(visibleLabel), ...own].join(', ') || '(no selection)';
}

/** A single line is quoted in place; several lines are shown as a block. */
function ownWords(text: string): string {
  return /[\r\n]/.test(text.trimEnd())
    ? `in their own words:\n${barred(text.trimEnd(), PROMPT_BAR)}`
    : quoteText(text);
}

/** The outcome of a set, as the agent reads it; empty while it is pending. */
export function renderOutcome(report: QuestionReport): string {
  switch (report.status) {
    case 'completed':
      return describeAnswers(readable(report), report.answers ?? []);
    case 'rejected':
      return report.rejectionReason === null || report.rejectionReason === ''
        ? 'The person rejected this question set and gave no reason.'
        : `The person rejected this question set. Reason: ${quoteText(report.rejectionReason)}`;
    case 'timed_out':
      return 'Nobody answered in time. A late answer is still accepted.';
    case 'abandoned':
      return `This question set was abandoned: ${visibleLine(report.abandonedReason ?? '')}`;
    default:
      return '';
  }
}

/** No agent reads the outcome of a permission here, so it is shown without the marks of its card. */
function readable(report: QuestionReport): QuestionReport['questions'] {
  if (!isPermission(report)) return report.questions;
  return report.questions.map((question) => ({ ...question, prompt: inOneLine(question.prompt) }));
}

function askerOf(report: QuestionReport): string {
  return report.asker?.agent ?? 'unknown';
}

function goneNote(report: QuestionReport): string {
  if (report.isAskerGone !== true || report.status !== 'pending') return '';
  return isPermission(report)
    ? ' (gone: nobody is waiting for it)'
    : ' (the asker is gone; an answer is kept for it)';
}
