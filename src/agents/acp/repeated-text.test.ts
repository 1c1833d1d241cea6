import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RepeatedText } from './repeated-text.js';

const SENTENCE = 'First I will look at the file.';

describe('text that may come again from the beginning', () => {
  it.each([
    ['goes through as it comes', [SENTENCE, ' Then I edit it.'], `${SENTENCE} Then I edit it.`],
    ['is said once when all of it comes again', [SENTENCE, SENTENCE, ' Done.'], `${SENTENCE} Done.`],
    [
      'is said once when it comes again as one piece with the rest',
      [SENTENCE, `${SENTENCE} Done.`],
      `${SENTENCE} Done.`,
    ],
    [
      'is said once when it comes again in other pieces',
      [SENTENCE, SENTENCE.slice(0, 5), SENTENCE.slice(5, 20), `${SENTENCE.slice(20)} Done.`],
      `${SENTENCE} Done.`,
    ],
    [
      'is said once when it breaks twice',
      [SENTENCE, `${SENTENCE} Do`, SENTENCE, ' Done.'],
      `${SENTENCE} Done.`,
    ],
    ['is said once when the break was at the very end', [SENTENCE, SENTENCE], SENTENCE],
    [
      'is shown whole when it only begins the same',
      [SENTENCE, 'First I', ' was wrong.'],
      `${SENTENCE}First I was wrong.`,
    ],
    ['is shown whole when the same beginning is all there is', [SENTENCE, 'First I'], `${SENTENCE}First I`],
    [
      'is said once when the break follows a piece that looked like the beginning',
      [SENTENCE, ' ', 'F', 'First', `${SENTENCE.slice(5)} FDone.`],
      `${SENTENCE} FDone.`,
    ],
    [
      'is said once when it breaks again during the repetition',
      [SENTENCE, 'First I will', SENTENCE, ' Done.'],
      `${SENTENCE} Done.`,
    ],
    ['may repeat itself while it is short', ['ha', 'ha', 'ha', '!'], 'hahaha!'],
  ])('%s', (_name, pieces, expected) => {
    expect(filter(pieces)).toBe(expected);
  });

  it('starts afresh after a flush', () => {
    const text = new RepeatedText();
    expect(text.push(SENTENCE)).toBe(SENTENCE);
    expect(text.flush()).toBe('');
    expect(text.push(SENTENCE)).toBe(SENTENCE);
  });

  it('says a text once wherever it breaks and however it is cut', () => {
    const length = { minLength: 24, maxLength: 200 };
    // Few different characters, so that pieces in the middle often look like the beginning.
    const monotonous = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\u{1d158}\u{1d165}'), ...length });
    const texts = fc.oneof(fc.string({ unit: 'grapheme', ...length }), monotonous);
    fc.assert(
      fc.property(texts, fc.nat(), fc.array(fc.nat(), { maxLength: 12 }), (text, at, cuts) => {
        const breakAt = 12 + (at % (text.length - 12));
        const begun = text.slice(0, breakAt);
        fc.pre(isSaidOnlyAt(breakAt, `${begun}${text}`, text.slice(0, 12)));
        const pieces = [...cut(begun, cuts), ...cut(text, cuts)];
        // A piece that looks like the beginning is held back, but nothing is lost.
        expect(filter(pieces)).toBe(text);
      }),
    );
  });

  it('loses nothing of a text that never breaks and never repeats its beginning', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 30 }), (pieces) => {
        const whole = pieces.join('');
        fc.pre(!whole.slice(1).includes(whole.slice(0, 12)) || whole.length < 12);
        expect(filter(pieces)).toBe(whole);
      }),
    );
  });
});

/**
 * Whether the beginning appears only there. If it appeared elsewhere, even across the break, that could just as well be
 * where the repetition starts; no rule can tell.
 */
function isSaidOnlyAt(place: number, stream: string, beginning: string): boolean {
  return stream.indexOf(beginning, 1) === place && stream.indexOf(beginning, place + 1) === -1;
}

function filter(pieces: readonly string[]): string {
  const text = new RepeatedText();
  return [...pieces.map((piece) => text.push(piece)), text.flush()].join('');
}

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((at) => at % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, [...places, text.length][index]));
}
