import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SseEvent, SseParser } from './sse.js';

function parsed(...pieces: string[]): SseEvent[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

describe('the parser of the stream', () => {
  it('reads a name and data, and starts over after an empty line', () => {
    expect(parsed('event: state\ndata: {"a":1}\n\ndata: x\n\n')).toEqual([
      { name: 'state', data: '{"a":1}' },
      { name: 'message', data: 'x' },
    ]);
  });

  it('joins several lines of data, and drops one blank after the colon', () => {
    expect(parsed('data: one\ndata:  two\ndata\n\n')).toEqual([{ name: 'message', data: 'one\n two\n' }]);
  });

  it('ignores comments, ids, retry times and events without data', () => {
    expect(parsed(': hello\nid: 7\nretry: 10\n\nevent: ping\n\n')).toEqual([]);
  });

  it('waits until an event is complete', () => {
    expect(parsed('event: change\ndata: {')).toEqual([]);
    expect(parsed('event: change\ndata: {', '}\n', '\n')).toEqual([{ name: 'change', data: '{}' }]);
  });

  it('reads the same whatever the line breaks are and wherever it is cut', () => {
    const whole = 'event: a\ndata: 1\ndata: 2\n\n: c\n\nevent: b\ndata: ü\n\n';
    const expected = [
      { name: 'a', data: '1\n2' },
      { name: 'b', data: 'ü' },
    ];
    fc.assert(
      fc.property(
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(whole.length + 10), { maxLength: 8 }),
        (lineBreak, cuts) => {
          const text = whole.replaceAll('\n', lineBreak);
          const places = [
            0,
            ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b),
            text.length,
          ];
          const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
          expect(parsed(...pieces)).toEqual(expected);
        },
      ),
    );
  });
});
