import { spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOLDFAST, type Machine, machine, Running } from '../support/holdfast-binary.js';
import { question } from '../support/question-world.js';
import { living } from '../support/run-world.js';
import { verifies } from '../support/verifies.js';

const SET = JSON.stringify({ questions: [question()] });

async function asked(world: Machine): Promise<string> {
  return (await world.run(['ask', '--no-wait', SET])).stdout.trim();
}

/** A command that has asked and waits, and the id of its set. */
async function asking(world: Machine, ...more: string[]) {
  const command = world.start(['ask', SET, ...more]);
  const [, id = ''] = await command.printed('stderr', /^Waiting for an answer to ([0-9a-f-]{36}) /m);
  return { command, id };
}

/** Runs a line of shell in which `holdfast` is the program under test. */
async function shell(world: Machine, line: string) {
  const child = spawn('bash', ['-c', `holdfast() { "${process.execPath}" "${HOLDFAST}" "$@"; }\n${line}`], {
    cwd: world.project,
    env: world.env,
  });
  child.stdin.end();
  return new Running(child).ended;
}

describe('asking and answering in two processes', () => {
  verifies('Q20', 'ask blocks, answer ends it, both say so', async () => {
    await using world = await machine();
    const { command, id } = await asking(world);
    expect((await world.json(['questions'])).data).toMatchObject([
      { sessionId: id, isAskerGone: false, workingDirectory: world.project },
    ]);
    const answered = await world.run(['answer', id.slice(0, 8), '--option', 'SQLite']);
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    expect(await command.ended).toMatchObject({
      code: 0,
      stdout: "Here are the user's answers:\n\n1. Which database?\n→ SQLite\n",
    });
    expect((await world.json(['questions', 'show', id])).data).toMatchObject({
      status: 'completed',
      collectedAt: expect.any(String),
    });
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    verifies(
      'Q20',
      `${signal} during ask ends with ${code}; the question stays and its asker is gone`,
      async () => {
        await using world = await machine();
        const { command, id } = await asking(world);
        command.child.kill(signal);
        const ended = await command.ended;
        expect([ended.code, ended.signal, ended.stdout]).toEqual([code, null, '']);
        expect(ended.stderr).toContain(`holdfast questions collect ${id.slice(0, 8)}`);
        expect((await world.json(['questions'])).data).toMatchObject([
          { sessionId: id, status: 'pending', isAskerGone: true },
        ]);
        expect((await world.run(['questions', 'show', id])).stdout).toContain(
          '(the asker is gone; an answer is kept for it)',
        );
        await world.run(['answer', id, '--option', '1']);
        expect((await world.json(['questions', 'collect'])).data).toMatchObject({
          sessionId: id,
          isNew: true,
        });
      },
    );
  }

  verifies('Q20', 'SIGINT while ask still reads its input ends with 130', async () => {
    await using world = await machine();
    const command = world.start(['ask']);
    // More than a pipe holds: once all of it is taken, the program is reading.
    await new Promise((resolve) => command.child.stdin.write(' '.repeat(1024 * 1024), resolve));
    command.child.kill('SIGINT');
    expect(await command.ended).toMatchObject({ code: 130, stdout: '' });
    expect(existsSync(world.questions)).toBe(false);
  });

  verifies('Q20', 'SIGKILL during ask: the question stays and its asker is known to be gone', async () => {
    await using world = await machine();
    const { command, id } = await asking(world);
    command.child.kill('SIGKILL');
    await command.ended;
    expect((await world.json(['questions'])).data).toMatchObject([
      { sessionId: id, status: 'pending', isAskerGone: true },
    ]);
    expect((await world.run(['answer', id, '--option', '1'])).code).toBe(0);
  });
});

describe('output that does not arrive', () => {
  verifies('Q20', 'a reader that has enough (head) is no error', async () => {
    await using world = await machine();
    for (let count = 0; count < 3; count++) await asked(world);
    const { code, stdout, stderr } = await shell(
      world,
      'set -o pipefail; holdfast questions list --all | head -1',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^ID +STATUS/);
  });

  verifies('Q20', 'an answer printed into a closed pipe stays new', async () => {
    await using world = await machine();
    const id = await asked(world);
    await world.run(['answer', id, '--option', '1']);
    await shell(world, `holdfast questions collect ${id} | true`);
    // `true` may have read nothing or been late: whatever happened, the answer is there, and new if it went nowhere.
    const closed = world.start(['questions', 'collect', id]);
    closed.child.stdout.destroy();
    closed.child.stdin.end();
    await closed.ended;
    const { code, data } = await world.json(['questions', 'collect', id]);
    expect([code, data.status]).toEqual([0, 'completed']);
  });

  verifies('Q20', 'a full disk behind stdout is an error, and the answer stays new', async () => {
    await using world = await machine();
    const id = await asked(world);
    await world.run(['answer', id, '--option', '1']);
    const { code, stderr } = await shell(world, `holdfast questions collect ${id} > /dev/full`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/could not be written.*ENOSPC/s)]);
    expect((await world.json(['questions', 'collect', id])).data).toMatchObject({
      isNew: true,
      status: 'completed',
    });
    expect((await shell(world, 'holdfast questions list > /dev/full')).code).toBe(1);
  });

  verifies('Q20', 'a closed stderr is no reason to fail', async () => {
    await using world = await machine();
    const { code, stdout } = await shell(
      world,
      `holdfast questions collect 2>&-; holdfast ask --no-wait '${SET}' 2>&-`,
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}\n$/)]);
  });
});

