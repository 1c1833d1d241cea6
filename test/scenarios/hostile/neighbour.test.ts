import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect } from 'vitest';
import { HOLDFAST, machine } from '../../support/holdfast-binary.js';
import { itNeeds } from '../../support/it-needs.js';

/** What other processes of the machine do to ours. */
describe.concurrent('a hostile neighbour', () => {
  itNeeds(
    { timeNamespace: true },
    'in another time namespace does not take a living owner for dead',
    async () => {
      await using pc = await machine();
      const owner = pc.start(['chat', '--agent', 'scripted', '--session', 'mine']);
      owner.child.stdin.write('hello\n');
      await owner.printed('stdout', /You said: hello/);
      const words = ['-T', '--boottime', '100000', '--fork', process.execPath, HOLDFAST];
      const thief = spawn('unshare', [...words, 'chat', '--resume', 'mine'], {
        cwd: pc.project,
        env: pc.env,
      });
      thief.stdin.end('stolen\n');
      const [code] = await once(thief, 'exit');
      expect(code).toBe(5);
      owner.child.stdin.end('still here\n');
      const { code: ownCode, stdout } = await owner.ended;
      expect({ ownCode, stdout }).toEqual({
        ownCode: 0,
        stdout: expect.stringContaining('You said: still here'),
      });
    },
  );
});
