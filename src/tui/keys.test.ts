import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countWork } from '../../test/support/work.js';
import { type Key, KeyDecoder, type NamedKey } from './keys.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The keys decoded from chunks that arrive together, and from the silence after them. */
function decode(...chunks: (Buffer | string)[]): Key[] {
  const keys: Key[] = [];
  const decoder = new KeyDecoder((key) => keys.push(key));
  for (const chunk of chunks) decoder.push(chunk);
  vi.advanceTimersByTime(1_000);
  decoder.close();
  return merged(keys);
}

/** Joins text that arrived in pieces. */
function merged(keys: readonly Key[]): Key[] {
  const whole: Key[] = [];
  for (const key of keys) {
    const last = whole.at(-1);
    if (key.name === 'text' && last?.name === 'text' && 'text' in key && 'text' in last)
      whole[whole.length - 1] = { name: 'text', text: last.text + key.text };
    else whole.push(key);
  }
  return whole;
}

const named = (...names: NamedKey[]): Key[] => names.map((name) => ({ name }));
const text = (typed: string): Key => ({ name: 'text', text: typed });
const paste = (pasted: string): Key => ({ name: 'paste', text: pasted });

/** What terminals send, as literals rather than the decoder's own table. */
const KEYS: [string, Key[]][] = [
  ['\x1b[A', named('up')],
  ['\x1b[B', named('down')],
  ['\x1b[C', named('right')],
  ['\x1b[D', named('left')],
  ['\x1bOA', named('up')],
  ['\x1bOB', named('down')],
  ['\x1bOC', named('right')],
  ['\x1bOD', named('left')],
  ['\x1bOM', named('enter')],
  ['\x1b[H', named('home')],
  ['\x1b[F', named('end')],
  ['\x1bOH', named('home')],
  ['\x1bOF', named('end')],
  ['\x1b[1~', named('home')],
  ['\x1b[4~', named('end')],
  ['\x1b[7~', named('home')],
  ['\x1b[8~', named('end')],
  ['\x1b[3~', named('delete')],
  ['\x1b[5~', named('page-up')],
  ['\x1b[6~', named('page-down')],
  ['\x1b[Z', named('shift-tab')],
  ['\x1b[1;5C', named('word-right')],
  ['\x1b[1;5D', named('word-left')],
  ['\x1b[1;3C', named('word-right')],
  ['\x1b[1;3D', named('word-left')],
  ['\x1bb', named('word-left')],
  ['\x1bf', named('word-right')],
  ['\x1b\x7f', named('ctrl-w')],
  ['\x1b[13;2u', named('newline')],
  ['\x1b[27;2;13~', named('newline')],
  ['\x1b\r', named('newline')],
  ['\x1b\n', named('newline')],
  ['\r', named('enter')],
  ['\n', named('newline')],
  ['\t', named('tab')],
  ['\x7f', named('backspace')],
  ['\b', named('backspace')],
  ['\x03', named('ctrl-c')],
  ['\x04', named('ctrl-d')],
  ['\x15', named('ctrl-u')],
  ['\x1b', named('escape')],
  ['\x1b[99;5~', named('unknown')],
  ['\x1b[<0;10;10M', named('unknown')],
  ['\x1b[200~\x1b[201~', [paste('')]],
  ['\x1b[200~one\rtwo\r\nthree\n\x1b[201~', [paste('one\ntwo\nthree\n')]],
  ['\x1b[200~q\x03\x1b\x1b[A\t\0\x1b[201~', [paste('q\x03\x1b\x1b[A\t\0')]],
  ['\x1b[200~a\x1b[200~b\x1b[201~', [paste('a\x1b[200~b')]],
  ['a', [text('a')]],
  ['日本 👩‍👩‍👧‍👦 ä', [text('日本 👩‍👩‍👧‍👦 ä')]],
];

