import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Line,
  read,
  SESSION,
  TOOL_EVENTS,
  TOOL_TURN,
  withUsageInAll,
} from '../../../test/support/claude-lines.js';
import { LineSplitter } from '../../programs/index.js';
import { type ClaudeOutput, ClaudeReader } from './read.js';

describe('whatever the transcript looks like', () => {
  const bytes = (lines: readonly Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

  function readChunks(chunks: readonly Buffer[]): ClaudeOutput[] {
    const reader = new ClaudeReader({ isResumed: false });
    const events: ClaudeOutput[] = [];
    const splitter = new LineSplitter({
      maxBytes: 1_000_000,
      onLine: (line) => events.push(...reader.read(line)),
      onOversized: () => {},
    });
    for (const chunk of chunks) splitter.push(chunk);
    splitter.end();
    return withUsageInAll([...events, ...reader.end()]);
  }

  it('gives the same events for any chunks', () => {
    const whole = Buffer.from(bytes(TOOL_TURN));
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((end, at) => whole.subarray(places[at], end));
        expect(readChunks(chunks)).toEqual(TOOL_EVENTS);
      }),
    );
  });

  const unknown = fc.oneof(
    fc.constant(''),
    fc
      .tuple(fc.string(), fc.jsonValue())
      .map(([type, value]) => JSON.stringify({ value, type: `new ${type}` })),
    fc.constant(JSON.stringify({ type: 'tool_progress', tool_use_id: 'x', heartbeat: true })),
    fc.constant(JSON.stringify({ type: 'system', subtype: 'thinking_tokens', ...SESSION })),
  );

  it('gives the same events with any unknown lines in between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(TOOL_TURN.length), unknown)), (insertions) => {
        const lines = TOOL_TURN.map((line) => JSON.stringify(line));
        for (const [at, line] of insertions) lines.splice(at, 0, line);
        const reader = new ClaudeReader({ isResumed: false });
        expect(withUsageInAll(lines.flatMap((line) => reader.read(line)))).toEqual(TOOL_EVENTS);
      }),
    );
  });

  it('gives the same events for keys in any order', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (random) => {
        const shuffled = TOOL_TURN.map((line) => shuffleKeys(line, () => random.next().value));
        expect(read(shuffled as Line[])).toEqual(TOOL_EVENTS);
      }),
    );
  });

  it('gives the same events when a line is written into the middle of another', () => {
    const injected = JSON.stringify({ type: 'system', subtype: 'status', ...SESSION });
    const whole = bytes(TOOL_TURN);
    fc.assert(
      fc.property(fc.nat(whole.length), fc.constantFrom('', '\n'), (at, ending) => {
        const spliced = whole.slice(0, at) + injected + ending + whole.slice(at);
        expect(readChunks([Buffer.from(spliced)])).toEqual(TOOL_EVENTS);
      }),
      { numRuns: 500 },
    );
  });
});

function shuffleKeys(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffleKeys(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    item: shuffleKeys(item, random),
    rank: random(),
  }));
  entries.sort((a, b) => a.rank - b.rank);
  return Object.fromEntries(entries.map(({ key, item }) => [key, item]));
}
