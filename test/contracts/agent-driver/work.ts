import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { converse, eventually, Following } from '../../support/agents.js';
import { HOLDFAST, type Machine, machine } from '../../support/holdfast-binary.js';
import type { Contract } from './contract.js';

/** What an agent does while it answers, and what it reports about it. */
export function describeWork(contract: Contract): void {
  describe('its work', () => {
    contract.it([], 'writes and edits files', async ({ start, world }) => {
      writeFileSync(join(world.workingDirectory, 'old.txt'), 'the old text');
      const connection = await start([
        [
          { write: { path: 'made.txt', content: 'made\n' } },
          { edit: { path: 'old.txt', find: 'old', replace: 'new' } },
          { say: 'done' },
        ],
      ]);
      expect((await converse(connection, 'go')).last).toMatchObject({ reason: 'completed' });
      expect(readFileSync(join(world.workingDirectory, 'made.txt'), 'utf8')).toBe('made\n');
      expect(readFileSync(join(world.workingDirectory, 'old.txt'), 'utf8')).toBe('the new text');
    });

    contract.it(['tools'], 'tells of each tool call and its result, in order', async ({ start }) => {
      const connection = await start([
        [
          { say: 'before' },
          { write: { path: 'made.txt', content: 'made\n' } },
          { run: 'echo out; echo err >&2' },
          { run: 'exit 3' },
          { say: 'after' },
        ],
      ]);
      const { events, reason } = await converse(connection, 'go');
      expect(reason).toBe('completed');
      const calls = events.filter(({ type }) => type === 'tool-call');
      expect(calls).toMatchObject([
        { kind: 'edit', title: expect.stringContaining('made.txt') },
        { kind: 'execute', title: expect.stringContaining('echo out') },
        { kind: 'execute', title: expect.stringContaining('exit 3') },
      ]);
      const ids = calls.map((event) => (event.type === 'tool-call' ? event.id : ''));
      expect(new Set(ids).size).toBe(3);
      const order = events.flatMap((event) => {
        if (event.type === 'text') return [event.text.trim()];
        return event.type === 'tool-call' || event.type === 'tool-result'
          ? [`${event.type} ${event.id}`]
          : [];
      });
      const pairs = ids.flatMap((id) => [`tool-call ${id}`, `tool-result ${id}`]);
      expect(order).toEqual(['before', ...pairs, 'after']);
      const results = events.filter((event) => event.type === 'tool-result');
      expect(results.map(({ isError }) => isError)).toEqual([false, false, true]);
      expect(results[1]?.output).toMatch(/out[\s\S]*err/);
    });

    contract.it(['thinking'], 'keeps thinking apart from text', async ({ start }) => {
      const connection = await start([[{ think: 'Let me see. '.repeat(20) }, { say: 'Seen.' }]]);
      const turn = await converse(connection, 'go');
      const thought = turn.of('thinking').map(({ text }) => text);
      expect(thought.join('').trim()).toBe('Let me see. '.repeat(20).trim());
      expect(turn.text.trim()).toBe('Seen.');
    });

    contract.it(['usage'], 'tells what each turn used, not the sum', async ({ start, capabilities }) => {
      const connection = await start([
        [{ usage: { input: 1_000, output: 100, cost: 0.01, window: 100_000 } }, { say: 'one' }],
        [
          { usage: { input: 2_000, output: 30, cacheRead: 500, cost: 0.02, window: 100_000 } },
          { say: 'two' },
        ],
        [{ usage: { input: 10, output: 1, cost: 0, window: 100_000 } }, { say: 'three' }],
      ]);
      const seen = [];
      for (const prompt of ['one', 'two', 'three']) seen.push((await converse(connection, prompt)).usage);
      expect(seen).toMatchObject([
        { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 0 },
        { inputTokens: 2_000, outputTokens: 30, cacheReadTokens: 500 },
        { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0 },
      ]);
      const { reportsCost, reportsContextWindow } = capabilities;
      const costs = seen.map((usage) => usage?.costUsd?.toFixed(6) ?? null);
      expect(costs).toEqual(reportsCost ? ['0.010000', '0.020000', '0.000000'] : [null, null, null]);
      expect(seen.map((usage) => usage?.contextWindow)).toEqual(
        Array(3).fill(reportsContextWindow ? 100_000 : null),
      );
      if (reportsContextWindow) expect(seen[1]?.contextTokens).toBe(2_530);
    });

    contract.it(['mcp'], 'asks the person through the MCP server it was given', async ({ start }) => {
      await using home = await machine();
      const server = {
        name: 'holdfast',
        command: process.execPath,
        args: [HOLDFAST, 'mcp'],
        environment: home.env,
      };
      const question = {
        title: 'Database',
        prompt: 'Which?',
        options: [{ label: 'SQLite' }, { label: 'Postgres' }],
      };
      const connection = await start(
        [[{ ask: { questions: [question] } }, { say: 'The person said: {{output}}' }]],
        {
          mcpServers: [server],
          // Asking is the server's purpose: it needs no permission in any mode.
          permissions: { mode: 'edits' },
        },
      );
      const turn = new Following(connection.prompt('ask'));
      const ended = turn.end();
      await Promise.race([eventually(() => pendingIds(home).length === 1), ended]);
      const [id = 'none was asked'] = pendingIds(home);
      expect(await home.run(['answer', id, '--option', 'Postgres'])).toMatchObject({ code: 0 });
      expect(await ended).toMatchObject({ reason: 'completed' });
      expect(turn.text).toContain('Postgres');
    });

    contract.it(
      ['mcp'],
      'leaves a question in the inbox when the turn is cancelled',
      async ({ start, world }) => {
        await using home = await machine();
        const server = {
          name: 'holdfast',
          command: process.execPath,
          args: [HOLDFAST, 'mcp'],
          environment: home.env,
        };
        const question = { title: 'Really', prompt: 'Really?', options: [{ label: 'Yes' }, { label: 'No' }] };
        const connection = await start([[{ ask: { questions: [question] } }]], {
          mcpServers: [server],
          permissions: { mode: 'bypass' },
        });
        const turn = new Following(connection.prompt('ask'));
        const ended = turn.end();
        await Promise.race([eventually(() => pendingIds(home).length === 1), ended]);
        await connection.cancel();
        expect(await ended).toMatchObject({ reason: 'cancelled' });
        await connection.end();
        expect(world.alive()).toEqual([]);
        const [id = ''] = pendingIds(home);
        expect((await home.run(['answer', id, '--option', 'Yes'])).code).toBe(0);
      },
    );
  });
}

/** The ids of the question sets; their directory appears with the first. */
function pendingIds(home: Machine): string[] {
  return existsSync(home.questions) ? home.ids() : [];
}
