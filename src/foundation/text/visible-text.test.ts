import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { escapeCharacter, visibleBlock, visibleExcerpt, visibleLine } from './visible-text.js';

interface AttackCase {
  readonly name: string;
  readonly text: string;
}

const attacks = (
  JSON.parse(
    readFileSync(new URL('../../../test/fixtures/attack-strings.json', import.meta.url), 'utf8'),
  ) as {
    cases: AttackCase[];
  }
).cases;

const EMOJI_BASE = '(?:\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|[0-9#*])';
/** The only places where invisible characters are part of one picture. */
const LEGAL_EMOJI = new RegExp(
  `${EMOJI_BASE}\\uFE0F?(?:\\u200D(?:\\p{Extended_Pictographic}|\\p{Emoji_Modifier})\\uFE0F?)*`,
  'gu',
);
/** What no view may let through; written out again here on purpose, not imported. */
const FORBIDDEN = new RegExp(
  [
    '[\\0-\\x09\\x0b-\\x1f\\x7f-\\x9f]',
    '[\\u{115f}\\u{1160}\\u{200b}-\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}\\u{2800}\\u{3164}]',
    '[\\u{fe00}-\\u{fe0f}\\u{feff}\\u{ffa0}\\u{e0000}-\\u{e0fff}\\u{d800}-\\u{dfff}]',
    '\\p{Cf}|\\p{Default_Ignorable_Code_Point}|\\p{Noncharacter_Code_Point}|\\p{Zl}|\\p{Zp}',
  ].join('|'),
  'u',
);

/** Hidden characters left in a shown text; undefined if there are none. */
function leakIn(shown: string): string | undefined {
  // A picture is checked as a whole, everything else character by character. Plain digits count as pictures of their own.
  const rest = shown.replaceAll(LEGAL_EMOJI, 'E');
  const leak = FORBIDDEN.exec(rest)?.[0];
  return leak === undefined ? undefined : escapeCharacter(leak);
}

/** Every view of a text that leaks, with what is wrong with it. */
function leaksOf(text: string): string[] {
  const leaks: string[] = [];
  const check = (view: string, shown: string, isOneLine: boolean) => {
    const leak = leakIn(shown) ?? (isOneLine && /[\n\r]/.test(shown) ? 'a line break' : undefined);
    if (leak !== undefined) leaks.push(`${view} lets through ${leak}`);
  };
  check('line', visibleLine(text), true);
  check('block', visibleBlock(text), false);
  for (const maxLength of [1, 2, 3, 5, 8, 13, 40]) {
    const excerpt = visibleExcerpt(text, maxLength);
    check(`excerpt of ${maxLength}`, excerpt, true);
    if (Array.from(excerpt).length > maxLength) leaks.push(`excerpt of ${maxLength} is too long`);
  }
  return leaks;
}

