import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { converse, eventually, Following } from '../support/agents.js';
import { HOLDFAST, type Machine, machine } from '../support/holdfast-binary.js';
import type { Habits } from './habits.js';
import type { RealAgent } from './real-agents.js';
import { itDrives } from './stage.js';

const WRITE = { action: 'write_file', path: '{{cwd}}/made.txt', content: 'made by the agent\n' } as const;
const ASK = {
  action: 'mcp',
  server: 'holdfast',
  tool: 'ask_user_questions',
  input: {
    questions: [
      { title: 'Database', prompt: 'Which?', options: [{ label: 'SQLite' }, { label: 'Postgres' }] },
    ],
  },
} as const;

/** What an agent does for a prompt. */
export function describeWork(agent: RealAgent, { tellsCommandOutcome }: Habits): void {
  itDrives(agent, 'answers, twice, and knows what was said', reply('One.', 'Two.'), async (stage) => {
    const connection = await stage.start();
    const first = await converse(connection, 'the first prompt');
    const second = await converse(connection, 'the second prompt');
    expect([first.reason, second.reason]).toEqual(['completed', 'completed']);
    expect([first.text, second.text]).toEqual(['One.', 'Two.']);
    expect(stage.model.requests()).toHaveLength(2);
    const [, last] = stage.model.requests();
    expect(last?.lacks(['the first prompt', 'One.', 'the second prompt'])).toEqual([]);
    expect(connection.facts.version).toMatch(/^\d+\.\d+\.\d+/);
    await connection.end();
    expect(stage.world.alive()).toEqual([]);
  });

  itDrives(
    agent,
    'takes a long prompt and a long answer',
    [{ text: 'word {{n}} ', repeatText: 20_000, chunkChars: 5_000 }],
    async ({ start, model }) => {
      const prompt = `${'é\u2028"\n'.repeat(50_000)} the end of it`;
      const turn = await converse(await start(), prompt);
      expect(turn.reason).toBe('completed');
      expect(turn.text).toBe(Array.from({ length: 20_000 }, (_, index) => `word ${index + 1} `).join(''));
      expect(model.requests()[0]?.lacks([prompt])).toHaveLength(0);
    },
  );

  itDrives(
    agent,
    'writes a file',
    [{ text: 'I write.', toolCalls: [WRITE] }, { text: 'Written.' }],
    async ({ start, world }) => {
      const turn = await converse(await start(), 'write it');
      expect(turn.reason).toBe('completed');
      expect(turn.text).toMatch(/I write\.\s*Written\./);
      expect(readFileSync(join(world.workingDirectory, 'made.txt'), 'utf8')).toBe('made by the agent\n');
      expect(turn.of('tool-call')).toMatchObject([
        { kind: 'edit', title: expect.stringContaining('made.txt') },
      ]);
      expect(turn.of('tool-result')).toMatchObject([{ id: turn.of('tool-call')[0]?.id, isError: false }]);
    },
  );

  itDrives(
    agent,
    'runs commands and sees what they say',
    [
      { toolCalls: [{ action: 'bash', command: 'printf "the sum is "; expr 40 + 2' }] },
      { toolCalls: [{ action: 'bash', command: 'echo "no such luck" >&2; exit 3' }] },
      { text: 'Seen.' },
    ],
    async ({ start, model }) => {
      const turn = await converse(await start(), 'run it');
      expect(turn.reason).toBe('completed');
      const calls = turn.of('tool-call');
      expect(calls).toMatchObject([
        { kind: 'execute', title: expect.stringContaining('40 + 2') },
        { kind: 'execute', title: expect.stringContaining('no such luck') },
      ]);
      const results = turn.of('tool-result');
      expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
      expect(results.map(({ isError }) => isError)).toEqual([false, tellsCommandOutcome]);
      const [sum, luck] = results.map(({ output }) => output);
      if (tellsCommandOutcome) {
        expect(sum).toContain('the sum is 42');
        expect(luck).toContain('no such luck');
      } else expect([sum, luck]).toEqual(['', '']);
      expect(model.requests()[1]?.lacks(['the sum is 42'])).toEqual([]);
    },
  );

  itDrives(
    agent,
    'puts a question to the person and gets the answer',
    [{ toolCalls: [ASK] }, { text: 'Thank you.' }],
    async ({ start, model, places }) => {
      await using home = await machine();
      places.push(home.dir.path);
      const connection = await start({
        mcpServers: [
          { name: 'holdfast', command: process.execPath, args: [HOLDFAST, 'mcp'], environment: home.env },
        ],
        // Asking is what the server is for: it needs no leave, whatever the mode.
        permissions: { mode: 'edits' },
      });
      const turn = new Following(connection.prompt('ask me'));
      const ended = turn.end();
      await Promise.race([eventually(() => questionIds(home).length === 1), ended]);
      const [id = 'none was asked'] = questionIds(home);
      expect(await home.run(['answer', id, '--option', 'Postgres'])).toMatchObject({ code: 0 });
      expect((await ended).reason).toBe('completed');
      expect(turn.text).toBe('Thank you.');
      expect(turn.of('tool-result')).toMatchObject([
        { isError: false, output: expect.stringContaining('Postgres') },
      ]);
      expect(model.requests()).toHaveLength(2);
      expect(model.requests()[1]?.lacks(['Postgres'])).toEqual([]);
    },
  );

  itDrives(
    agent,
    'tells what each turn used, not the sum',
    [
      { text: 'One.', usage: { input: 1_000, output: 100 } },
      { text: 'Two.', usage: { input: 2_000, output: 30, cacheRead: 500 } },
      { toolCalls: [WRITE], usage: { input: 10, output: 1 } },
      { text: 'Three.', usage: { input: 20, output: 2 } },
    ],
    async ({ start }) => {
      const connection = await start();
      const seen = [];
      for (const prompt of ['one', 'two', 'three']) {
        seen.push((await converse(connection, prompt)).usage);
      }
      expect(seen).toMatchObject([
        { inputTokens: 1_000, outputTokens: 100 },
        { inputTokens: 2_000, outputTokens: 30, cacheReadTokens: 500 },
        { inputTokens: 30, outputTokens: 3 },
      ]);
      const { reportsContextWindow, reportsCost } = connection.capabilities;
      for (const usage of seen) {
        expect(usage?.contextWindow !== null).toBe(reportsContextWindow);
        expect(usage?.costUsd !== null).toBe(reportsCost);
      }
    },
  );
}

/** The question sets there are; their directory appears with the first. */
function questionIds(home: Machine): string[] {
  return existsSync(home.questions) ? home.ids() : [];
}

function reply(...texts: readonly string[]) {
  return texts.map((text) => ({ text }));
}
