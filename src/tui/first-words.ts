import { renderMarkdown } from './markdown.js';

/** The start of a Markdown text as one line without its marks, for a row of about this many columns. */
export function firstWords(markdown: string, columns: number): string {
  const head = markdown.slice(0, columns * 4);
  const lines = renderMarkdown(head, columns * 4).map((line) =>
    line
      .map((span) => span.text)
      .join('')
      .trim(),
  );
  const text = lines.filter((line) => line !== '').join(' ');
  return markdown.length > head.length ? `${text} …` : text;
}
