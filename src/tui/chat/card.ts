import { visibleBlock, visibleLine } from '../../foundation/index.js';
import type { Question, QuestionView } from '../../sessions/question/index.js';
import { renderMarkdown } from '../markdown.js';
import { widthOf, wrapSpans } from '../wrap.js';
import type { Paint } from './answer-lines.js';

/** Stands before every row that somebody else wrote; what has none is ours. */
export const BAR = '┃ ';

/** Who asks, in one line. */
export function askerOf({ asker, questions }: QuestionView): string {
  const who = visibleLine(asker?.agent ?? 'The agent');
  return questions.length === 1 ? `${who} asks:` : `${who} asks ${questions.length} questions:`;
}

/** Everything that a question says, as rows behind a bar: nothing is cut. */
export function questionRows(question: Question, columns: number, paint: Paint | undefined): string[] {
  const width = Math.max(10, columns - widthOf(BAR));
  const title = wrapSpans([{ text: visibleLine(question.title), look: 'heading' }], width);
  const prompt =
    paint === undefined
      ? visibleBlock(question.prompt)
          .split('\n')
          .flatMap((line) => wrapSpans([{ text: line }], width))
      : renderMarkdown(question.prompt, width);
  return [...title, ...prompt].map((row) => `${BAR}${row.map(paint ?? (({ text }) => text)).join('')}`);
}

/** What can be chosen, one row each and more where it is long. */
export function optionRows({ options }: Question, columns: number): string[] {
  return options.flatMap(({ label, description }, index) => {
    const mark = `${index + 1}. `;
    const words = `${visibleLine(label)}${description ? `: ${visibleLine(description)}` : ''}`;
    const rows = wrapSpans([{ text: words }], Math.max(10, columns - mark.length));
    return rows.map(
      (row, at) => `${at === 0 ? mark : ' '.repeat(mark.length)}${row.map(({ text }) => text).join('')}`,
    );
  });
}

/** The whole of what is asked, for a place where nothing can be answered. */
export function cardText(view: QuestionView): string {
  const rows = view.questions.flatMap((question) => [
    ...visibleBlock(`${visibleLine(question.title)}\n${question.prompt}`)
      .split('\n')
      .map((line) => `${BAR}${line}`),
    ...optionRows(question, Number.MAX_SAFE_INTEGER),
  ]);
  return [askerOf(view), ...rows].join('\n');
}
