import { once } from './once.js';

/**
 * The one encoder between foreign text and a terminal, a log or a file name. It lets through what prints in place and
 * makes everything else visible: C0 controls in caret notation (`^[`), the rest as `\u{202e}`. Its output cannot move
 * the cursor, change terminal state, hide or reorder characters, or (in one line) start another.
 */

/** Foreign text as one line: line breaks and tabs become `\n`, `\r`, `\t`. */
export function visibleLine(text: string): string {
  return PLAIN_ASCII.test(text) ? text : encode(text, lineBreakInLine);
}

/**
 * A label, a title or another name as one line, with each run of blanks reduced to one: nobody needs more, and padding
 * moves what follows.
 */
export function visibleLabel(text: string): string {
  return visibleLine(oneBlank(text));
}

/** Foreign text as a block: LF stays a line break, CRLF becomes LF, tabs become four spaces. */
export function visibleBlock(text: string): string {
  return PLAIN_ASCII.test(text) ? text : encode(text.replaceAll('\r\n', '\n'), lineBreakInBlock);
}

/** One line of at most `maxLength` characters, with each run of blanks reduced to one; it ends in `…` if something was cut. */
export function visibleExcerpt(given: string, maxLength: number): string {
  const text = oneBlank(given);
  if (text.length <= maxLength && PLAIN_ASCII.test(text)) return text;
  const head = text.slice(0, maxLength * 4);
  const characters = Array.from(visibleLine(head));
  if (head.length === text.length && characters.length <= maxLength) return characters.join('');
  const kept = characters.slice(0, Math.max(0, maxLength - 1));
  // Cutting a joined emoji in half would leave its joiner at the end.
  if (kept.at(-1) === JOINER) kept.pop();
  return `${kept.join('')}…`;
}

/** A value as one line of equivalent JSON, with everything that must not reach a terminal written as an escape. */
export function visibleJson(value: unknown): string {
  const json = JSON.stringify(value);
  return PLAIN_ASCII.test(json) ? json : json.replaceAll(new RegExp(unsafe(), 'gu'), jsonEscape);
}

function jsonEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function oneBlank(text: string): string {
  // The Unicode test for blanks takes a millisecond the first time; ASCII has only one kind.
  if (PLAIN_ASCII.test(text)) return text.includes('  ') ? text.replaceAll(/ {2,}/g, ' ') : text;
  return text.replaceAll(/\p{Zs}{2,}/gu, ' ');
}

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** Never shown raw: controls, formats, surrogates, separators, ignorables and non-characters. */
const unsafe = once(
  () =>
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\u3164\uffa0]/u,
);
const mark = once(() => /\p{M}/u);
const pictograph = once(() => /[\p{Extended_Pictographic}\p{Emoji_Modifier}]/u);
const KEYCAP_BASE = /[0-9#*]/;
const JOINER = '\u{200d}';
const EMOJI_STYLE = '\u{fe0f}';
/** More marks on one letter than any script needs would climb over the lines above and below. */
const MAX_MARKS = 4;

type EncodeBreak = (character: string) => string | undefined;

const lineBreakInLine: EncodeBreak = (character) => {
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  return character === '\t' ? '\\t' : undefined;
};

const lineBreakInBlock: EncodeBreak = (character) => {
  if (character === '\n') return '\n';
  return character === '\t' ? '    ' : undefined;
};

function encode(text: string, encodeBreak: EncodeBreak): string {
  const characters = Array.from(text);
  let marks = 0;
  let hasBase = false;
  let shown = '';
  for (const [index, character] of characters.entries()) {
    const lineBreak = encodeBreak(character);
    if (lineBreak !== undefined) {
      shown += lineBreak;
      hasBase = lineBreak !== '\n';
      marks = 0;
    } else if (isPartOfEmoji(characters, index)) {
      shown += character;
    } else if (unsafe().test(character)) {
      shown += escapeCharacter(character);
      hasBase = true;
      marks = 0;
    } else if (mark().test(character)) {
      marks += 1;
      shown += hasBase && marks <= MAX_MARKS ? character : escapeCharacter(character);
    } else {
      shown += character;
      hasBase = true;
      marks = 0;
    }
  }
  return shown;
}

/** A joiner between two pictographs, or an emoji style right after one: the only format characters that may stay. */
function isPartOfEmoji(characters: readonly string[], index: number): boolean {
  const character = characters[index];
  const before = characters[index - 1] ?? '';
  if (character === EMOJI_STYLE) return pictograph().test(before) || KEYCAP_BASE.test(before);
  if (character !== JOINER) return false;
  const base = before === EMOJI_STYLE ? (characters[index - 2] ?? '') : before;
  return pictograph().test(base) && pictograph().test(characters[index + 1] ?? '');
}

/** One character in caret notation or as `\u{…}`. */
export function escapeCharacter(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint < 0x20) return `^${String.fromCharCode(codePoint + 0x40)}`;
  if (codePoint === 0x7f) return '^?';
  return `\\u{${codePoint.toString(16)}}`;
}
