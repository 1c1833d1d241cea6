import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe.concurrent('a planted lock record with the highest number', () => {
  for (const [what, content] of [
    ['that says free', 'free\n'],
    ['that cannot be read', '{"pid":'],
  ] as const) {
    it(`${what} is refused at once, by answer and by unlock`, async () => {
      await using pc = await machine();
      const set = { questions: [{ title: 'T', prompt: 'P?', options: [{ label: 'Yes' }, { label: 'No' }] }] };
      const asked = await pc.run(['ask', '--no-wait', JSON.stringify(set)]);
      const id = asked.stdout.trim();
      const record = join(pc.questions, id, 'session.lock.999999999999999');
      writeFileSync(record, content);
      const answer = await pc.aside(['answer', id, '--option', 'Yes']);
      expect(answer.code).not.toBe(0);
      const unlock = await pc.run(['unlock', id, '--force']);
      if (content !== 'free\n') {
        expect(unlock.code).not.toBe(0);
        expect(unlock.stderr).toContain('999999999999999');
      } else expect(answer.stderr).toContain('remove that file by hand');
      rmSync(record);
      expect((await pc.aside(['answer', id, '--option', 'Yes'])).code).toBe(0);
    });
  }
});
