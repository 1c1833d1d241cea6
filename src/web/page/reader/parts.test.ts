import { describe, expect, it } from 'vitest';
import type { ReaderItem, ReaderPage } from '../../contract/sessions.js';
import { growing } from './parts.js';

const turn = (number: number, characters: number): ReaderItem => ({
  kind: 'turn',
  number,
  role: 'user',
  text: 'x'.repeat(characters),
  characters,
  at: null,
  tokens: 0,
  offset: number * 1_000,
  length: 999,
  line: number,
});

const pageOf = (items: readonly ReaderItem[]): ReaderPage => ({
  id: 'a',
  file: '1',
  size: 500_000,
  turns: 400,
  items,
  start: items[0]?.offset ?? 0,
  end: (items.at(-1)?.offset ?? 0) + 1_000,
  isStart: true,
  isEnd: true,
  isLive: false,
});

const counts = (parts: readonly ReaderPage[]) => parts.map(({ items }) => items.length);

describe('a page in parts', () => {
  it('begins with what fills a screen, and each part doubles it', () => {
    const long = pageOf(Array.from({ length: 40 }, (_, index) => turn(index + 1, 5_000)));
    expect(counts(growing(long, 'front'))).toEqual([1, 2, 4, 8, 16, 32, 40]);
    const short = pageOf(Array.from({ length: 40 }, (_, index) => turn(index + 1, 20)));
    expect(counts(growing(short, 'front'))).toEqual([10, 20, 40]);
  });

  it('is one part if it is short or empty', () => {
    const page = pageOf([turn(1, 20), turn(2, 20)]);
    expect(growing(page, 'front')).toEqual([page]);
    expect(growing(pageOf([]), 'back')).toHaveLength(1);
  });

  it('has an edge from which the rest can be read, at either side', () => {
    const page = pageOf([turn(1, 5_000), turn(2, 5_000), turn(3, 5_000)]);
    const [front] = growing(page, 'front');
    expect(front).toMatchObject({ start: 1_000, end: 2_000, isStart: true, isEnd: false });
    const [back] = growing(page, 'back');
    expect(back).toMatchObject({ start: 3_000, end: 4_000, isStart: false, isEnd: true });
    expect([front, back].map((part) => part?.items.map(({ offset }) => offset))).toEqual([[1_000], [3_000]]);
    expect(growing(page, 'back').at(-1)).toBe(page);
  });

  it('keeps items of one place together', () => {
    const tools: ReaderItem = { kind: 'tools', offset: 2_000, lines: [], isOpen: false };
    const page = pageOf([turn(1, 5_000), tools, turn(2, 5_000), turn(3, 5_000)]);
    expect(counts(growing(page, 'front'))).toEqual([1, 3, 4]);
    expect(counts(growing(page, 'back'))).toEqual([1, 3, 4]);
  });

  it('begins with the first paragraphs of a very long turn, and nothing of it is left out', () => {
    const text = 'A paragraph that is written again.\n\n'.repeat(400);
    const long: ReaderItem = { ...turn(2, 0), text, characters: text.length } as ReaderItem;
    const page = pageOf([turn(1, 20), long, turn(3, 20)]);
    const [opening, first] = growing(page, 'front');
    const cut = opening?.items[1];
    expect(cut?.kind === 'turn' ? cut.text.length : 0).toBeLessThan(3_100);
    expect(cut?.kind === 'turn' && text.startsWith(cut.text) ? cut.characters : 0).toBeGreaterThan(2_999);
    expect({ ...opening, items: [] }).toEqual({ ...first, items: [] });
    expect(first?.items).toEqual([turn(1, 20), long]);
    expect(growing(page, 'back').map(({ items }) => items.includes(long))).not.toContain(false);
  });

  it('does not cut a single paragraph, or a turn in which something reaches far', () => {
    const code = ['```', ...Array.from({ length: 900 }, () => 'a line\n'), '```'].join('\n');
    for (const text of ['x'.repeat(9_000), code, `${'a\n\n'.repeat(3_000)}[b]: http://c.d`]) {
      const page = pageOf([{ ...turn(1, 0), text, characters: text.length } as ReaderItem]);
      expect(growing(page, 'front')).toEqual([page]);
    }
  });
});
