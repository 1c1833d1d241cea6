import type { ReactElement } from 'react';
import { visibleLine } from '../../../foundation/index.js';
import { type Span, truncate, wrapSpans } from '../../wrap.js';
import { EMPTY_ANSWER, faultIn } from '../answers.js';
import type { OpenSet } from '../model.js';
import { bodyRows, Frame, type Size } from './frame.js';
import { Lines } from './lines.js';

/** All answers once more, before they are given. */
export function ReviewScreen({
  open,
  size,
  isBusy,
}: {
  open: OpenSet;
  size: Size;
  isBusy: boolean;
}): ReactElement {
  const lines = open.view.questions.flatMap((question, index): Span[][] => {
    const answer = open.answers[index] ?? EMPTY_ANSWER;
    const fault = faultIn(question, answer);
    const title: Span[] = [
      { text: `${index + 1} ${truncate(visibleLine(question.title), size.columns - 4)}`, look: 'bold' },
    ];
    if (fault !== undefined) return [title, [{ text: `  ! ${fault}`, look: 'code' }]];
    const chosen = answer.selected.map((label): Span[] => [
      { text: `  → ${truncate(visibleLine(label), size.columns - 5)}` },
    ]);
    const own = answer.isOther
      ? wrapSpans([{ text: `→ Other: ${visibleLine(answer.text)}` }], size.columns - 4)
      : [];
    const rows = [...chosen, ...own.map((spans): Span[] => [{ text: '  ' }, ...spans])];
    return [title, ...(rows.length > 0 ? rows : [[{ text: '  → (No selection)' }]])];
  });
  const room = bodyRows(size);
  const shown =
    lines.length > room
      ? [...lines.slice(0, room - 1), [{ text: `… ${lines.length - room + 1} more lines` }]]
      : lines;
  return (
    <Frame
      size={size}
      title="Review"
      aside={`  ${open.view.id.slice(0, 8)}`}
      notice={isBusy ? 'Sending …' : 'Send these answers?'}
      keys="Enter send · n back · 1-9 to a question · Esc reject · q list, keep the draft"
    >
      <Lines lines={shown} />
    </Frame>
  );
}
