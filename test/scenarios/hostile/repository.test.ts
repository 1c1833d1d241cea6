import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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

  it.each([
    ['exec', ['exec', '--agent', 'scripted', 'hello']],
    ['chat', ['chat', '--agent', 'scripted']],
    [
      'run',
      [
        'run',
        'plan.md',
        '--agent',
        'scripted',
        '--verify',
        'true',
        '--max-iterations',
        '1',
        '--plain',
        '--unattended',
        '--dirty',
      ],
    ],
  ])('runs no program when %s measures what an agent changed', async (_what, words) => {
    await using pc = await machine();
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: pc.project, env: pc.env, stdio: 'pipe' });
    git('init', '-q');
    put(pc, 'a.txt', 'hi\n');
    put(pc, 'b.md', 'hi\n');
    put(pc, 'plan.md', '# Plan\n\n## Success criteria\n\n- [ ] it works\n');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'x');
    const mark = pc.dir.at('RAN');
    const program = `env > '${mark}'; cat`;
    git('config', 'filter.x.clean', program);
    git('config', 'filter.y.process', program);
    for (const key of ['core.fsmonitor', 'diff.external', 'diff.x.textconv', 'core.pager', 'core.sshCommand'])
      git('config', key, program);
    put(pc, '.git/more', `[filter "z"]\n\tclean = "${program}"\n`);
    git('config', 'include.path', 'more');
    put(pc, '.git/hooks/post-index-change', `#!/bin/sh\n${program}\n`);
    chmodSync(join(pc.project, '.git/hooks/post-index-change'), 0o755);
    put(pc, '.gitattributes', '*.txt filter=x diff=x\n*.md filter=y\nplan.md filter=z\n');
    put(pc, 'a.txt', 'ho\n');
    put(pc, 'b.md', 'ho\n');
    const outcome = await pc.run(words, { input: 'hello\n' });
    expect(outcome.stdout + outcome.stderr).toMatch(/You said|iteration/i);
    expect(existsSync(mark)).toBe(false);
  });

  it('does not get our settings written behind a link that it brings', async () => {
    await using pc = await machine();
    const outside = pc.dir.at('settings.json');
    writeFileSync(outside, '{}\n');
    symlinkSync(outside, join(pc.project, '.mcp.json'));
    const { code, stderr } = await pc.run(['setup', 'claude', '--project', '--write']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/\.mcp\.json: it is a link that leads out of the project/);
    expect(stderr).toContain('without --write the command prints what belongs there');
    expect(readFileSync(outside, 'utf8')).toBe('{}\n');
  });

  it('in a directory that everybody may write to gets no loop, with the way out', async () => {
    await using pc = await machine();
    put(pc, 'plan.md', '# Plan\n\n## Success criteria\n\n- [ ] it works\n');
    chmodSync(pc.project, 0o777);
    const { code, stderr } = await pc.run([
      'run',
      'plan.md',
      '--agent',
      'scripted',
      '--verify',
      'true',
      '--plain',
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('everybody may write to it')]);
    expect(stderr).toContain('loop.dir');
    expect(existsSync(join(pc.project, '.prp-session'))).toBe(false);
    expect((await pc.run(['status'])).code).toBe(4);
  });
});

function put(pc: Machine, path: string, text: string): void {
  mkdirSync(dirname(join(pc.project, path)), { recursive: true });
  writeFileSync(join(pc.project, path), text);
}
