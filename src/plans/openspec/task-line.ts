/** A line of a tasks file that OpenSpec counts as a task. */
export interface TaskLine {
  /** What comes before the box: indentation and list marker. */
  readonly lead: string;
  /** What is between the brackets. */
  readonly box: string;
  readonly isDone: boolean;
  /** What comes after the box, trimmed. */
  readonly text: string;
}

const LIST_ITEM = /^(\s*(?:[-*+]|\d{1,9}[.)])\s*)\[([^\]]*)\](.*)$/s;

/**
 * Reads a line the way OpenSpec does, so both count the same tasks: any indentation, any list marker, at most one
 * character in the box; only `x` and `X` mean done. A box right before `(` or `[` is a link, unless it is blank.
 */
export function readTaskLine(line: string): TaskLine | undefined {
  if (!line.includes('[')) return undefined;
  // By group number: every line of a long file passes through here, and destructuring an array is slow in cold code.
  const match = LIST_ITEM.exec(line);
  const lead = match?.[1];
  const box = match?.[2];
  const rest = match?.[3];
  if (lead === undefined || box === undefined || rest === undefined) return undefined;
  const mark = box.trim();
  if (mark.length > 1) return undefined;
  const isBlankBox = mark === '' && box !== '';
  if ((rest.startsWith('(') || rest.startsWith('[')) && !isBlankBox) return undefined;
  return { lead, box, isDone: mark.toLowerCase() === 'x', text: firstLine(rest).trim() };
}

/** A carriage return (or one of its rarer relatives) within a line ends its text. */
function firstLine(rest: string): string {
  const text = rest.trim();
  const end = text.search(/[\r\u2028\u2029]/);
  return end === -1 ? text : text.slice(0, end);
}
