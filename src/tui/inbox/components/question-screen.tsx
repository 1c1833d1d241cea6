import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { visibleLine } from '../../../foundation/index.js';
import type { DraftAnswer, Question } from '../../../sessions/question/index.js';
import { renderMarkdown } from '../../markdown.js';
import { layOutEditor } from '../../text-editor.js';
import { type Span, truncate, wrapSpans } from '../../wrap.js';
import { EMPTY_ANSWER, recommendedIndex } from '../answers.js';
import { currentQuestion, type OpenSet } from '../model.js';
import { EditorRows } from './editor-rows.js';
import { bodyRows, Frame, type Size } from './frame.js';
import { Lines } from './lines.js';
import { ageOf, projectOf } from './list-screen.js';

const MIN_PROMPT_ROWS = 2;
const MAX_EDITOR_ROWS = 6;

/** One question: its prompt, its options, the own words. */
export function QuestionScreen(props: {
  open: OpenSet;
  size: Size;
  now: Date;
  notice: string | null;
}): ReactElement {
  const { open, size, now, notice } = props;
  const question = currentQuestion(open);
  const total = open.view.questions.length;
  const asker = visibleLine(open.view.asker?.agent ?? 'unknown');
  const gone = open.view.isAskerGone === true ? ' (gone; the answer is kept for it)' : '';
  return (
    <Frame
      size={size}
      title={`Question ${open.questionIndex + 1} of ${total}: ${visibleLine(question?.title ?? '')}`}
      aside={`  ${asker}${gone} in ${projectOf(open.view)}, ${ageOf(open.view, now)}`}
      notice={open.fault ?? notice}
      keys={
        open.editor === null
          ? '↑↓ Space choose · Enter go on · Tab next · o own words · Esc reject · q list · ? keys'
          : 'Enter go on · Ctrl+J new line · Esc stop typing'
      }
    >
      {total > 1 ? <Tabs open={open} width={size.columns} /> : null}
      {question === undefined ? (
        <Text>This set can no longer be read.</Text>
      ) : (
        <QuestionBody
          open={open}
          question={question}
          columns={size.columns}
          rows={bodyRows(size) - (total > 1 ? 1 : 0)}
        />
      )}
    </Frame>
  );
}

function QuestionBody(props: {
  open: OpenSet;
  question: Question;
  columns: number;
  rows: number;
}): ReactElement {
  const { open, question, columns, rows } = props;
  const answer = open.answers[open.questionIndex] ?? EMPTY_ANSWER;
  const options = optionBlocks(question, answer, open.row, columns);
  const editorRows =
    open.editor === null
      ? 0
      : Math.min(MAX_EDITOR_ROWS, Math.max(1, rows - options.length - MIN_PROMPT_ROWS - 2));
  const prompt = renderMarkdown(question.prompt, columns - 2);
  const optionRows = Math.min(countRows(options), Math.max(1, rows - MIN_PROMPT_ROWS - editorRows - 2));
  const promptRows = Math.max(1, rows - optionRows - editorRows - 2);
  const scroll = Math.min(open.scroll, Math.max(0, prompt.length - promptRows));
  const rest = prompt.length - scroll - promptRows;
  return (
    <>
      <Lines lines={prompt.slice(scroll, scroll + promptRows)} />
      <Text dimColor>{rest > 0 ? `… ${rest} more lines (PgDn)` : ' '}</Text>
      <Lines lines={windowAround(options, open.row, optionRows)} />
      {open.editor === null ? null : (
        <Box paddingLeft={4}>
          <EditorRows rows={layOutEditor(open.editor, columns - 6)} height={editorRows} />
        </Box>
      )}
    </>
  );
}

function Tabs({ open, width }: { open: OpenSet; width: number }): ReactElement {
  const room = Math.max(4, Math.floor(width / open.view.questions.length) - 3);
  return (
    <Text wrap="truncate">
      {open.view.questions.map((question, index) => {
        const isDone = open.answers[index]?.isConfirmed === true;
        const label = ` ${isDone ? '✓' : index + 1} ${truncate(visibleLine(question.title), room)} `;
        return (
          <Text key={index} inverse={index === open.questionIndex} dimColor={index !== open.questionIndex}>
            {label}
          </Text>
        );
      })}
    </Text>
  );
}

/** Each option as its rows: the first with number and mark, then the description. */
function optionBlocks(question: Question, answer: DraftAnswer, row: number, columns: number): Span[][][] {
  const recommended = recommendedIndex(question);
  const isMulti = question.multiSelect === true;
  const mark = (isChosen: boolean) => (isMulti ? (isChosen ? '[x]' : '[ ]') : isChosen ? '(•)' : '( )');
  const line = (index: number, isChosen: boolean, text: string): Span[] => [
    {
      text: `${index === row ? '›' : ' '} ${mark(isChosen)} ${(index + 1) % 10} `,
      ...(index === row ? { look: 'bold' } : {}),
    },
    { text: truncate(text, columns - 8), ...(index === row ? { look: 'bold' } : {}) },
  ];
  const blocks = question.options.map((option, index) => {
    const star = index === recommended ? '★ ' : '';
    const first = line(index, answer.selected.includes(option.label), star + visibleLine(option.label));
    const description = option.description
      ? wrapSpans([{ text: visibleLine(option.description), look: 'dim' }], columns - 10)
      : [];
    return [first, ...description.slice(0, 3).map((spans): Span[] => [{ text: '        ' }, ...spans])];
  });
  const own = answer.text === '' ? '' : `: ${visibleLine(answer.text)}`;
  return [...blocks, [line(question.options.length, answer.isOther, `Other (in your own words)${own}`)]];
}

/** The rows around the highlighted block, when not all fit. */
function windowAround(blocks: readonly Span[][][], row: number, room: number): Span[][] {
  const rows = blocks.flat();
  const before = countRows(blocks.slice(0, row));
  const size = blocks[row]?.length ?? 1;
  const from = Math.max(0, Math.min(before - Math.floor((room - size) / 2), rows.length - room));
  return rows.slice(from, from + room);
}

function countRows(blocks: readonly Span[][][]): number {
  return blocks.reduce((sum, block) => sum + block.length, 0);
}
