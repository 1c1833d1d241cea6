import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.js';
import { countSegmented } from '../../test/support/work.js';
import type { Key } from './keys.js';
import { type EditorState, edit, editorText, editorWith, layOutEditor } from './text-editor.js';
import { graphemesOf, widthOf } from './wrap.js';

const FAMILY = '👩‍👩‍👧‍👦';
const press = (...names: Exclude<Key['name'], 'text' | 'paste'>[]): Key[] => names.map((name) => ({ name }));
const type = (text: string): Key => ({ name: 'text', text });
const paste = (text: string): Key => ({ name: 'paste', text });

function typedInto(editor: EditorState, ...keys: Key[]): EditorState {
  return keys.reduce(edit, editor);
}

/** The text with `|` at the cursor. */
function shown({ graphemes, cursor }: EditorState): string {
  return [...graphemes.slice(0, cursor), '|', ...graphemes.slice(cursor)].join('');
}

const attacks = (
  JSON.parse(readFileSync(new URL('../../test/fixtures/attack-strings.json', import.meta.url), 'utf8')) as {
    cases: { text: string }[];
  }
).cases.map(({ text }) => text);

describe('the text editor', () => {
  it.each<[string, string, Key[], string]>([
    ['types at the cursor', 'ac', [...press('left'), type('b')], 'ab|c'],
    ['takes a paste as it is', '', [paste('one\n\ttwo')], 'one\n\ttwo|'],
    ['breaks the line', 'ab', press('left', 'newline'), 'a\n|b'],
    ['deletes backwards', 'abc', press('left', 'backspace'), 'a|c'],
    ['deletes forwards', 'abc', press('home', 'delete'), '|bc'],
    ['deletes a whole family at once', `a${FAMILY}`, press('backspace'), 'a|'],
    ['steps over an accent with its letter', 'e\u0301x', press('left', 'left'), '|e\u0301x'],
    ['stays at the start', 'a', press('left', 'left', 'backspace'), '|a'],
    ['stays at the end', 'a', press('right', 'delete'), 'a|'],
    ['goes to the start of the line', 'one\ntwo', press('home'), 'one\n|two'],
    ['goes to the end of the line', 'one\ntwo', press('up', 'home', 'end'), 'one|\ntwo'],
    ['goes up to the same column', 'one\ntwo', press('left', 'up'), 'on|e\ntwo'],
    ['goes up into a shorter line', 'o\nthree', press('up'), 'o|\nthree'],
    ['goes up from the first line to its start', 'one', press('up'), '|one'],
    ['goes down to the same column', 'one\ntwo', press('up', 'left', 'down'), 'one\ntw|o'],
    ['goes down from the last line to its end', 'one', press('home', 'down'), 'one|'],
    ['jumps back over a word', 'one two  ', press('word-left'), 'one |two  '],
    ['jumps over the next word', 'one two', press('home', 'word-right'), 'one| two'],
    ['deletes the word before', 'one two ', press('ctrl-w'), 'one |'],
    ['deletes to the start of the line', 'one\ntwo', press('left', 'ctrl-u'), 'one\n|o'],
    ['deletes to the end of the line', 'one\ntwo', press('up', 'home', 'ctrl-k'), '|\ntwo'],
    ['knows the keys of a shell', 'ab', press('ctrl-a'), '|ab'],
    ['knows the keys of a shell', 'ab', press('ctrl-a', 'ctrl-e'), 'ab|'],
    ['joins an accent with the letter before it', 'e', [type('\u0301')], 'e\u0301|'],
    ['puts the cursor behind what became one', '🇪', [...press('home'), type('🇩')], '🇩🇪|'],
    ['makes flags of what remains', '🇩🇪🇫🇷', press('home', 'right', 'backspace'), '|🇫🇷'],
  ])('%s', (_name, text, keys, expected) => {
    expect(shown(typedInto(editorWith(text), ...keys))).toBe(expected);
  });

  it('returns the same state for a key that means nothing to it', () => {
    const editor = editorWith('text');
    for (const key of press('escape', 'tab', 'enter', 'page-up', 'ctrl-x', 'unknown')) {
      expect(edit(editor, key)).toBe(editor);
    }
  });

  it('takes 200 kB at once, and then looks only at the text beside the cursor', () => {
    const text = '日本語 text\n日'.repeat(20_000);
    const editor = typedInto(editorWith(''), paste(text));
    using segmented = countSegmented();
    const next = typedInto(editor, type('a'), ...press('left', 'backspace'), type('b'));
    expect(editorText(next)).toBe(`${text.slice(0, -1)}ba`);
    expect(segmented.total).toBeLessThan(100);
  });
});

