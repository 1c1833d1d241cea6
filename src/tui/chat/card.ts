import { BAR, visibleBlock, visibleLabel } from '../../foundation/index.js';
import type { Question } from '../../sessions/question/index.js';
import { renderMarkdown } from '../markdown.js';
import { widthOf, wrapSpans } from '../wrap.js';
import type { Paint } from './answer-lines.js';

/** The whole text of a question, as rows with a bar in front: nothing is cut. */
export function questionRows(question: Question, columns: number, paint: Paint | undefined): string[] {
  const width = Math.max(10, columns - widthOf(BAR));
  const title = wrapSpans([{ text: visibleLabel(question.title), look: 'heading' }], width);
  const prompt =
    paint === undefined
      ? visibleBlock(question.prompt)
          .split('\n')
          .flatMap((line) => wrapSpans([{ text: line }], width))
      : renderMarkdown(question.prompt, width);
  return [...title, ...prompt].map((row) => `${BAR}${row.map(paint ?? (({ text }) => text)).join('')}`);
}

/** The options: one row each, or more for a long one. */
export function optionRows({ options }: Question, columns: number): string[] {
  return options.flatMap(({ label, description }, index) => {
    const mark = `${index + 1}. `;
    const words = `${visibleLabel(label)}${description ? `: ${visibleLabel(description)}` : ''}`;
    const rows = wrapSpans([{ text: words }], Math.max(10, columns - mark.length));
    return rows.map(
      (row, at) => `${at === 0 ? mark : ' '.repeat(mark.length)}${row.map(({ text }) => text).join('')}`,
    );
  });
}
