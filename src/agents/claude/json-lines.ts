import { visibleExcerpt } from '../../foundation/index.js';
import { isKnownType } from './schema.js';

/** A line as an object with a type, or a description of what is wrong with it. */
export type JsonLine =
  | { readonly type: string; readonly value: object }
  | { readonly type: undefined; readonly damage: string };

type ParsedLine = Extract<JsonLine, { type: string }>;

/** How many characters are scanned in total in search of whole objects in one line. */
const MAX_SCANNED = 16 * 1024 * 1024;
/** How many objects are taken out to see whether the rest then makes sense. */
const MAX_CUTS = 64;
/** How many whole lines may follow an interrupted one before its rest is given up. */
const MAX_LINES_BETWEEN = 8;

/**
 * Reads lines of JSON from a program in which several parts write at once, so that a whole object can end up in the
 * middle of another line, with or without a line end after it. Recovers both if possible.
 */
export class JsonLines {
  /** The beginning of a line that another one interrupted. */
  #begun: { text: string; linesSince: number } | undefined;

  read(line: string): JsonLine[] {
    const whole = parse(line);
    if (whole !== undefined) return this.#begun === undefined ? [whole] : [...this.#countBetween(), whole];
    if (line.trim() === '') return [];
    const joined = this.#join(line);
    if (joined !== undefined) return [joined];
    const lost = this.end();
    const recovered = takeApart(line, { cuts: MAX_CUTS });
    if (recovered !== undefined) return [...lost, ...recovered];
    const interrupting = this.#holdInterrupted(line);
    return [...lost, interrupting ?? damaged(line)];
  }

  /** Reports what is left once no more input comes. */
  end(): JsonLine[] {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun === undefined ? [] : [damaged(begun.text)];
  }

  #countBetween(): JsonLine[] {
    if (this.#begun === undefined) return [];
    this.#begun.linesSince += 1;
    return this.#begun.linesSince > MAX_LINES_BETWEEN ? this.end() : [];
  }

  #join(line: string): ParsedLine | undefined {
    const joined = this.#begun === undefined ? undefined : parse(this.#begun.text + line);
    if (joined !== undefined) this.#begun = undefined;
    return joined;
  }

  /** The object at the end of the line, if it can be a line of its own; the text before it is kept until its rest arrives. */
  #holdInterrupted(line: string): ParsedLine | undefined {
    if (!line.startsWith('{')) return undefined;
    for (const { start, end, inner } of objectsIn(line)) {
      if (end !== line.length || !isKnownType(inner.type)) continue;
      this.#begun = { text: line.slice(0, start), linesSince: 0 };
      return inner;
    }
    return undefined;
  }
}

function parse(text: string): ParsedLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('type' in value)) return undefined;
    return typeof value.type === 'string' ? { type: value.type, value } : undefined;
  } catch {
    return undefined; // the caller looks for what can be saved, or reports the line
  }
}

/** Takes out objects that do not belong where they are, until the rest is an object too. */
function takeApart(line: string, budget: { cuts: number }): ParsedLine[] | undefined {
  for (const { start, end, inner } of likelyFirst(objectsIn(line))) {
    if (budget.cuts-- <= 0) return undefined;
    const rest = line.slice(0, start) + line.slice(end);
    const outer = parse(rest);
    if (outer !== undefined) return [outer, inner];
    const deeper = isKnownType(inner.type) ? takeApart(rest, budget) : undefined;
    if (deeper !== undefined) return [...deeper, inner];
  }
  return undefined;
}

interface FoundObject {
  readonly start: number;
  readonly end: number;
  readonly inner: ParsedLine;
}

/** Objects that can be lines of their own come before those that are probably parts of one. */
function likelyFirst(objects: readonly FoundObject[]): FoundObject[] {
  const isLikely = ({ inner }: FoundObject) => isKnownType(inner.type);
  return [...objects.filter(isLikely), ...objects.filter((object) => !isLikely(object))];
}

/** Every object with a type inside the line, in the order in which they begin. */
function objectsIn(line: string): FoundObject[] {
  const found: FoundObject[] = [];
  let scanned = 0;
  for (let start = line.indexOf('{"', 1); start !== -1; start = line.indexOf('{"', start + 1)) {
    const end = endOfObject(line, start);
    scanned += (end === -1 ? line.length : end) - start;
    if (scanned > MAX_SCANNED) break;
    const inner = end === -1 ? undefined : parse(line.slice(start, end));
    if (inner !== undefined) found.push({ start, end, inner });
  }
  return found;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The offset just after the brace that closes the object, or -1. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === OPEN) depth += 1;
    else if (code === CLOSE && --depth === 0) return at + 1;
  }
  return -1;
}

function damaged(line: string): JsonLine {
  const damage = `A line of ${line.length} characters is not a message: ${visibleExcerpt(line, 160)}`;
  return { type: undefined, damage };
}
