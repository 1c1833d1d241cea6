import { describe, expect } from 'vitest';
import { converse, Following, kill } from '../../support/agents.js';
import type { Contract, Stage } from './contract.js';
import { converseQuietly } from './conversation.js';

const TWO_DAYS_S = 2 * 24 * 60 * 60;

/** How turns end badly, and how conversations continue afterwards. */
export function describeEndings(contract: Contract): void {
  describe('an ending', () => {
    contract.it(['failure'], 'tells of a failure, and the next prompt may work', async (stage) => {
      const connection = await stage.start([
        [{ say: 'trying' }, { fail: 'the model is on fire' }],
        [{ say: 'better now' }],
      ]);
      const turn = await converse(connection, 'go');
      expect(turn.events.at(-1)).toMatchObject({
        reason: 'failed',
        message: expect.stringContaining('the model is on fire'),
      });
      expect((await converse(connection, 'again')).text.trim()).toBe('better now');
    });

    for (const end of ['refused', 'turn-limit', 'context-overflow'] as const) {
      const feature = end === 'refused' ? 'refusal' : end;
      contract.it([feature], `tells of a turn that ended as ${end}`, async ({ start }) => {
        const connection = await start([{ steps: [{ say: 'so far' }], end }]);
        const turn = await converse(connection, 'go');
        expect(turn.last).toMatchObject({ reason: end });
        expect(turn.text).toContain('so far');
      });
    }

    contract.it(['retry'], 'tells that it tries again by itself', async ({ start }) => {
      const connection = await start([
        [{ retry: { attempt: 2, of: 5, status: 503, message: 'unavailable' } }, { say: 'at last' }],
      ]);
      const turn = await converse(connection, 'go');
      expect(turn.of('retry')).toMatchObject([
        { attempt: expect.any(Number), status: 503, message: expect.stringContaining('unavailable') },
      ]);
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text.trim()).toBe('at last');
    });

    contract.it(['rate-limit'], 'tells when a used-up allowance comes back', async ({ start }) => {
      const connection = await start([[{ rateLimit: { resetsInSeconds: TWO_DAYS_S } }]]);
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'rate-limited' });
      const limits = turn.of('rate-limit');
      expect(limits).toMatchObject([{ status: 'rejected' }]);
      const distanceMs = Date.parse(limits[0]?.resetsAt ?? '') - (Date.now() + TWO_DAYS_S * 1_000);
      // Codex gives it to the minute.
      expect(Math.abs(distanceMs)).toBeLessThan(90_000);
    });

    contract.it(['rate-limit'], 'tells of a used-up allowance of unknown end', async ({ start }) => {
      const connection = await start([[{ rateLimit: {} }]]);
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'rate-limited' });
      expect(turn.of('rate-limit')).toMatchObject([{ status: 'rejected', resetsAt: null }]);
    });

    contract.it(['limit-warning'], 'goes on after a warning about the allowance', async ({ start }) => {
      const connection = await start([
        [{ rateLimit: { status: 'warning', resetsInSeconds: 60 } }, { say: 'on' }],
      ]);
      const turn = await converse(connection, 'go');
      expect(turn.of('rate-limit')).toMatchObject([{ status: 'warning', resetsAt: expect.any(String) }]);
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text.trim()).toBe('on');
    });

    contract.it([], 'killed in a turn it has died, and is no more', async (stage) => {
      const connection = await stage.start([[{ say: 'working' }, { hang: true }], [{ say: 'back' }]]);
      const turn = await killInTurn(connection, 'one');
      expect(turn.last).toMatchObject({ reason: 'died' });
      expect(turn.text).toContain('working');
      const next = converseQuietly(connection, 'two');
      if (stage.has('live')) await expect(next).rejects.toMatchObject({ code: 'AGENT_ENDED' });
      else expect(await next).toBe('completed');
    });

    contract.it(['live'], 'says so when it died between two prompts', async ({ start }) => {
      const connection = await start([]);
      await converse(connection, 'one');
      kill(connection.pid);
      const outcome = await converseQuietly(connection, 'two').catch((error: { code: string }) => error.code);
      expect(['died', 'AGENT_ENDED']).toContain(outcome);
    });

    contract.it(['resume'], 'killed in a turn and resumed it knows what was said before', async (stage) => {
      const turns = [[{ say: 'first' }], [{ say: 'working' }, { hang: true }], [{ say: 'third' }]] as const;
      const connection = await stage.start(turns);
      await converse(connection, 'one');
      expect((await killInTurn(connection, 'two')).last).toMatchObject({ reason: 'died' });
      const resume = connection.resumeHandle;
      if (resume === null) throw new Error('no handle');
      const again = await stage.start(turns, { resume: structuredClone(resume) });
      const turn = await converse(again, 'three');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(turn.text.trim()).toBe('third');
      expect(stage.setup.promptsKnown(stage.world)).toEqual(['one', 'two', 'three']);
      expect(again.resumeHandle).toEqual(resume);
    });

    contract.it(['resume', 'usage'], 'counts nothing twice after a resume', async ({ start }) => {
      const turns = [
        [{ usage: { input: 1_000, output: 100, cost: 0.01 } }],
        [{ usage: { input: 50, output: 5, cost: 0.002 } }],
        [{ usage: { input: 70, output: 7, cost: 0.003 } }],
      ];
      const connection = await start(turns);
      await converse(connection, 'one');
      const resume = connection.resumeHandle ?? undefined;
      await connection.end();
      const again = await start(turns, { resume });
      // The usage of the first turn after it may be unknown; the sum of all turns would be wrong.
      const usage = (await converse(again, 'two')).usage;
      if (usage !== null) {
        expect(usage).toMatchObject({ inputTokens: 50, outputTokens: 5 });
        expect([null, '0.002000']).toContain(usage.costUsd?.toFixed(6) ?? null);
      }
      const third = (await converse(again, 'three')).usage;
      expect(third).toMatchObject({ inputTokens: 70, outputTokens: 7 });
      expect([null, '0.003000']).toContain(third?.costUsd?.toFixed(6) ?? null);
    });

    contract.it(['resume'], 'does not resume what is not there', async ({ start, setup }) => {
      const resume = { driver: setup.driver.name, id: '00000000-0000-4000-8000-000000000000' };
      const outcome = await start([], { resume })
        .then((connection) => converseQuietly(connection, 'one'))
        .catch((error: { code: string }) => error.code);
      expect(['failed', 'died', 'AGENT_NOT_STARTED']).toContain(outcome);
    });

    contract.it([], 'does not resume the conversation of another driver', async ({ start }) => {
      const resume = { driver: 'another', id: '00000000-0000-4000-8000-000000000000' };
      await expect(start([], { resume })).rejects.toMatchObject({ code: 'AGENT_NOT_STARTED' });
    });
  });
}

/** Kills the agent as soon as it has said something. */
async function killInTurn(
  connection: Awaited<ReturnType<Stage['start']>>,
  prompt: string,
): Promise<Following> {
  const turn = new Following(connection.prompt(prompt));
  await turn.until('text');
  kill(connection.pid);
  await turn.end();
  return turn;
}