describe('keys', () => {
  it.each(KEYS)('of %j are decoded, whole or split at any byte', (sequence, expected) => {
    const bytes = Buffer.from(sequence);
    expect(decode(bytes)).toEqual(expected);
    for (let at = 1; at < bytes.length; at++) {
      expect(decode(bytes.subarray(0, at), bytes.subarray(at)), `split at ${at}`).toEqual(expected);
    }
    expect(decode(...Array.from(bytes, (byte) => Buffer.from([byte]))), 'byte by byte').toEqual(expected);
  });

  it('come one after the other from one chunk', () => {
    expect(decode('ab\x1b[A\x1b[Bc\r\x1b[200~x\x1b[201~\x03')).toEqual([
      text('ab'),
      ...named('up', 'down'),
      text('c'),
      ...named('enter'),
      paste('x'),
      ...named('ctrl-c'),
    ]);
  });

  it('distinguish Escape from a sequence by the silence after it', () => {
    const keys: Key[] = [];
    const decoder = new KeyDecoder((key) => keys.push(key));
    decoder.push('\x1b');
    vi.advanceTimersByTime(49);
    expect(keys).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(keys).toEqual(named('escape'));
    decoder.push('[A');
    expect(keys).toEqual([...named('escape'), text('[A')]);
  });

  it('report Escape with a letter as both, Escape twice as two', () => {
    expect(decode('\x1bq')).toEqual([...named('escape'), text('q')]);
    expect(decode('\x1b\x1b')).toEqual(named('escape', 'escape'));
  });

  it.each(['\x1b[', '\x1bO', '\x1b[1;', '\x1b[20'])('of the unfinished %j press nothing', (start) => {
    expect(decode(start)).toEqual(named('unknown'));
    expect(decode(start, '\x1b[A')).toEqual(named('unknown', 'up'));
  });

  it('of a paste wait for its end, however long it takes', () => {
    const keys: Key[] = [];
    const decoder = new KeyDecoder((key) => keys.push(key));
    decoder.push('\x1b[200~slow');
    vi.advanceTimersByTime(60_000);
    decoder.push('ly\x1b[20');
    vi.advanceTimersByTime(60_000);
    expect(keys).toEqual([]);
    decoder.push('1~');
    expect(keys).toEqual([paste('slowly')]);
  });

  it('press nothing after the end', () => {
    const keys: Key[] = [];
    const decoder = new KeyDecoder((key) => keys.push(key));
    decoder.push('\x1b');
    decoder.close();
    vi.advanceTimersByTime(1_000);
    expect(keys).toEqual([]);
  });

  it('are the same for any bytes, however they are split, and text holds no control character', () => {
    const bytes = fc
      .array(
        fc.oneof(
          fc.uint8Array({ maxLength: 6 }),
          fc.constantFrom(...KEYS.map(([sequence]) => Buffer.from(sequence))),
        ),
        {
          maxLength: 12,
        },
      )
      .map((parts) => Buffer.concat(parts));
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(40), { maxLength: 6 }), (all, cuts) => {
        const whole = decode(all);
        const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
        const chunks = at.slice(1).map((end, index) => all.subarray(at[index], end));
        expect(decode(...chunks)).toEqual(whole);
        for (const key of whole)
          if (key.name === 'text' && 'text' in key) expect(key.text).not.toMatch(/[\0-\x1f\x7f]/);
      }),
      { numRuns: 500, seed: 11 },
    );
  });

  it('of 1 MB in one paste are one', () => {
    const pasted = 'some text\n'.repeat(100_000);
    const bytes = Buffer.from(`\x1b[200~${pasted}\x1b[201~`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 4_096) }, (_, index) =>
      bytes.subarray(index * 4_096, (index + 1) * 4_096),
    );
    using searched = countWork(String.prototype, 'indexOf', (text, [wanted, from]) =>
      wanted === '\x1b[201~' ? String(text).length - Number(from ?? 0) : 0,
    );
    expect(decode(...chunks)).toEqual([paste(pasted)]);
    expect(searched.total).toBeGreaterThanOrEqual(pasted.length);
    expect(searched.total, 'no part is searched again and again').toBeLessThan(2 * bytes.length);
  });
});
