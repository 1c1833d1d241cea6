import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { converse } from '../support/agents.js';
import type { Fault, ModelTurn } from '../support/fake-model/server.mjs';
import type { Habits } from './habits.js';
import type { RealAgent } from './real-agents.js';
import { itDrives } from './stage.js';

const TEXT = 'It was a dark and stormy night; the rain fell in torrents, except at occasional intervals.';

/** The stream ends in the middle of the call, when the text before it is whole. */
const BROKEN_CALL: readonly ModelTurn[] = [
  {
    text: 'Now it is going to be done.',
    toolCalls: [{ action: 'bash', command: 'echo ran >> "{{cwd}}/ran"; : and then nothing for a long time' }],
    chunkChars: 8,
    chunkDelayMs: 10,
    fault: { type: 'truncate' },
  },
  { text: 'Done.' },
];

/** What becomes of a turn when the model is in trouble. */
export function describeFaults(agent: RealAgent, habits: Habits): void {
  const said = (text: string) => (habits.repeatsText ? withoutRepetition(text) : text);

  itDrives(agent, 'tries again after 429', failing('rate_limit'), async ({ start, model }) => {
    const turn = await converse(await start(), 'go');
    expect([turn.reason, turn.text]).toEqual(['completed', TEXT]);
    expect(model.requests().map(({ fault }) => fault)).toEqual(['rate_limit', undefined]);
    if (habits.tellsRetry) expect(turn.of('retry')[0]).toMatchObject({ attempt: 1, status: 429 });
  });

  for (const fault of ['reset', 'truncate'] as const) {
    itDrives(agent, `says everything once after a ${fault} of the stream`, failing(fault), async (stage) => {
      const connection = await stage.start();
      const turn = await converse(connection, 'go');
      const mayFail = fault === 'reset' && !habits.survivesReset;
      if (mayFail && turn.reason === 'failed') expect(TEXT).toContain(turn.text);
      else expect([turn.reason, said(turn.text)]).toEqual(['completed', TEXT]);
      expect((await converse(connection, 'again')).reason).toBe('completed');
    });
  }

  itDrives(
    agent,
    'says and does everything once after a break behind the text',
    BROKEN_CALL,
    async (stage) => {
      const turn = await converse(await stage.start(), 'go');
      expect([turn.reason, said(turn.text).replace(/\s*Done/, ' Done')]).toEqual([
        'completed',
        'Now it is going to be done. Done.',
      ]);
      expect(turn.of('tool-call')).toHaveLength(1);
      expect(readFileSync(join(stage.world.workingDirectory, 'ran'), 'utf8')).toBe('ran\n');
    },
  );

  itDrives(
    agent,
    'gets over a broken frame, or says that it does not',
    failing('malformed_sse'),
    async (stage) => {
      const connection = await stage.start();
      const turn = await converse(connection, 'go');
      expect(turn.reason).toBe(habits.brokenFrame);
      if (habits.brokenFrame === 'completed') expect(turn.text).toBe(TEXT);
      expect((await converse(connection, 'again')).reason).toBe('completed');
    },
  );

  itDrives(
    agent,
    'ends a turn whose model stays overloaded',
    failing('overloaded', 'always'),
    async (stage) => {
      const turn = await converse(await stage.start(), 'go');
      expect(turn.reason).toBe(habits.overload);
      expect(turn.of('turn-end')[0]?.message).toMatch(/overload|529|503/i);
      expect(turn.text).toBe('');
    },
  );

  itDrives(
    agent,
    'ends a turn whose context is too long',
    failing('context_overflow', 'always'),
    async (stage) => {
      const turn = await converse(await stage.start(), 'go');
      expect(turn.reason).toBe('context-overflow');
      expect(stage.model.requests().length).toBeLessThan(10);
    },
  );

  itDrives(agent, 'ends a turn at a usage limit', failing('usage_limit', 'always'), async (stage) => {
    const turn = await converse(await stage.start(), 'go');
    expect(turn.reason).toBe('rate-limited');
    // How much is used may be told before it.
    const told = turn.of('rate-limit').filter(({ status }) => status !== 'allowed');
    expect(told).toMatchObject([{ status: 'rejected' }]);
  });
}

/** A text without the beginning of it that stands before it once more. */
function withoutRepetition(text: string): string {
  for (let length = Math.floor(text.length / 2); length > 0; length -= 1) {
    if (text.startsWith(text.slice(0, length), length)) return text.slice(length);
  }
  return text;
}

/** A reply in small pieces that goes wrong first. */
export function failing(
  type: Fault['type'],
  times: Fault['times'] = 1,
  more: Partial<Fault> = {},
): ModelTurn[] {
  return [{ text: TEXT, chunkChars: 8, chunkDelayMs: 10, fault: { type, times, ...more } }];
}
