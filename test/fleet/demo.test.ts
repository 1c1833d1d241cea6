import { describe, expect } from 'vitest';
import { machine } from '../support/holdfast-binary.js';
import { POSTGRES } from '../support/postgres-place.js';
import { living } from '../support/processes.js';
import { verifies } from '../support/verifies.js';

describe('the demo of two machines', () => {
  verifies('F04', 'without a PostgreSQL it says so, with the way out, and leaves nothing', async () => {
    await using one = await machine({ path: '/nonexistent' });
    const { code, stderr } = await one.run(['demo', '--fleet', '--auto']);
    // Debian's PostgreSQL is found even without PATH: then git is what is missing.
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/PostgreSQL|git/);
    expect((await one.run(['demo', '--url', 'postgres://x@y/z'])).code).toBe(2);
  });

  describe.skipIf(POSTGRES === undefined)('with one', () => {
    verifies(
      'F04',
      'plays a question answered elsewhere, a pulled plug, and the run that goes on',
      async () => {
        await using one = await machine();
        const { code, stdout, stderr } = await one.run(['demo', '--fleet', '--auto'], {
          // If root runs this, the server belongs to another user, who must be able to reach its directory.
          env: { TMPDIR: '/tmp' },
        });
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
        const told = stdout.replaceAll(/\s+/g, ' ');
        for (const words of [
          'inbox has it: Tone:',
          'The answer arrived on the workstation',
          'Somebody pulls the workstation’s plug',
          'The laptop has it',
          'completed',
          'is on laptop since',
          'left behind at',
        ])
          expect(told).toContain(words);
        expect(living(one.dir.path)).toEqual([]);
      },
    );
  });
});
