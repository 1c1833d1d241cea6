import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect } from 'vitest';
import { converse } from '../../support/agents.js';
import type { Contract } from './contract.js';

const MIB = 1024 * 1024;
const FLOOD_BYTES = 64 * MIB;
/** However much an agent writes, we keep no more than this in memory; checked at intervals. */
const MAX_KEPT_BYTES = 16 * MIB;
const LOOK_EVERY_BYTES = 32 * MIB;

/** Bytes that no protocol allows for. */
export function describeOutput(contract: Contract): void {
  describe('its output', () => {
    contract.it(['misbehaviour'], 'may hold garbage, blank lines and half characters', async ({ start }) => {
      const half = Buffer.concat([Buffer.from('half '), Buffer.from([0xc3, 0x0a, 0xff, 0xfe, 0x00, 0x0a])]);
      const connection = await start([
        [
          {
            garbage:
              '\n\n  \r\nnot JSON at all\n{"type":\n[1,2]\nnull\n"text"\n{}\n{"type":"from the future"}\n',
          },
          { garbage: { base64: half.toString('base64') } },
          { say: 'still here' },
        ],
        [{ say: 'and here' }],
      ]);
      const turn = await converse(connection, 'one');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text).toContain('still here');
      expect((await converse(connection, 'two')).text.trim()).toBe('and here');
    });

    contract.it([], 'is kept in a log without its secrets', async ({ start, world }) => {
      const logPath = world.dir.at('output.log');
      const connection = await start([[{ say: `the key is sk-ant-api03-${'x1'.repeat(20)}` }]], { logPath });
      expect((await converse(connection, 'go')).text).toContain('sk-ant-api03-');
      await connection.end();
      const log = readFileSync(logPath, 'utf8');
      expect(log).toContain('the key is [redacted:anthropic-key]');
      expect(log).not.toContain('sk-ant');
    });

    contract.it([], 'keeps every character of a text', async ({ start }) => {
      const text = 'a\u2028b\u2029c\u0085d ü 🦊 \u202e\u0007 "quoted" \\n {"type":"result"} é̄';
      const connection = await start([[{ say: text }]]);
      expect((await converse(connection, 'go')).text.trim()).toBe(text);
    });

    contract.it(['misbehaviour'], 'may come in small pieces', async ({ start }) => {
      // Six bytes each, so that cuts fall inside characters as well as inside JSON.
      const text = 'ü🦊'.repeat(50);
      const connection = await start([[{ pieces: 11 }, { say: text }, { pieces: 0 }]]);
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text.trim()).toBe(text);
    });

    contract.it([], 'may be a line of half a megabyte', async ({ start }) => {
      const connection = await start([[{ say: { text: 'long ', repeat: 100_000 } }]]);
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text.trimEnd().length).toBe(499_999);
    });

    contract.itAlone(
      ['misbehaviour'],
      'may flood stderr without end, and our memory stays',
      async ({ start }) => {
        let flooded = 0;
        const kept = [keptBytes()];
        const connection = await start(
          [[{ flood: { stream: 'stderr', bytes: FLOOD_BYTES } }, { say: 'done' }]],
          {
            onOutput: (stream, chunk) => {
              if (stream === 'stderr') flooded += chunk.length;
              if (flooded >= kept.length * LOOK_EVERY_BYTES) kept.push(keptBytes());
            },
          },
        );
        const turn = await converse(connection, 'go');
        expect(turn.last).toMatchObject({ reason: 'completed' });
        expect(turn.text.trim()).toBe('done');
        expect(flooded).toBe(FLOOD_BYTES);
        expect(kept).toHaveLength(1 + FLOOD_BYTES / LOOK_EVERY_BYTES);
        expect(Math.max(...kept) - (kept[0] ?? 0)).toBeLessThan(MAX_KEPT_BYTES);
      },
    );

    contract.it(['misbehaviour'], 'may flood stdout with lines that are no messages', async ({ start }) => {
      const connection = await start([
        [{ say: 'before' }, { flood: { stream: 'stdout', bytes: 8 * MIB } }, { say: 'after' }],
      ]);
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text).toMatch(/^before[\s\S]*after\s*$/);
    });

    contract.it(
      ['misbehaviour'],
      'counts whole when the agent leaves right after its last word',
      async ({ start }) => {
        const connection = await start([{ steps: [{ say: 'the last word '.repeat(1_000) }], exit: 0 }]);
        const turn = await converse(connection, 'go');
        expect(turn.last).toMatchObject({ reason: 'completed' });
        expect(turn.text.trim()).toBe('the last word '.repeat(1_000).trim());
      },
    );
  });
}

/** The memory still referred to: garbage is collected first. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  // The second pass frees what the first one found.
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
