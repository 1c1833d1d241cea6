/**
 * Foreign text as a quotation in Markdown: every line begins with a mark, so none can pass for ours, and no tag takes
 * effect. Fenced code stays unchanged, because nothing takes effect there.
 */
export function quoted(text: string): string {
  let fence: string | undefined;
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => {
    const isCode = fence !== undefined;
    fence = fence === undefined ? opensCode(line) : closesCode(line, fence) ? undefined : fence;
    return `> ${isCode ? line : inMarkdown(line)}`.trimEnd();
  });
  return lines.join('\n');
}

/** One line of foreign text that no Markdown reader takes for a tag. To a person it reads the same. */
export function inMarkdown(line: string): string {
  return line.replaceAll(/&(?=[#\w]+;)/g, '&amp;').replaceAll(/<(?=[\w/!?])/g, '&lt;');
}

/** Only in the first column: further right it may belong to a list item, which would end it earlier than we think. */
function opensCode(line: string): string | undefined {
  return /^(`{3,})[^`]*$/.exec(line)?.[1] ?? /^(~{3,})/.exec(line)?.[1];
}

function closesCode(line: string, fence: string): boolean {
  return new RegExp(`^ {0,3}${fence}${fence[0]}*[ \\t]*$`).test(line);
}
