import { Box, Text } from 'ink';
import { type ReactElement, useContext, useEffect, useMemo } from 'react';
import { visibleExcerpt } from '../../../foundation/index.js';
import { currentQuestion, EMPTY_ANSWER, type OpenSet } from '../../../models/inbox/index.js';
import { isPermission, type Question } from '../../../sessions/question/index.js';
import { useColor } from '../../colors.js';
import { renderMarkdown } from '../../markdown.js';
import { type EditorState, layOutEditor } from '../../text-editor.js';
import type { Size } from '../../use-size.js';
import { truncate } from '../../wrap.js';
import { faultInWords } from '../fault-words.js';
import { BackTo } from './back-to.js';
import { EditorRows } from './editor-rows.js';
import { bodyRows, Frame } from './frame.js';
import { Lines, moreLines, type Scrolling, useScrolled } from './lines.js';
import { agentOf, ageOf, projectOf } from './list-screen.js';
import { countRows, optionBlocks, windowAround } from './option-rows.js';

/** Stands before every row of the prompt; a row without it is our own. */
const PROMPT_BAR = { text: '│ ', look: 'dim' } as const;
const MIN_PROMPT_ROWS = 2;
const MAX_EDITOR_ROWS = 6;
/** With fewer rows than this, there is no gap between prompt and options. */
const MIN_ROWS_WITH_GAP = 5;

const keysTo = (back: string) => [
  '↑↓ Space choose',
  'Enter next',
  'o own words',
  'Esc reject',
  `q ${back}`,
  'Tab next',
  '? keys',
];
const EDITOR_KEYS = ['Enter next', 'Ctrl+J new line', 'Esc stop typing'];

/** One question: its prompt, its options, and the row for own words. */
export function QuestionScreen(props: {
  open: OpenSet;
  editor: EditorState | null;
  size: Size;
  now: Date;
  notice: string | null;
  scrolling: Scrolling;
  /** Called when the end of the prompt is on screen. */
  onRead: (id: string) => void;
}): ReactElement {
  const { open, editor, size, now, notice } = props;
  const { view } = open;
  const fault = open.fault === null ? null : faultInWords(open.fault);
  const back = useContext(BackTo);
  const question = currentQuestion(open);
  const total = view.questions.length;
  const rows = bodyRows(size) - (total > 1 ? 1 : 0);
  const kept = isPermission(view) ? 'gone' : 'gone; the answer is kept for it';
  const gone = view.isAskerGone === true ? ` (${kept})` : '';
  return (
    <Frame
      size={size}
      title={`Question ${open.questionIndex + 1} of ${total}: ${visibleExcerpt(question?.title ?? '', size.columns)}`}
      aside={` ${agentOf(view)}${gone} in ${projectOf(view)}, ${ageOf(view, now)}`}
      notice={rows < MIN_ROWS_WITH_GAP ? (fault ?? notice) : notice}
      keys={editor === null ? keysTo(back) : EDITOR_KEYS}
    >
      {total > 1 ? <Tabs open={open} columns={size.columns} /> : null}
      {question === undefined ? (
        <Text>This set can no longer be read.</Text>
      ) : (
        <QuestionBody {...props} question={question} fault={fault} rows={rows} />
      )}
    </Frame>
  );
}

function QuestionBody(props: {
  open: OpenSet;
  editor: EditorState | null;
  fault: string | null;
  question: Question;
  size: Size;
  rows: number;
  scrolling: Scrolling;
  onRead: (id: string) => void;
}): ReactElement {
  const { open, fault, question, rows, scrolling, onRead } = props;
  const { columns } = props.size;
  const prompt = useMemo(
    () => renderMarkdown(question.prompt, columns - 4).map((row) => [PROMPT_BAR, ...row]),
    [question.prompt, columns],
  );
  const options = optionBlocks({
    question,
    answer: open.answers[open.questionIndex] ?? EMPTY_ANSWER,
    row: open.row,
    isTyping: props.editor !== null,
    other: isPermission(open.view) ? 'Deny, and tell the agent why (in your own words)' : undefined,
    columns,
    rows,
  });
  const editor = props.editor === null ? [] : layOutEditor(props.editor, columns - 6);
  const room = share(rows, { prompt: prompt.length, options: countRows(options), editor: editor.length });
  const shown = useScrolled(scrolling, prompt.length, room.prompt);
  const isEndShown = shown.rest === 0 && room.prompt > 0;
  useEffect(() => {
    if (isEndShown) onRead(open.view.id);
  });
  return (
    <>
      <Lines lines={prompt.slice(shown.from, shown.to)} />
      {room.gap === 0 ? null : (
        <Gap fault={fault} more={prompt.length > room.prompt ? moreLines(shown.rest) : ' '} />
      )}
      <Lines lines={windowAround(options, open.row, room.options)} />
      {editor.length === 0 ? null : (
        <Box paddingLeft={4}>
          <EditorRows rows={editor} height={room.editor} />
        </Box>
      )}
    </>
  );
}

/** The row right above the options: a fault, otherwise how much of the prompt is left. */
function Gap({ fault, more }: { fault: string | null; more: string }): ReactElement {
  const faultColor = useColor('yellow');
  if (fault === null)
    return (
      <Text dimColor wrap="truncate">
        {more}
      </Text>
    );
  return <Text bold wrap="truncate" {...faultColor}>{`! ${fault}`}</Text>;
}

interface Needs {
  readonly prompt: number;
  readonly options: number;
  readonly editor: number;
}

/** Divides the rows: first for the editor and the options, then for the prompt, which can be scrolled. */
function share(rows: number, needs: Needs): Needs & { gap: number } {
  const gap = rows >= MIN_ROWS_WITH_GAP ? 1 : 0;
  const editor = Math.min(needs.editor, MAX_EDITOR_ROWS, Math.max(1, rows - gap - 2 * MIN_PROMPT_ROWS));
  const least = Math.min(needs.prompt, Math.max(MIN_PROMPT_ROWS, Math.floor(rows / 3)));
  const options = Math.min(needs.options, Math.max(1, rows - gap - editor - least));
  const prompt = Math.min(needs.prompt, Math.max(0, rows - gap - editor - options));
  return { gap, editor, options, prompt };
}

function Tabs({ open, columns }: { open: OpenSet; columns: number }): ReactElement {
  const room = Math.floor(columns / open.view.questions.length) - 4;
  return (
    <Text wrap="truncate">
      {open.view.questions.map((question, index) => {
        const mark = open.answers[index]?.isConfirmed === true ? '✓' : index + 1;
        const title = room < 3 ? '' : `${truncate(visibleExcerpt(question.title, room * 2), room)} `;
        return (
          <Text key={index} inverse={index === open.questionIndex} dimColor={index !== open.questionIndex}>
            {` ${mark} ${title}`}
          </Text>
        );
      })}
    </Text>
  );
}