describe('foreign text', () => {
  it.each(attacks.map((attack) => [attack.name, attack.text] as const))(
    'attack %s is disarmed',
    (_name, text) => {
      expect(leaksOf(text)).toEqual([]);
      expect(leaksOf(`before ${text} after`)).toEqual([]);
    },
  );

  it('is disarmed whatever its bytes are (100,000 seeded random strings)', () => {
    const random = new SeededRandom(77);
    const wrong: unknown[] = [];
    for (let round = 0; round < 50_000; round++) {
      const bytes = random.bytes(1 + random.below(24));
      for (const encoding of ['utf8', 'latin1'] as const) {
        const leaks = leaksOf(bytes.toString(encoding));
        if (leaks.length > 0) wrong.push({ bytes: bytes.toString('hex'), encoding, leaks });
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('is disarmed whatever its code points are, nasty ones next to each other', () => {
    const random = new SeededRandom(78);
    const nasty = [
      0x200d, 0xfe0f, 0x1f468, 0x1f3fd, 0x23, 0x20e3, 0x301, 0x202e, 0xd83d, 0xe0067, 0x0a, 0x0d, 0x61,
    ];
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + random.below(12) }, () => pointAt(random, nasty)).join('');
      expect(leaksOf(text), JSON.stringify(text)).toEqual([]);
    }
  });

  it('is disarmed in every single code point', () => {
    const wrong: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (leakIn(visibleLine(character)) !== undefined) wrong.push(codePoint.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe('visibleLine', () => {
  it.each([
    ['plain text', 'Hello, world! ~', 'Hello, world! ~'],
    ['nothing', '', ''],
    ['line breaks and tabs', 'a\nb\rc\td', 'a\\nb\\rc\\td'],
    ['escape sequences', '\x1b[2J\x07', '^[[2J^G'],
    ['NUL and DEL', '\0\x7f', '^@^?'],
    ['C1 controls', '\x9b2J', '\\u{9b}2J'],
    ['bidi overrides', 'a\u202eb', 'a\\u{202e}b'],
    ['line separators', 'a\u2028b\u2029c\x0b\x0c\x85', 'a\\u{2028}b\\u{2029}c^K^L\\u{85}'],
    ['a lone surrogate', 'a\ud83d', 'a\\u{d83d}'],
    ['a byte order mark', '\ufeffa', '\\u{feff}a'],
    ['letters of other scripts', 'Grüße, 世界, שלום, नमस्ते', 'Grüße, 世界, שלום, नमस्ते'],
    ['emoji', '👍🏽 ❤️ 👩‍💻 #️⃣', '👍🏽 ❤️ 👩‍💻 #️⃣'],
    ['a joiner between letters', 'pay\u200dpal', 'pay\\u{200d}pal'],
    ['an emoji style between letters', 'pay\ufe0fpal', 'pay\\u{fe0f}pal'],
    ['a joiner at the end', '👩\u200d', '👩\\u{200d}'],
    ['two joiners', '👩\u200d\u200d💻', '👩\\u{200d}\\u{200d}💻'],
    ['two emoji styles', '❤\ufe0f\ufe0f', '❤\ufe0f\\u{fe0f}'],
    ['a mark with nothing to stand on', '\u0301a', '\\u{301}a'],
    ['marks up to four', 'a\u0301\u0302\u0303\u0304', 'a\u0301\u0302\u0303\u0304'],
    ['marks beyond four', 'a\u0301\u0302\u0303\u0304\u0305', 'a\u0301\u0302\u0303\u0304\\u{305}'],
    ['tag characters', 'ok\u{e0041}', 'ok\\u{e0041}'],
    ['blank look-alikes', '\u2800\u3164\uffa0', '\\u{2800}\\u{3164}\\u{ffa0}'],
  ])('%s', (_what, text, shown) => {
    expect(visibleLine(text)).toBe(shown);
  });
});

describe('visibleBlock', () => {
  it.each([
    ['keeps line breaks', 'a\nb\n', 'a\nb\n'],
    ['turns CRLF into LF', 'a\r\nb', 'a\nb'],
    ['shows a lone CR', 'safe\rdanger', 'safe^Mdanger'],
    ['shows a CR before CRLF', 'a\r\r\nb', 'a^M\nb'],
    ['turns tabs into four spaces', 'a\tb', 'a    b'],
    ['shows a mark at the start of a line', 'a\n\u0301b', 'a\n\\u{301}b'],
    ['shows escapes', 'a\x1b[1A\nb', 'a^[[1A\nb'],
  ])('%s', (_what, text, shown) => {
    expect(visibleBlock(text)).toBe(shown);
  });
});

describe('visibleExcerpt', () => {
  it.each([
    ['a text that fits', 'four', 4, 'four'],
    ['a text that does not', 'five!', 4, 'fiv…'],
    ['nothing', '', 4, ''],
    ['one character', 'ab', 1, '…'],
    ['escapes count as they are shown', '\x1b\x1b\x1b', 4, '^[^…'],
    ['a long text', 'x'.repeat(1_000_000), 5, 'xxxx…'],
    ['a surrogate pair at the cut', `${'x'.repeat(3)}😀😀😀😀😀😀😀😀`, 5, 'xxx😀…'],
    ['a picture at the cut', 'a👩\u200d💻b', 4, 'a👩…'],
    ['a line break', 'a\nb', 10, 'a\\nb'],
  ])('%s', (_what, text, maxLength, shown) => {
    expect(visibleExcerpt(text, maxLength)).toBe(shown);
  });
});

/** A nasty code point half of the time, otherwise any at all. */
function pointAt(random: SeededRandom, nasty: readonly number[]): string {
  return String.fromCodePoint(random.chance(0.5) ? random.pick(nasty) : random.below(0x110000));
}
