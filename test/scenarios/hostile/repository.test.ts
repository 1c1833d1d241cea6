import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Machine, machine } from '../../support/holdfast-binary.js';

/** What a repository that somebody cloned tries to do to whoever works in it. */
describe.concurrent('a hostile repository', () => {
  it('does not decide how long conversations are kept', async () => {
    await using pc = await machine();
    const sessions = join(pc.env.HOME ?? '', '.aurora', 'spawn', 'sessions');
    await pc.run(['chat', '--agent', 'scripted', '--session', 'old-1'], { input: 'hello\n' });
    utimesSync(join(sessions, 'old-1.jsonl'), 1_000, 1_000);
    put(pc, '.aurora/config.json', '{"spawner":{"interactive":{"session_expiry_days":1e-9,"max_tokens":1}}}');
    await pc.run(['chat', '--agent', 'scripted', '--session', 'evil-1'], { input: 'hello\n' });
    const { data } = await pc.json(['chat', '--list-sessions']);
    expect(data.map(({ session_id: id }: { session_id: string }) => id).sort()).toEqual(['evil-1', 'old-1']);
    await pc.run(['sessions', 'clean', '--yes']);
    expect(existsSync(join(sessions, 'evil-1.jsonl'))).toBe(true);
  });

  it.each(['exec', 'chat'])('runs no program when %s measures what an agent changed', async (command) => {
    await using pc = await machine();
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: pc.project, env: pc.env, stdio: 'pipe' });
    git('init', '-q');
    put(pc, 'a.txt', 'hi\n');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'x');
    const mark = pc.dir.at('RAN');
    git('config', 'filter.x.clean', `env > '${mark}'; cat`);
    put(pc, '.gitattributes', '*.txt filter=x\n');
    put(pc, 'a.txt', 'ho\n');
    const words = command === 'exec' ? ['hello'] : [];
    await pc.run([command, '--agent', 'scripted', ...words], { input: 'hello\n' });
    expect(existsSync(mark)).toBe(false);
  });
});

function put(pc: Machine, path: string, text: string): void {
  mkdirSync(dirname(join(pc.project, path)), { recursive: true });
  writeFileSync(join(pc.project, path), text);
}
