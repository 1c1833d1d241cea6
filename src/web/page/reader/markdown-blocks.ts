const QUOTE_OR_LIST = /^ {0,3}(?:[-+*>]|\d{1,9}[.)])/;
const FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
/** Definitions used elsewhere, and tags and code in a list, which may reach beyond an empty line. */
const REACHES_FAR = /\]:|^ {0,3}<|^(?:(?:[-+*>]|\d{1,9}[.)]).*| {1,3})(?:```|~~~)/m;

/**
 * Splits a text into stretches that each mean the same alone as in the whole: it is cut at empty lines, but only where
 * nothing reaches beyond them. What to look for in a stretch then depends on that stretch alone, not on the whole text. If
 * this cannot be guaranteed, the text is one stretch. `visibleBlock` ensures that line breaks are LF and there are no tabs.
 */
export function blocksOf(text: string): readonly string[] {
  if (REACHES_FAR.test(text)) return [text];
  const blocks: string[][] = [[]];
  let fence: string | null = null;
  let isAfterBlank = false;
  /** Whether a list or a quote may continue after an empty line. */
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

/** A fence is closed by one of the same kind, at least as long, with nothing after it. */
function fenceAfter(open: string | null, line: string): string | null {
  const [, ticks, tildes] = FENCE.exec(line) ?? [];
  const found = ticks ?? tildes ?? null;
  if (open === null || found === null) return open ?? found;
  return line.trimEnd() === found && found.startsWith(open) ? null : open;
}

/** Anything that may be markup in the middle of a line, at its beginning, or at its end. */
const MARKED = /[`*_[\\<&~|@]|:\/\/|www\.|^(?:[ #>=:+-]|\d{1,9}[.)]|$)| $/im;

/** Whether a stretch is a single paragraph without any markup. */
export function isPlain(block: string): boolean {
  return !MARKED.test(block);
}

const CODE = /^(`{3,}|~{3,})([\w+-]*)\n((?:.*\n)*?)\1$/;
const ANY_FENCE = /^ {0,3}(?:`{3}|~{3})/m;

/** The language and code of a stretch that is only fenced code; null for any other. */
export function fencedCode(block: string): { readonly language: string; readonly code: string } | null {
  const [whole, , language = '', code = ''] = CODE.exec(block) ?? [];
  return whole === undefined || ANY_FENCE.test(code) ? null : { language, code };
}
