import { type ReactElement, useMemo } from 'react';
import { messageOf, rowsOf, visibleBlock, visibleLine } from '../../../foundation/index.js';
import { formatAnswers, type QuestionOutcome, type QuestionView } from '../../../sessions/question/index.js';
import type { Size } from '../../use-size.js';
import { bodyRows, Frame } from './frame.js';
import { ScrolledLines, type Scrolling } from './lines.js';
import { agentOf } from './list-screen.js';

const TITLES = {
  completed: 'Answered elsewhere',
  rejected: 'Rejected elsewhere',
  abandoned: 'Withdrawn',
  timed_out: 'Out of time',
  pending: 'Pending',
} as const;

/** The outcome of a set that someone else settled. */
export function SettledScreen(props: {
  view: QuestionView;
  outcome: QuestionOutcome;
  why: string;
  size: Size;
  scrolling: Scrolling;
}): ReactElement {
  const { view, outcome, why, size, scrolling } = props;
  const lines = useMemo(
    () =>
      rowsOf([why, '', describeOutcome(view, outcome)].join('\n'), size.columns).map((text) =>
        text === '' ? [] : [{ text }],
      ),
    [view, outcome, why, size.columns],
  );
  return (
    <Frame
      size={size}
      title={TITLES[outcome.status]}
      aside={` ${agentOf(view)}, ${view.id.slice(0, 8)}`}
      notice={null}
      keys={['Enter or Esc: back']}
    >
      <ScrolledLines lines={lines} rows={bodyRows(size)} {...scrolling} />
    </Frame>
  );
}

function describeOutcome(view: QuestionView, outcome: QuestionOutcome): string {
  switch (outcome.status) {
    case 'completed':
      return describeAnswers(view, outcome.answers);
    case 'rejected':
      return outcome.reason === null
        ? 'It was rejected without a reason.'
        : `Reason: ${visibleLine(outcome.reason)}`;
    case 'abandoned':
      return `It was withdrawn: ${visibleLine(outcome.reason)}`;
    case 'timed_out':
      return `It can still be answered: holdfast inbox --session ${view.id.slice(0, 8)}`;
    default:
      return `It is ${outcome.status}.`;
  }
}

function describeAnswers(view: QuestionView, answers: Parameters<typeof formatAnswers>[1]): string {
  try {
    return visibleBlock(formatAnswers(view.questions, answers));
  } catch (error) {
    return visibleLine(messageOf(error)); // answers written by another program may not fit the questions
  }
}