describe('the program', () => {
  verifies('Q20', 'answers --version and --help at once, also before anything exists', async () => {
    await using world = await machine();
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await world.run(['--version'])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
    for (const args of [['--help'], ['-h'], ['help'], []]) {
      expect((await world.run(args)).stdout).toMatch(/^holdfast: durable sessions for coding agents\n/);
    }
    expect(await world.run(['nonsense'])).toMatchObject({ code: 2, stdout: '' });
    expect(readdirSync(world.dir.path).sort()).toEqual(['home', 'projéct 1', 'tmp']);
  });

  verifies('Q01', 'directories are 0700 and files 0600 whatever the umask of the shell', async () => {
    await using world = await machine();
    const { stdout } = await shell(
      world,
      `umask 000; id=$(holdfast ask --no-wait '${SET}'); holdfast answer $id --option 1 >/dev/null; echo $id`,
    );
    const id = stdout.trim();
    const modes = readdirSync(join(world.questions, id)).map((name) => [
      name.replace(/\d+$/, 'N'),
      (lstatSync(join(world.questions, id, name)).mode & 0o777).toString(8),
    ]);
    expect(Object.fromEntries(modes)).toEqual({
      'request.json': '600',
      'status.json': '600',
      'answers.json': '600',
      'session.lock.N': '600',
    });
    for (const path of [world.questions, join(world.questions, id), join(world.dir.path, 'holdfast home')]) {
      expect((lstatSync(path).mode & 0o777).toString(8)).toBe('700');
    }
  });

  verifies(
    'Q20',
    'exit codes of a script: pending 3, answered 0, rejected 1, unknown 4, usage 2',
    async () => {
      await using world = await machine();
      const line = `
      id=$(holdfast ask --no-wait < q.json) || exit 99
      holdfast questions collect $id > /dev/null; echo pending $?
      holdfast answer $id --option 2 > /dev/null; echo answer $?
      holdfast answer $id --option 1 2> /dev/null; echo losing $?
      holdfast questions collect --wait $id > /dev/null; echo collect $?
      other=$(holdfast ask --no-wait --file q.json)
      holdfast answer $other --reject > /dev/null; echo reject $?
      holdfast questions collect $other > /dev/null; echo rejected $?
      holdfast questions show 00000000-0000-4000-8000-000000000000 2> /dev/null; echo unknown $?
      holdfast questions show ../../etc/passwd 2> /dev/null; echo hostile $?
      echo '{' > "$HOLDFAST_HOME/data/questions/$other/status.json"
      holdfast questions verify > /dev/null; echo verify $?
      holdfast questions list > /dev/null; echo list $?`;
      writeFileSync(join(world.project, 'q.json'), SET);
      const { stdout } = await shell(world, line);
      expect(stdout.trim().split('\n')).toEqual([
        'pending 3',
        'answer 0',
        'losing 1',
        'collect 0',
        'reject 0',
        'rejected 1',
        'unknown 4',
        'hostile 2',
        'verify 8',
        'list 0',
      ]);
    },
  );

  verifies('Q20', 'completion works in a real bash', async () => {
    await using world = await machine();
    const line = `
      source <(holdfast completion bash)
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _holdfast holdfast "\${!#}"; echo "\${COMPREPLY[*]}"; }
      complete -p holdfast
      try holdfast ques
      try holdfast questions ''
      try holdfast questions c
      try holdfast setup ''
      try holdfast completion f
      try holdfast questions list --j
      try holdfast ask zzz`;
    const { code, stdout, stderr } = await shell(world, line);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      'complete -o default -F _holdfast holdfast',
      'questions',
      'list show collect wait reject cancel verify clean',
      'collect cancel clean',
      'claude codex gemini opencode',
      'fish',
      '--json',
      '',
      '',
    ]);
  });

  for (const [client, paths] of [
    ['claude', ['.claude.json', '.claude/settings.json']],
    ['codex', ['.codex/config.toml']],
    ['gemini', ['.gemini/settings.json', '.gemini/policies/holdfast.toml']],
    ['opencode', ['.config/opencode/opencode.json']],
  ] as const) {
    verifies(
      'Q22',
      `setup ${client} writes its own file below HOME and nothing else, and leaves it as it was`,
      async () => {
        await using world = await machine();
        const home = join(world.dir.path, 'home');
        const printed = await world.run(['setup', client]);
        expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining('Goes into ') });
        expect(readdirSync(home)).toEqual([]);
        const { stdout } = await world.run(['setup', client, '--write']);
        for (const path of paths) expect(stdout).toContain(join(home, path));
        expect(readFileSync(join(home, paths[0]), 'utf8')).toContain(world.env.HOLDFAST_HOME);
        const files = () =>
          readdirSync(home, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => join(entry.parentPath, entry.name));
        expect(files().sort()).toEqual(paths.map((path) => join(home, path)).sort());
        expect((await world.run(['setup', client, '--remove'])).code).toBe(0);
        expect(files()).toEqual([]);
      },
    );
  }

  verifies(
    'R03',
    'setup can be taken back exactly after others wrote, and leaves what the user had',
    async () => {
      await using world = await machine();
      const home = join(world.dir.path, 'home');
      const settings = join(home, '.claude', 'settings.json');
      mkdirSync(join(home, '.claude'));
      const own = '{\n  "permissions": { "allow": ["mcp__holdfast__ask_user_questions", "Read"] } }\n';
      writeFileSync(settings, own);
      writeFileSync(join(home, '.claude.json'), '{"numStartups":1,"mcpServers":{"git":{"command":"uvx"}}}');
      await world.run(['setup', 'claude', '--write']);
      // Twice is once.
      expect((await world.run(['setup', 'claude', '--write'])).stdout).toContain('already');
      expect(JSON.parse(readFileSync(settings, 'utf8')).permissions.allow).toHaveLength(3);
      // The agent counts its starts, and the user allows another tool.
      const claude = readFileSync(join(home, '.claude.json'), 'utf8').replace(
        '"numStartups":1',
        '"numStartups":2',
      );
      writeFileSync(join(home, '.claude.json'), claude);
      writeFileSync(settings, readFileSync(settings, 'utf8').replace('"Read"', '"Read", "Bash(ls:*)"'));
      expect((await world.run(['setup', 'claude', '--remove'])).code).toBe(0);
      expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(
        '{"numStartups":2,"mcpServers":{"git":{"command":"uvx"}}}',
      );
      expect(readFileSync(settings, 'utf8')).toBe(own.replace('"Read"', '"Read", "Bash(ls:*)"'));
    },
  );

  verifies('R03', 'setup with --project stays in the project and is taken back', async () => {
    await using world = await machine();
    for (const client of ['claude', 'codex', 'gemini', 'opencode']) {
      expect((await world.run(['setup', client, '--project', '--write'])).code).toBe(0);
      expect((await world.run(['setup', client, '--project', '--remove'])).code).toBe(0);
    }
    const left = readdirSync(world.project, { recursive: true, withFileTypes: true });
    expect(left.filter((entry) => entry.isFile())).toEqual([]);
    expect(readdirSync(join(world.dir.path, 'home'))).toEqual([]);
  });

  it('demo shows the whole story without a terminal, and leaves nothing behind', async () => {
    await using world = await machine();
    const { code, stdout, stderr } = await world.run(['demo']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('The demo answers for you: Hello');
    const [, pid] = /kill -9 (\d+) /.exec(stdout) ?? [];
    expect(stdout).toContain(`Process ${pid} is gone: SIGKILL.`);
    expect(stdout).toContain('You chose "Hello". This is what the agent wrote:');
    expect(stdout).toContain('The person chose "Hello".');
    for (const phase of ['RED', 'GREEN', 'REFACTOR', 'DOCUMENT'])
      expect(stdout).toMatch(new RegExp(`^${phase} +\\d .* done$`, 'm'));
    expect(stdout).toMatch(/^ {2}[0-9a-f]{8} .*Tone: .* → Hello/m);
    expect(stdout).toContain('Nothing was lost.');
    expect(readdirSync(world.env.HOME ?? '')).toEqual([]);
    expect(living(world.dir.path)).toEqual([]);
    expect(readdirSync(join(world.dir.path, 'tmp'))).toEqual([]);
    expect(existsSync(world.questions)).toBe(false);
  });

  it('input as large as a pipe allows is read whole, and more is refused', async () => {
    await using world = await machine();
    const long = JSON.stringify({ questions: [question({ prompt: 'x'.repeat(200_000) })] });
    expect((await world.run(['ask', '--no-wait'], { input: long })).code).toBe(0);
    const tooLong = await world.run(['ask', '--no-wait'], { input: ' '.repeat(5 * 1024 * 1024) });
    expect([tooLong.code, tooLong.stderr]).toEqual([2, expect.stringContaining('bytes on standard input')]);
  });

  it('standard input that is a directory is an error, not a hang', async () => {
    await using world = await machine();
    const child = spawn(process.execPath, [HOLDFAST, 'ask'], {
      cwd: world.project,
      env: world.env,
      stdio: [openSync(world.project, 'r'), 'pipe', 'pipe'],
    });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(2);
  });
});
