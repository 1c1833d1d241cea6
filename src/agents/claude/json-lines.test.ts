import { describe, expect, it } from 'vitest';
import { countWork } from '../../../test/support/work.js';
import { JsonLines } from './json-lines.js';

const countParsed = () => countWork(JSON, 'parse', (_self, [text]) => String(text).length);

function readAll(...lines: string[]): unknown[] {
  const reader = new JsonLines();
  return [...lines.flatMap((line) => reader.read(line)), ...reader.end()].map((line) =>
    line.type === undefined ? line.damage : line.value,
  );
}

const OUTER = { message: { content: [{ type: 'text', text: 'Hello "you" {\\} there' }] }, type: 'assistant' };
const INNER = { subtype: 'status', type: 'system', status: 'requesting' };
const outer = JSON.stringify(OUTER);
const inner = JSON.stringify(INNER);

describe('JsonLines', () => {
  it('reads whole lines and skips blank ones', () => {
    expect(readAll(outer, '', '  ', inner)).toEqual([OUTER, INNER]);
  });

  it('recovers both when an object is written into a line, wherever', () => {
    for (let at = 0; at <= outer.length; at++) {
      const values = readAll(outer.slice(0, at) + inner + outer.slice(at));
      expect(values, `at ${at}`).toHaveLength(2);
      expect(values, `at ${at}`).toEqual(expect.arrayContaining([OUTER, INNER]));
    }
  });

  it('recovers both when a whole line, with its end, is written into a line, wherever', () => {
    for (let at = 1; at < outer.length; at++) {
      expect(readAll(outer.slice(0, at) + inner, outer.slice(at)), `at ${at}`).toEqual([INNER, OUTER]);
    }
  });

  it('recovers three objects that share a line', () => {
    const values = readAll(outer.slice(0, 20) + inner + outer.slice(20, 40) + inner + outer.slice(40));
    expect(values).toEqual([OUTER, INNER, INNER]);
  });

  it('waits for the rest of an interrupted line while whole lines come', () => {
    expect(readAll(outer.slice(0, 30) + inner, inner, inner, outer.slice(30))).toEqual([
      INNER,
      INNER,
      INNER,
      OUTER,
    ]);
  });

  it('gives up on an interrupted line whose rest does not come', () => {
    const values = readAll(outer.slice(0, 30) + inner, ...Array.from({ length: 12 }, () => inner));
    const damage = expect.stringContaining('A line of 30 characters is not a message');
    expect(values).toHaveLength(14);
    expect(values.slice(8, 12)).toEqual([INNER, damage, INNER, INNER]);
  });

  it('reports a line that was cut off and continues', () => {
    expect(readAll(outer.slice(0, 50), inner)).toEqual([
      expect.stringContaining('A line of 50 characters is not a message'),
      INNER,
    ]);
  });

  it.each(['null', '3', '"text"', '[]', '{"no":"type"}', '{"type":1}', 'Warning: something'])(
    'reports %s',
    (line) => {
      expect(readAll(line)).toEqual([expect.stringContaining(`is not a message: ${line}`)]);
    },
  );

  it('recovers a line of 500 kB in only a few passes', () => {
    const blocks = Array.from({ length: 5_000 }, (_, at) => ({ type: 'text', text: `${at} `.repeat(20) }));
    const long = JSON.stringify({ type: 'assistant', message: { content: blocks } });
    expect(long.length).toBeGreaterThan(500_000);
    const at = long.length - 1_234;
    using parsed = countParsed();
    using scanned = countWork(String.prototype, 'charCodeAt');
    const values = readAll(long.slice(0, at) + inner + long.slice(at));
    expect(scanned.calls).toBeLessThan(10 * long.length);
    expect(parsed.total).toBeLessThan(10 * long.length);
    expect(values).toEqual([{ type: 'assistant', message: { content: blocks } }, INNER]);
  });

  it.each([
    ['that never closes', '{"type":'.repeat(60_000)],
    ['of parts that belong nowhere', `{"a":${'{"type":"x"},'.repeat(40_000)}`],
  ])('gives up on a hopeless line %s after bounded work', (_name, line) => {
    using parsed = countParsed();
    using scanned = countWork(String.prototype, 'charCodeAt');
    const values = readAll(line);
    // Twice: once to find objects that can be taken out, once to find what interrupted the line.
    expect(scanned.calls).toBeLessThan(2 * (16 * 1024 * 1024 + line.length));
    expect(parsed.total).toBeLessThan(70 * line.length);
    expect(values).toHaveLength(1);
  });
});
