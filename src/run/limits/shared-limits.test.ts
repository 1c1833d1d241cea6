import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type NightWorld, nightWorld, type PlayedTurn } from '../../../test/support/night-world.js';
import { status } from '../../../test/support/run-world.js';
import { storageTools } from '../../../test/support/storage-tools.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { DayLedger, QuotaGate } from '../../accounts/index.js';
import type { AgentEvent } from '../../agents/index.js';
import type { LockTools } from '../../storage/index.js';
import type { SharedLimits } from '../run-parts.js';

const NOW = '2026-11-16T23:00:00.000Z';
const RESET = '2026-11-16T23:30:00.000Z';
const ACCOUNT = { key: 'claude', name: 'work' };
const END: AgentEvent = { type: 'turn-end', reason: 'completed', message: null };
const WORDS: AgentEvent = { type: 'text', text: `Done.\n\n${status(true)}\n` };

function costs(costUsd: number): AgentEvent {
  const tokens = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { type: 'usage', usage: { ...tokens, contextTokens: null, contextWindow: null, costUsd } };
}

function tellsUse(usedPercent: number): AgentEvent {
  return { type: 'rate-limit', status: 'warning', resetsAt: RESET, scope: '5h', usedPercent, message: '' };
}

function turn(...events: readonly AgentEvent[]): PlayedTurn {
  return { events: [...events, WORDS, END] };
}

const REFUSED: PlayedTurn = {
  events: [
    { type: 'rate-limit', status: 'rejected', resetsAt: RESET, scope: '5h', message: 'used up' },
    { type: 'turn-end', reason: 'rate-limited', message: 'used up' },
  ],
};

/** A run that shares limits only with the test. */
async function sharing(
  turns: readonly PlayedTurn[],
  more: { stopAtPercent?: number; costUsd?: number; isAttended?: boolean; isFrozen?: boolean } = {},
  onEvent?: (event: NightWorld['events'][number], world: NightWorld) => void,
) {
  const dir = await tempDir();
  const directory = dir.at('accounts');
  const { stopAtPercent, costUsd, isAttended = false, isFrozen = false } = more;
  const gateOf = (tools: LockTools, session: string) =>
    new QuotaGate(tools, { directory, account: ACCOUNT, session });
  const daysOf = (tools: LockTools) =>
    new DayLedger(tools, { directory: join(directory, 'days'), limits: { costUsd }, zone: 'UTC' });
  const shared = (tools: LockTools, session: string): SharedLimits => ({
    quota: gateOf(tools, session),
    stopAtPercent,
    days: costUsd === undefined ? undefined : daysOf(tools),
  });
  const world = await nightWorld({
    service: 'claude',
    now: NOW,
    turns,
    check: 'true',
    budget: { iterations: turns.filter((one) => one !== REFUSED).length },
    isAttended,
    isFrozen,
    shared,
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  return {
    world,
    directory,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

describe('what a run shares with others', () => {
  it('must wait for the reset as soon as that much of the window is used, and then continues', async () => {
    await using play = await sharing([turn(tellsUse(80)), turn(tellsUse(91)), turn()], { stopAtPercent: 90 });
    await play.world.run();
    expect(play.world.waits()).toEqual([
      expect.objectContaining({
        cause: 'quota',
        until: RESET,
        scope: '5h',
        words: '91 % is used, and the account work stops at 90 %',
      }),
    ]);
    expect(play.world.prompts).toHaveLength(3);
    expect(play.world.clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse(RESET));
  });

  it('is tried at once when a person says so, and waits again when refused again', async () => {
    let resumed = false;
    await using play = await sharing([REFUSED, REFUSED, turn()], { isFrozen: true }, (event, world) => {
      if (event.type !== 'waiting') return;
      if (resumed) world.clock.advance(Date.parse(RESET) - world.clock.now().getTime());
      else void world.loops.request({ kind: 'resume' });
      resumed = true;
    });
    await play.world.run();
    expect(play.world.prompts).toHaveLength(3);
    expect(play.world.waits()).toHaveLength(2);
  });

  it('is the daily budget, which an unattended run waits for until midnight without asking', async () => {
    await using play = await sharing([turn(costs(5.02)), turn(costs(1))], { costUsd: 5 });
    await play.world.run();
    expect(play.world.waits()).toEqual([
      expect.objectContaining({
        cause: 'day-budget',
        until: '2026-11-17T00:00:00.000Z',
        words: '$5.02 of $5.00',
      }),
    ]);
    expect(await play.world.questions.list()).toEqual([]);
    expect(play.world.prompts).toHaveLength(2);
  });

  it('is asked about once, and the run continues with the amount that a person wrote', async () => {
    await using play = await sharing(
      [turn(costs(5.02)), turn(costs(1))],
      { costUsd: 5, isAttended: true, isFrozen: true },
      (event, world) => {
        if (event.type !== 'question') return;
        // After that the run has used up its own iterations.
        const isDay = event.title.startsWith('Budget');
        const answer = isDay ? { customText: '$7.50' } : { selectedOption: 'Stop' };
        void world.questions.answer(event.sessionId, [{ questionIndex: 0, ...answer }]);
      },
    );
    await play.world.run();
    const asked = (await play.world.questions.list()).filter(({ questions: [first] }) =>
      first?.title.startsWith('Budget'),
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      questions: [{ title: 'Budget of 2026-11-16' }],
      collectedAt: expect.any(String),
    });
    expect(play.world.prompts).toHaveLength(2);
  });

  it('counts each turn once, however often the run is started again', async () => {
    await using play = await sharing([turn(costs(1)), turn(costs(1))], { costUsd: 5 });
    await play.world.run();
    await play.world.run().catch(() => undefined);
    const tools = storageTools({ clock: play.world.clock });
    const days = new DayLedger(tools, { directory: join(play.directory, 'days'), limits: {}, zone: 'UTC' });
    expect(days.used('2026-11-16')).toEqual({ costUsd: 2, tokens: 220 });
  });
});
