import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { PermissionRequest } from '../../../src/agents/permission.js';
import { converse, eventually, Following } from '../../support/agents.js';
import type { Contract, Stage } from './contract.js';

const WRITE = { write: { path: 'made.txt', content: 'made' } };
const RUN = { run: 'touch ran.txt' };

/** Who may do what, in each mode. */
export function describePermissions(contract: Contract): void {
  describe('permissions', () => {
    contract.it(['permission'], 'edits: lets edits through, denies and reports commands', async (stage) => {
      const connection = await stage.start([[WRITE, RUN, { say: 'done' }]], {
        permissions: { mode: 'edits' },
      });
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(made(stage)).toEqual({ file: true, command: false });
      expect(turn.of('permission').filter(({ decision }) => decision === 'denied')).toMatchObject([
        { kind: 'execute', title: expect.stringContaining('touch ran.txt'), by: 'only edits are accepted' },
      ]);
      const [write, run] = turn.of('tool-result');
      expect([write?.isError, run?.isError]).toEqual([false, true]);
    });

    contract.it(['permission'], 'ask: a person decides about each', async (stage) => {
      const asked: PermissionRequest[] = [];
      const ask = async (request: PermissionRequest) => {
        asked.push(request);
        return request.kind === 'execute';
      };
      const connection = await stage.start([[WRITE, RUN]], { permissions: { mode: 'ask', ask } });
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(asked).toMatchObject([
        { kind: 'edit', title: expect.stringContaining('made.txt') },
        { kind: 'execute', title: expect.stringContaining('touch ran.txt') },
      ]);
      expect(made(stage)).toEqual({ file: false, command: true });
      expect(turn.of('permission')).toMatchObject([
        { kind: 'edit', decision: 'denied', by: 'a person' },
        { kind: 'execute', decision: 'allowed', by: 'a person' },
      ]);
      const calls = turn.of('tool-call').map(({ id }) => id);
      expect(turn.of('permission').map(({ id }) => id)).toEqual(calls);
    });

    contract.it(['permission'], 'ask: denies when there is nobody', async (stage) => {
      const connection = await stage.start([[RUN, { say: 'done' }]], { permissions: { mode: 'ask' } });
      const turn = await converse(connection, 'go');
      expect(turn.of('permission')).toMatchObject([{ decision: 'denied', by: 'there is nobody to ask' }]);
      expect(made(stage).command).toBe(false);
      expect(turn.last).toMatchObject({ reason: 'completed' });
    });

    contract.it(['permission'], 'ask: denies when asking fails', async (stage) => {
      const ask = () => Promise.reject(new Error('the inbox is full'));
      const connection = await stage.start([[RUN]], { permissions: { mode: 'ask', ask } });
      expect((await converse(connection, 'go')).reason).toMatch(/completed|cancelled/);
      expect(made(stage).command).toBe(false);
    });

    contract.it(['permission'], 'ask: a cancelled turn does not wait for the person', async (stage) => {
      let signal: AbortSignal | undefined;
      const ask = (_: PermissionRequest, given: AbortSignal) => {
        signal = given;
        return new Promise<boolean>(() => {});
      };
      const connection = await stage.start([[RUN, { hang: true }], [{ say: 'back' }]], {
        permissions: { mode: 'ask', ask },
      });
      const turn = new Following(connection.prompt('go'));
      await turn.until('tool-call');
      await eventually(() => signal !== undefined);
      await connection.cancel();
      expect(await turn.end()).toMatchObject({ reason: 'cancelled' });
      expect(signal?.aborted).toBe(true);
      expect((await converse(connection, 'on')).text.trim()).toBe('back');
      expect(made(stage).command).toBe(false);
    });

    contract.it([], 'bypass: everything goes and nobody is asked', async (stage) => {
      const ask = () => Promise.reject(new Error('nobody is to be asked'));
      const connection = await stage.start([[WRITE, RUN]], { permissions: { mode: 'bypass', ask } });
      const turn = await converse(connection, 'go');
      expect(turn.last).toMatchObject({ reason: 'completed' });
      expect(made(stage)).toEqual({ file: true, command: true });
      expect(turn.of('permission').filter(({ decision }) => decision === 'denied')).toEqual([]);
    });
  });
}

function made({ world }: Stage): { file: boolean; command: boolean } {
  const has = (name: string) => existsSync(join(world.workingDirectory, name));
  return { file: has('made.txt'), command: has('ran.txt') };
}
