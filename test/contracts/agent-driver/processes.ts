import { describe, expect } from 'vitest';
import { converse, eventually, Following, hastyClock, kill } from '../../support/agents.js';
import type { Contract, Stage } from './contract.js';
import { converseQuietly } from './conversation.js';

const WORKS = [{ say: 'working' }, { hang: true }] as const;
/** Leaves a process in a session of its own, which no signal to the agent's group reaches. */
const LEAVES = [{ grandchild: 'sleep 1000' }, { say: 'left behind' }] as const;

/** The processes of an agent: how they start, misbehave and end. */
export function describeProcesses(contract: Contract): void {
  describe('its processes', () => {
    contract.it([], 'that cannot be started are an error', async ({ start, world }) => {
      await expect(start([], { command: '/nowhere/agent', args: [] })).rejects.toMatchObject({
        code: 'PROGRAM_NOT_STARTED',
      });
      await expect(start([], { workingDirectory: world.dir.at('nowhere') })).rejects.toMatchObject({
        code: 'PROGRAM_NOT_STARTED',
      });
    });

    contract.it([], 'are not started after the signal has fired', async ({ start }) => {
      await expect(start([], { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' });
    });

    contract.it([], 'end when asked to, and take no more prompts', async ({ start, world, capabilities }) => {
      const connection = await start([]);
      await converse(connection, 'one');
      const exit = await connection.end();
      if (capabilities.conversation === 'live') expect(exit).toEqual({ code: 0, signal: null });
      expect(world.alive()).toEqual([]);
      const again = await connection.end();
      if (capabilities.conversation === 'live') expect(again).toEqual(exit);
      expect(connection.pid).toBeNull();
      await expect(converseQuietly(connection, 'two')).rejects.toMatchObject({ code: 'AGENT_ENDED' });
    });

    for (const how of ['end', 'terminate'] as const) {
      contract.it(
        [],
        `end in the middle of a turn, which is cancelled (${how})`,
        async ({ start, world }) => {
          const connection = await start([WORKS], {}, { clock: hastyClock });
          const turn = new Following(connection.prompt('one'));
          await turn.until('text');
          await connection[how]();
          expect(await turn.end()).toMatchObject({ reason: 'cancelled' });
          expect(world.alive()).toEqual([]);
        },
      );
    }

    contract.it([], 'do not outlive a cancelled turn', async ({ start, world, capabilities }) => {
      const connection = await start([[{ say: 'working' }, { run: 'sleep 1000' }]]);
      const turn = new Following(connection.prompt('one'));
      await turn.until('text');
      // The agent, the shell and, unless the shell has become it, the sleep.
      await eventually(() => world.alive().length >= 2);
      await connection.cancel();
      expect(await turn.end()).toMatchObject({ reason: 'cancelled' });
      const left = capabilities.cancel === 'protocol' ? [connection.pid] : [];
      await eventually(() => world.alive().length === left.length);
      expect(world.alive().map(({ pid }) => pid)).toEqual(left);
    });

    contract.it(
      ['misbehaviour'],
      'are killed when they do not hear of the cancel',
      async ({ start, world }) => {
        const connection = await start(
          [[{ ignoreTerm: true }, { say: 'deaf' }, { hang: 'deaf' }]],
          {},
          { clock: hastyClock },
        );
        const turn = new Following(connection.prompt('one'));
        await turn.until('text');
        await connection.cancel();
        expect(await turn.end()).toMatchObject({ reason: 'cancelled' });
        expect(world.alive()).toEqual([]);
      },
    );

    contract.it(['misbehaviour', 'live'], 'are killed when they do not leave', async ({ start, world }) => {
      const connection = await start([[{ ignoreTerm: true }, { say: 'I stay' }]], {}, { clock: hastyClock });
      await converse(connection, 'one');
      expect(await connection.end()).toEqual({ code: null, signal: 'SIGKILL' });
      expect(world.alive()).toEqual([]);
    });

    for (const code of [null, 0, 3]) {
      const how = code === null ? 'SIGKILL' : `exit code ${code}`;
      contract.it(
        ['misbehaviour'],
        `that end in a turn have died, whatever they say (${how})`,
        async ({ start }) => {
          const connection = await start([
            [{ say: 'not yet done' }, { crash: code === null ? true : { code } }],
          ]);
          const turn = await converse(connection, 'one');
          expect(turn.last).toMatchObject({ reason: 'died' });
          expect(turn.text).toContain('not yet done');
          expect(turn.of('turn-end')[0]?.message).toContain(code === null ? 'SIGKILL' : String(code));
        },
      );
    }

    contract.it(
      ['misbehaviour'],
      'that close their output and live on have died',
      async ({ start, world }) => {
        const connection = await start(
          [[{ say: 'bye' }, { closeStdout: true }, { hang: 'deaf' }]],
          {},
          { clock: hastyClock },
        );
        const turn = await converse(connection, 'one');
        expect(['died', 'failed']).toContain(turn.reason);
        await eventually(() => world.alive().length === 0);
      },
    );

    describeGrandchildren(contract);
  });
}

function describeGrandchildren(contract: Contract): void {
  for (const how of ['end', 'terminate'] as const) {
    contract.it(['misbehaviour'], `in sessions of their own are gone after ${how}`, async (stage) => {
      const connection = await stage.start([[...LEAVES, { hang: true }]], {}, { clock: hastyClock });
      const turn = new Following(connection.prompt('one'));
      await turn.until('text');
      expectGrandchild(stage, connection.pid);
      await connection[how]();
      expect(stage.world.alive()).toEqual([]);
      await turn.end();
    });
  }

  contract.it(
    ['misbehaviour'],
    'in sessions of their own are gone after the death of the agent',
    async (stage) => {
      const connection = await stage.start([[...LEAVES, { hang: true }]]);
      const turn = new Following(connection.prompt('one'));
      await turn.until('text');
      expectGrandchild(stage, connection.pid);
      kill(connection.pid);
      expect(await turn.end()).toMatchObject({ reason: 'died' });
      await eventually(() => stage.world.alive().length === 0);
    },
  );

  contract.it(['misbehaviour'], 'that keep the pipe do not keep a dead turn open', async (stage) => {
    const connection = await stage.start([
      [{ grandchild: { command: 'sleep 1000', holdsOutput: true } }, { say: 'left' }, { crash: true }],
    ]);
    const turn = await converse(connection, 'one');
    expect(turn.last).toMatchObject({ reason: 'died' });
    expect(turn.text.trim()).toBe('left');
    await eventually(() => stage.world.alive().length === 0);
  });
}

/** Without a grandchild the test would prove nothing. */
function expectGrandchild({ world }: Stage, agentPid: number | null): void {
  const others = world.alive().filter(({ pid, group }) => pid !== agentPid && group !== agentPid);
  expect(others.length).toBeGreaterThan(0);
}
