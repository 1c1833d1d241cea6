import { type ReactElement, useContext, useMemo } from 'react';
import { visibleBlock, visibleExcerpt, visibleLine } from '../../../foundation/index.js';
import { EMPTY_ANSWER, faultAt, type OpenSet } from '../../../models/inbox/index.js';
import { isPermission, type Question } from '../../../sessions/question/index.js';
import type { Size } from '../../use-size.js';
import { type Span, wrapSpans } from '../../wrap.js';
import { faultInWords } from '../fault-words.js';
import { BackTo } from './back-to.js';
import { bodyRows, Frame } from './frame.js';
import { ScrolledLines, type Scrolling } from './lines.js';
import { agentOf } from './list-screen.js';

const keysTo = (back: string) => [
  'n back',
  '1-9 to a question',
  'Esc reject',
  `q ${back}, keep the draft`,
  '? keys',
  'Enter send',
];

/** All answers for a last look, before they are given. */
export function ReviewScreen(props: {
  open: OpenSet;
  size: Size;
  notice: string | null;
  scrolling: Scrolling;
}): ReactElement {
  const { open, size, notice, scrolling } = props;
  const { view } = open;
  const lines = useMemo(
    () => view.questions.flatMap((question, index) => describeAnswer(open, question, index, size.columns)),
    [open, view.questions, size.columns],
  );
  return (
    <Frame
      size={size}
      title="Review"
      aside={` ${agentOf(view)}, ${view.id.slice(0, 8)}`}
      notice={notice ?? 'Send these answers?'}
      keys={keysTo(useContext(BackTo))}
    >
      <ScrolledLines lines={lines} rows={bodyRows(size)} {...scrolling} />
    </Frame>
  );
}

function describeAnswer(open: OpenSet, question: Question, index: number, columns: number): Span[][] {
  const answer = open.answers[index] ?? EMPTY_ANSWER;
  const number = `${index + 1} `;
  const title = hanging(number, visibleExcerpt(question.title, columns * 2), columns, 'bold');
  const fault = faultAt(open, index);
  if (fault !== undefined) return [...title, ...hanging('  ! ', faultInWords(fault), columns, 'code')];
  const rows = answer.selected.flatMap((label) => hanging('  → ', visibleLine(label), columns));
  const own = answer.isOther ? visibleBlock(answer.text).split('\n') : [];
  // A permission cannot be given on a condition, and whoever reads this must not believe that it was.
  const mark = isPermission(open.view) ? '  → Denied, and told: ' : '  → Other: ';
  for (const [at, line] of own.entries())
    rows.push(...hanging(at === 0 ? mark : ' '.repeat(mark.length), line, columns));
  return [...title, ...(rows.length > 0 ? rows : [[{ text: '  → (No selection)' }]])];
}

function hanging(mark: string, text: string, columns: number, look?: Span['look']): Span[][] {
  const style = look === undefined ? {} : { look };
  return wrapSpans([{ text, ...style }], columns - mark.length).map((line, index) => [
    { text: index === 0 ? mark : ' '.repeat(mark.length), ...style },
    ...line,
  ]);
}
