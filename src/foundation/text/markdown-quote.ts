/**
 * Text of somebody else as a quotation in Markdown: every line begins with a mark, so that none can pass for ours, and no tag acts.
 * Code between fences stays as it is: nothing acts there.
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

/** One line of foreign text that no reader of Markdown takes for a tag. What stands there is the same to a person. */
export function inMarkdown(line: string): string {
  return line.replaceAll(/&(?=[#\w]+;)/g, '&amp;').replaceAll(/<(?=[\w/!?])/g, '&lt;');
}

/** Only in the first column: further right it may belong to an item of a list, which ends it earlier than we would think. */
function opensCode(line: string): string | undefined {
  return /^(`{3,})[^`]*$/.exec(line)?.[1] ?? /^(~{3,})/.exec(line)?.[1];
}

function closesCode(line: string, fence: string): boolean {
  return new RegExp(`^ {0,3}${fence}${fence[0]}*[ \\t]*$`).test(line);
}
