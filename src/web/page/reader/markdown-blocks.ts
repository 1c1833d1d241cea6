const QUOTE_OR_LIST = /^ {0,3}(?:[-+*>]|\d{1,9}[.)])/;
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** What is defined in one place and used in another; tags and code in a list, which may reach beyond an empty line. */
const REACHES_FAR = /\]:|^ {0,3}<|^(?:(?:[-+*>]|\d{1,9}[.)]).*| {1,3})(?:```|~~~)/m;

/**
 * A text as stretches, each of which means the same alone as in the whole: it is cut at empty lines, and only where nothing reaches
 * beyond them. What is looked for in a stretch then depends on what is in it, not on what is in all of the text. Where that cannot be
 * said, the text is one stretch. Line breaks are LF and there are no tabs: `visibleBlock` sees to it.
 */
export function blocksOf(text: string): readonly string[] {
  if (REACHES_FAR.test(text)) return [text];
  const blocks: string[][] = [[]];
  let fence: string | null = null;
  let isAfterBlank = false;
  /** Whether a list or a quote may go on behind an empty line. */
  let isOpen = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    const isListed = fence === null && QUOTE_OR_LIST.test(line);
    const goesOn = fence !== null || isBlank || line.startsWith(' ') || (isOpen && isListed);
    if (isAfterBlank && !goesOn) {
      blocks.push([line]);
      isOpen = false;
    } else blocks.at(-1)?.push(line);
    isAfterBlank = isBlank;
    isOpen ||= isListed || line.startsWith('    ');
    fence = fenceAfter(fence, line);
  }
  return blocks.map((lines) => lines.join('\n'));
}

/** A fence is closed by one of its kind that is as long and says nothing. */
function fenceAfter(open: string | null, line: string): string | null {
  const [, ticks, tildes] = FENCE.exec(line) ?? [];
  const found = ticks ?? tildes ?? null;
  if (open === null || found === null) return open ?? found;
  return line.trimEnd() === found && found.startsWith(open) ? null : open;
}

/** Anything that may mean something in the middle of a line, or at its beginning, or at its end. */
const MARKED = /[`*_[\\<&~|@]|:\/\/|www\.|^(?:[ #>=:+-]|\d{1,9}[.)]|$)| $/im;

/** Whether a stretch is one paragraph in which nothing is marked up. */
export function isPlain(block: string): boolean {
  return !MARKED.test(block);
}

const CODE = /^(`{3,}|~{3,})([\w+-]*)\n((?:.*\n)*?)\1$/;
const ANY_FENCE = /^ {0,3}(?:`{3}|~{3})/m;

/** A stretch that is nothing but code between fences: its language and the code; null for any other. */
export function fencedCode(block: string): { readonly language: string; readonly code: string } | null {
  const [whole, , language = '', code = ''] = CODE.exec(block) ?? [];
  return whole === undefined || ANY_FENCE.test(code) ? null : { language, code };
}
