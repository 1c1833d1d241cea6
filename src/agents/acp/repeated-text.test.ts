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
    ['may repeat itself while it is short', ['ha', 'ha', 'ha', '!'], 'hahaha!'],
  ])('%s', (_name, pieces, expected) => {
    expect(filter(pieces)).toBe(expected);
  });

  it('begins anew after a flush', () => {
    const text = new RepeatedText();
    expect(text.push(SENTENCE)).toBe(SENTENCE);
    expect(text.flush()).toBe('');
    expect(text.push(SENTENCE)).toBe(SENTENCE);
  });

  it('says a text once wherever it breaks and however it is cut', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 24, maxLength: 200 });
    fc.assert(
      fc.property(texts, fc.nat(), fc.array(fc.nat(), { maxLength: 12 }), (text, at, cuts) => {
        const breakAt = 12 + (at % (text.length - 12));
        const pieces = [...cut(text.slice(0, breakAt), cuts), ...cut(text, cuts)];
        // A text that repeats its own beginning inside cannot be told from a break.
        fc.pre(!text.slice(1).includes(text.slice(0, 12)));
        // A piece that looks like the beginning is held back, but nothing is lost.
        expect(filter(pieces)).toBe(text);
      }),
    );
  });

  it('loses nothing of a text that never breaks and never says its beginning again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 30 }), (pieces) => {
        const whole = pieces.join('');
        fc.pre(!whole.slice(1).includes(whole.slice(0, 12)) || whole.length < 12);
        expect(filter(pieces)).toBe(whole);
      }),
    );
  });
});

function filter(pieces: readonly string[]): string {
  const text = new RepeatedText();
  return [...pieces.map((piece) => text.push(piece)), text.flush()].join('');
}

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((at) => at % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => text.slice(from, [...places, text.length][index]));
}
