import type { ReactElement } from 'react';
import { messageOf, visibleBlock, visibleLine } from '../../../foundation/index.js';
import { formatAnswers, type QuestionOutcome, type QuestionView } from '../../../sessions/question/index.js';
import { wrapSpans } from '../../wrap.js';
import { bodyRows, Frame, type Size } from './frame.js';
import { Lines } from './lines.js';

/** What became of a set that somebody else settled. */
export function SettledScreen(props: {
  view: QuestionView;
  outcome: QuestionOutcome;
  why: string;
  size: Size;
}): ReactElement {
  const { view, outcome, why, size } = props;
  const lines = [why, '', ...describe(view, outcome).split('\n')].flatMap((line) =>
    wrapSpans([{ text: line }], size.columns),
  );
  return (
    <Frame
      size={size}
      title={`${view.id.slice(0, 8)}: ${outcome.status}`}
      aside=""
      notice={null}
      keys="any key: back to the list"
    >
      <Lines lines={lines.slice(0, bodyRows(size))} />
    </Frame>
  );
}

function describe(view: QuestionView, outcome: QuestionOutcome): string {
  switch (outcome.status) {
    case 'completed':
      return describeAnswers(view, outcome.answers);
    case 'rejected':
      return outcome.reason === null
        ? 'It was rejected without a reason.'
        : `Reason: ${visibleLine(outcome.reason)}`;
    case 'abandoned':
      return `It was withdrawn: ${visibleLine(outcome.reason)}`;
    default:
      return `It is ${outcome.status}.`;
  }
}

function describeAnswers(view: QuestionView, answers: Parameters<typeof formatAnswers>[1]): string {
  try {
    return visibleBlock(formatAnswers(view.questions, answers));
  } catch (error) {
    return visibleLine(messageOf(error)); // answers that another program wrote need not fit the questions
  }
}
