import { describe, expect, it } from 'vitest';
import { DrawnFrame } from './drawn-frame.js';

const UP = '\x1b[2K\x1b[1A';

describe('the frame that was drawn last', () => {
  it('is what follows the erasure of the previous one', () => {
    const frame = new DrawnFrame();
    frame.take(`one\ntwo\n`);
    frame.take('\x1b[?2026h');
    frame.take(`${UP.repeat(2)}\x1b[2K\x1b[G\x1b[1mwide wide wide\x1b[22m\nb\nc\n`);
    frame.take('\x1b[?2026l');
    expect(frame.erase()).toBe(`${UP.repeat(3)}\x1b[2K\x1b[G`);
  });

  it('takes more rows in a terminal that became narrower', () => {
    const frame = new DrawnFrame();
    frame.take(`${'x'.repeat(80)}\n${'漢'.repeat(35)}\nshort\n`);
    expect(frame.eraseOverhang(80)).toBe('');
    expect(frame.eraseOverhang(60)).toBe(UP.repeat(2));
    expect(frame.eraseOverhang(30)).toBe(UP.repeat(4));
  });

  it('is nothing after an erasure alone', () => {
    const frame = new DrawnFrame();
    frame.take('one\n');
    frame.take(`${UP}\x1b[2K\x1b[G`);
    expect(frame.erase()).toBe('\x1b[2K\x1b[G');
  });
});