describe('the text editor against a simple model', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      'word',
      '\n',
      '日本',
      '👍',
      '👍🏽',
      FAMILY,
      '🇩🇪',
      '🇩',
      'e\u0301',
      '\u0301',
      '\u200d',
      '한',
      'ᄒ',
      'ᅡ',
    ),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
    fc.constantFrom(...attacks.filter((text) => text.length < 100)),
  );
  const key: fc.Arbitrary<Key> = fc.oneof(
    { weight: 3, arbitrary: piece.map(type) },
    { weight: 1, arbitrary: piece.map(paste) },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        ...press('newline', 'backspace', 'delete', 'left', 'right', 'home', 'end', 'up', 'down'),
        ...press('word-left', 'word-right', 'ctrl-w', 'ctrl-u', 'ctrl-k', 'escape', 'unknown'),
      ),
    },
  );

  /** The text before and after the cursor, with the few keys that change it. */
  function model([before, behind]: [string, string], pressed: Key): [string, string] {
    const [head, tail] = [graphemesOf(before), graphemesOf(behind)];
    const lines = before.split('\n');
    switch (pressed.name) {
      case 'text':
      case 'paste':
        return 'text' in pressed ? [before + pressed.text, behind] : [before, behind];
      case 'newline':
        return [`${before}\n`, behind];
      case 'backspace':
        return [head.slice(0, -1).join(''), behind];
      case 'delete':
        return [before, tail.slice(1).join('')];
      case 'ctrl-w':
        return [before.replace(/\S*\s*$/, ''), behind];
      case 'ctrl-u':
        return [[...lines.slice(0, -1), ''].join('\n'), behind];
      case 'ctrl-k':
        return [before, behind.replace(/^[^\n]*/, '')];
      default:
        return [before, behind];
    }
  }

  it('keeps exactly the text that the keys say, in whole graphemes, with the cursor among them', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40, size: 'max' }), (keys) => {
        let editor = editorWith('');
        for (const pressed of keys) {
          const { graphemes, cursor } = editor;
          const [before, behind] = [graphemes.slice(0, cursor), graphemes.slice(cursor)].map((part) =>
            part.join(''),
          );
          const next = edit(editor, pressed);
          // The model does not decide what a word is when a separator is part of a cluster.
          const isOdd =
            pressed.name === 'ctrl-w' && graphemes.some((one) => one.length > 1 && /\s/.test(one));
          if (!isOdd) expect(editorText(next)).toBe(model([before ?? '', behind ?? ''], pressed).join(''));
          expect(next.graphemes).toEqual(graphemesOf(editorText(next)));
          expect(next.cursor).toBeGreaterThanOrEqual(0);
          expect(next.cursor).toBeLessThanOrEqual(next.graphemes.length);
          editor = next;
        }
      }),
      { numRuns: 400, seed: 3 },
    );
  });

  it('lays out rows that fit, show no control byte, and have the cursor exactly once', () => {
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 30, size: 'max' }),
        fc.integer({ min: 10, max: 30 }),
        (keys, width) => {
          const rows = layOutEditor(typedInto(editorWith(''), ...keys), width);
          for (const { text, cursorAt } of rows) {
            const cell = cursorAt === text.length ? 1 : 0;
            expect(widthOf(text) + cell).toBeLessThanOrEqual(width);
            expect(text).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
          }
          expect(rows.filter((row) => row.cursorAt !== null)).toHaveLength(1);
        },
      ),
      { numRuns: 400, seed: 4 },
    );
  });
});

describe('the rows of the editor', () => {
  it('show the text broken at the width, with the cursor', () => {
    const editor = typedInto(editorWith('abcdef\nxy'), ...press('up', 'home'));
    expect(layOutEditor(editor, 4)).toEqual([
      { text: 'abcd', cursorAt: 0 },
      { text: 'ef', cursorAt: null },
      { text: 'xy', cursorAt: null },
    ]);
  });

  it('give the cursor a separate row after a full one', () => {
    expect(layOutEditor(editorWith('abcd'), 4)).toEqual([
      { text: 'abcd', cursorAt: null },
      { text: '', cursorAt: 0 },
    ]);
    expect(layOutEditor(typedInto(editorWith('abcd\nx'), ...press('up', 'end')), 4)).toEqual([
      { text: 'abcd', cursorAt: null },
      { text: '', cursorAt: 0 },
      { text: 'x', cursorAt: null },
    ]);
  });

  it('break before a wide character that does not fit', () => {
    expect(layOutEditor(editorWith('abc日'), 4).map(({ text }) => text)).toEqual(['abc', '日']);
  });

  it('break a letter under a heap of marks', () => {
    const rows = layOutEditor(editorWith(`a${'\u0301'.repeat(100)}`), 20);
    expect(Math.max(...rows.map(({ text }) => widthOf(text)))).toBeLessThanOrEqual(20);
  });
});
