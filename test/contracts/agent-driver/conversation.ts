import { describe, expect } from 'vitest';
import { converse, Following } from '../../support/agents.js';
import type { Contract } from './contract.js';

const WORKS = [{ say: 'working' }, { hang: true }] as const;

/** A sequence of prompts and answers, and what can end it early. */
export function describeConversation(contract: Contract): void {
  describe('a conversation', () => {
    contract.it([], 'answers a prompt and completes', async ({ start, capabilities }) => {
      const connection = await start([[{ say: 'Hello. {{prompt}}' }]]);
      const answer = await converse(connection, 'one');
      expect(answer.text.trim()).toBe('Hello. one');
      expect(answer.events.at(-1)).toEqual({ type: 'turn-end', reason: 'completed', message: null });
      expect(connection.capabilities).toEqual(capabilities);
      expect(connection.pid).toEqual(capabilities.conversation === 'live' ? expect.any(Number) : null);
      expect(connection.resumeHandle).toEqual(
        capabilities.resume === 'exact' ? { driver: expect.any(String), id: expect.any(String) } : null,
      );
    });

    contract.it(
      [],
      'goes on with the next prompt, knowing the one before',
      async ({ start, world, setup }) => {
        const connection = await start([[{ say: 'first' }], [{ say: 'second' }]]);
        await converse(connection, 'one');
        const { pid, resumeHandle } = connection;
        const answer = await converse(connection, 'two');
        expect(answer.text.trim()).toBe('second');
        expect(setup.promptsKnown(world)).toEqual(['one', 'two']);
        expect(connection).toMatchObject({ pid, resumeHandle });
      },
    );

    contract.it([], 'delivers a prompt as it is', async ({ start, world, setup }) => {
      const connection = await start([]);
      const prompts = [
        '--version',
        '-',
        '$(touch made) `touch made` \'"\\',
        'two\n\nlines \u2028 ü 🦊',
        'x'.repeat(300_000),
      ];
      for (const prompt of prompts)
        expect((await converse(connection, prompt)).last).toMatchObject({ reason: 'completed' });
      // A line break at the end makes no difference to an agent that reads its prompt up to the end of its input.
      expect(setup.promptsKnown(world).map((prompt) => prompt.replace(/\n$/, ''))).toEqual(prompts);
    });

    contract.it([], 'brings the system prompt to the agent', async ({ start, world, setup }) => {
      const connection = await start([], { systemPrompt: 'Be brief.' });
      await converse(connection, 'one');
      await converse(connection, 'two');
      const [first = '', second] = setup.promptsKnown(world).slice(-2);
      const told = `${setup.systemPrompt(world) ?? ''}\n${first}`;
      expect(told.match(/Be brief\./g)).toHaveLength(1);
      expect(second).toBe('two');
    });

    contract.it([], 'refuses a second prompt while one is answered', async ({ start }) => {
      const connection = await start([WORKS]);
      const first = new Following(connection.prompt('one'));
      await first.until('text');
      await expect(converseQuietly(connection, 'two')).rejects.toMatchObject({ code: 'AGENT_BUSY' });
      await connection.cancel();
      expect(await first.end()).toMatchObject({ reason: 'cancelled' });
    });

    contract.it([], 'ends a cancelled turn', async ({ start, capabilities, world, setup }) => {
      const connection = await start([WORKS, [{ say: 'back' }]]);
      const first = new Following(connection.prompt('one'));
      await first.until('text');
      const { pid } = connection;
      await connection.cancel();
      expect(await first.end()).toMatchObject({ reason: 'cancelled' });
      if (capabilities.cancel === 'kill' && capabilities.conversation === 'live') {
        await expect(converseQuietly(connection, 'two')).rejects.toMatchObject({ code: 'AGENT_ENDED' });
        return;
      }
      const second = await converse(connection, 'two');
      expect(second.text.trim()).toBe('back');
      expect(setup.promptsKnown(world)).toEqual(['one', 'two']);
      if (capabilities.cancel === 'protocol') expect(connection.pid).toBe(pid);
    });

    contract.it([], 'has nothing to cancel between prompts', async ({ start }) => {
      const connection = await start([]);
      await connection.cancel();
      expect((await converse(connection, 'one')).last).toMatchObject({ reason: 'completed' });
      await connection.cancel();
      expect((await converse(connection, 'two')).last).toMatchObject({ reason: 'completed' });
    });

    contract.it([], 'cancels when the signal of the prompt fires', async ({ start }) => {
      const connection = await start([WORKS]);
      const abort = new AbortController();
      const turn = new Following(connection.prompt('one', { signal: abort.signal }));
      await turn.until('text');
      abort.abort();
      expect(await turn.end()).toMatchObject({ reason: 'cancelled' });
    });

    contract.it([], 'cancels when the signal of the prompt has fired before', async ({ start }) => {
      const connection = await start([WORKS]);
      const turn = new Following(connection.prompt('one', { signal: AbortSignal.abort() }));
      expect(await turn.end()).toMatchObject({ reason: 'cancelled' });
    });

    contract.it([], 'cancels when the reader leaves', async ({ start, capabilities }) => {
      const connection = await start([WORKS, [{ say: 'back' }]]);
      const turn = new Following(connection.prompt('one'));
      await turn.until('text');
      await turn.leave();
      await connection.cancel();
      if (capabilities.cancel === 'kill' && capabilities.conversation === 'live') return;
      expect((await converse(connection, 'two')).text.trim()).toBe('back');
    });
  });
}

/** `prompt` may throw at once or when its events are read. */
export async function converseQuietly(...input: Parameters<typeof converse>): Promise<string | undefined> {
  return (await converse(...input)).reason;
}
