import { expect } from 'vitest';
import attack from '../fixtures/attack-strings.json' with { type: 'json' };
import type { SeededRandom } from './seeded-random.js';

/** Text an agent might send to manipulate a terminal. */
export const ATTACKS: readonly string[] = attack.cases.map((one) => one.text);

const PIECES = [
  '\u001b[2J',
  '\u001b]0;x\u0007',
  '\u001b',
  '\u009b',
  '\u009d',
  '\u0000',
  '\u0007',
  '\b',
  '\r',
  '\n',
  '\r\n',
  '\t',
  '\u000b',
  '\f',
  '\u007f',
  '\u0085',
  '\u202e',
  '\u202d',
  '\u2066',
  '\u2069',
  '\u200e',
  '\u200f',
  '\u061c',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u00ad',
  '\u{e0041}',
  '\ufff9',
  '\ud800',
  '\udc00',
  '\u0301\u0301\u0301\u0301\u0301\u0301',
  '\ufe0f',
  '\u3164',
  '\u2800',
  '→ Yes',
  '1. Go?',
  "'",
  '"',
  '\\',
  '\\n',
  '`',
  '$(id)',
  '│',
  '[Session: x]',
  'Error (NONE):',
  'holdfast:',
  '<',
  '&',
  '{',
  '}',
  '漢',
  '👩‍💻',
  'a',
  'b',
  ' ',
  '..',
  '/',
];

/** A text made of harmful parts and of parts that look like ours. */
export function hostileText(random: SeededRandom): string {
  let text = '';
  const length = 1 + random.below(8);
  for (let count = 0; count < length; count++) {
    text += random.chance(0.15) ? String.fromCodePoint(random.below(0x11_0000)) : random.pick(PIECES);
  }
  return text;
}

/** What must never reach a terminal raw; a joiner or a style within an emoji may. */
const FORBIDDEN =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\ufff9-\ufffb\u2800]/u;
const WITHIN_EMOJI =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}0-9#*]\ufe0f?(\u200d[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)*/gu;

/** No control byte, nothing hidden, nothing that reorders text; line breaks are ours. */
export function assertVisible(text: string, what: string): void {
  const rest = text.replaceAll('\n', '').replaceAll(WITHIN_EMOJI, '');
  const found = FORBIDDEN.exec(rest);
  expect(
    found === null
      ? null
      : `${what}: U+${found[0].codePointAt(0)?.toString(16)} in ${JSON.stringify(text.slice(0, 400))}`,
  ).toBeNull();
}

/** Every line is one we would write ourselves. */
export function assertLines(text: string, allowed: readonly RegExp[], what: string): void {
  for (const line of text.replace(/\n$/, '').split('\n')) {
    if (!allowed.some((pattern) => pattern.test(line)))
      throw new Error(`${what}: a line that is not ours: ${JSON.stringify(line)}`);
  }
}
