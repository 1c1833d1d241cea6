import { visibleExcerpt } from '../../../foundation/index.js';
import { recommendedIndex } from '../../../models/inbox/index.js';
import type { DraftAnswer, Question } from '../../../sessions/question/index.js';
import { renderInline } from '../../markdown.js';
import { type Span, wrapSpans } from '../../wrap.js';

const LABEL_INDENT = 8;
const DESCRIPTION_INDENT = 10;
const OTHER_ROWS = 2;

export interface OptionRows {
  readonly question: Question;
  readonly answer: DraftAnswer;
  /** The highlighted row. */
  readonly row: number;
  readonly isTyping: boolean;
  /** The label of the row for own words. */
  readonly other?: string | undefined;
  readonly columns: number;
  readonly rows: number;
}

/** Each option as its rows: number, mark and label, then the description. Only the highlighted one is shown in full. */
export function optionBlocks(options: OptionRows): Span[][][] {
  const { question, answer, isTyping, columns } = options;
  const recommended = recommendedIndex(question);
  const blocks = question.options.map((option, index) => {
    const star = index === recommended ? '★ ' : '';
    return [
      ...labelRows(options, index, answer.selected.includes(option.label), star + option.label),
      ...wrapped(options, index, option.description ?? '', columns - DESCRIPTION_INDENT, 'dim').map(
        (line): Span[] => [{ text: ' '.repeat(DESCRIPTION_INDENT) }, ...line],
      ),
    ];
  });
  const own = isTyping || answer.text === '' ? '' : `: ${answer.text.slice(0, columns)}`;
  const other = labelRows(
    options,
    question.options.length,
    answer.isOther,
    `${options.other ?? 'Other (in your own words)'}${own}`,
  ).slice(0, 1);
  return [...blocks, other];
}

/** The rows around the highlighted block, if not all fit. */
export function windowAround(blocks: readonly Span[][][], row: number, room: number): Span[][] {
  const rows = blocks.flat();
  const before = countRows(blocks.slice(0, row));
  const spare = Math.max(0, room - (blocks[row]?.length ?? 1));
  const from = Math.max(0, Math.min(before - Math.floor(spare / 2), rows.length - room));
  return rows.slice(from, from + room);
}

export function countRows(blocks: readonly Span[][][]): number {
  return blocks.reduce((sum, block) => sum + block.length, 0);
}

function labelRows(options: OptionRows, index: number, isChosen: boolean, label: string): Span[][] {
  const { question, row, columns } = options;
  const look = index === row ? ({ look: 'bold' } as const) : {};
  const [open, chosen, close] = question.multiSelect === true ? '[x]' : '(•)';
  const mark = `${open}${isChosen ? chosen : ' '}${close}`;
  // There are ten digits; rows after the tenth are reached with the arrows.
  const digit = index < 10 ? (index + 1) % 10 : ' ';
  return wrapped(options, index, label, columns - LABEL_INDENT, look.look).map((line, at) => [
    { text: at === 0 ? `${index === row ? '›' : ' '} ${mark} ${digit} ` : ' '.repeat(LABEL_INDENT), ...look },
    ...line,
  ]);
}

function wrapped(
  { row, columns, rows }: OptionRows,
  index: number,
  text: string,
  width: number,
  look: Span['look'],
): Span[][] {
  if (text === '') return [];
  const max = index === row ? Math.max(OTHER_ROWS, rows) : OTHER_ROWS;
  const shown = visibleExcerpt(text, columns * max);
  const lines = wrapSpans(renderInline(shown, look), width);
  return lines.length <= max ? lines : [...lines.slice(0, max - 1), [{ text: '…' }]];
}
