import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/processes.js';
import { markedPids, programTools } from '../../test/support/program-world.js';
import { type TempDir, tempDir } from '../../test/support/temp-dir.js';
import { verifies } from '../../test/support/verifies.js';
import { nodeFileSystem } from '../storage/index.js';
import { findProcess } from './process-table.js';
import { type Program, type ProgramSpec, startProgram } from './program.js';

const AT_ONCE = { graceMs: 0, termMs: 0 };
const GENTLY = { graceMs: 5_000, termMs: 5_000 };

describe('a program', () => {
  verifies('P03', 'it runs in a session and process group of its own, marked', async () => {
    await using dir = await tempDir();
    const { program } = await start(dir, 'exec sleep 1000');
    expect(findProcess(nodeFileSystem, program.pid)).toMatchObject({ pid: program.pid, group: program.pid });
    // While the shell is turning into another program, it briefly has no environment.
    await until(() => markedPids(program.marker).length > 0);
    expect(markedPids(program.marker)).toEqual([program.pid]);
    await program.stop(AT_ONCE);
  });

  verifies(
    'P03',
    'both outputs are read from the first byte to the last, however fast it exits',
    async () => {
      await using dir = await tempDir();
      const { program, lines } = await start(dir, 'echo first; echo problem >&2; echo last');
      await program.exited;
      expect({ lines, stderr: program.stderrTail }).toEqual({
        lines: ['first', 'last'],
        stderr: 'problem\n',
      });
      await program.stop(AT_ONCE);
    },
  );

  verifies('P05', 'lines arrive as they were written, framed by LF alone', async () => {
    await using dir = await tempDir();
    const { program, lines } = await start(
      dir,
      `printf 'a\\r\\n\\n\\342\\200\\250b\\nhalf \\303\\n\\303\\251nd'`,
    );
    await program.exited;
    expect(lines).toEqual(['a', '', '\u2028b', 'half \ufffd', 'énd']);
    await program.stop(AT_ONCE);
  });

  verifies('P05', 'a grandchild that keeps the pipe does not hide the exit', async () => {
    await using dir = await tempDir();
    const { program, lines } = await start(dir, 'setsid sleep 1000 & echo done; exit 7');
    expect(await program.exited).toEqual({ code: 7, signal: null });
    expect(lines).toEqual(['done']);
    await program.stop(AT_ONCE);
    expect(markedPids(program.marker)).toEqual([]);
  });

  it('cannot fill our memory or block itself by flooding stderr', async () => {
    await using dir = await tempDir();
    const before = process.memoryUsage().rss;
    const { program, lines } = await start(dir, 'head -c 536870912 /dev/zero >&2; echo end', {
      logPath: dir.at('log'),
    });
    await program.exited;
    expect(lines).toEqual(['end']);
    expect(program.stderrTail.length).toBe(64 * 1024);
    // Half of the output: on a fast machine much that was dropped is not collected yet.
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
    await program.stop(AT_ONCE);
  });

  it('keeps the beginning and the end of its output in bounded files, redacted', async () => {
    await using dir = await tempDir();
    const key = `sk-ant-api03-${'x1'.repeat(20)}`;
    const script = `echo 'first ${key}'; yes '${'y'.repeat(1023)}' | head -c 100663296; echo; echo 'the last line'`;
    const { program } = await start(dir, script, { logPath: dir.at('log') });
    await program.exited;
    await program.stop(AT_ONCE);
    const names = readdirSync(dir.path)
      .filter((name) => name.startsWith('log'))
      .sort();
    expect(names).toEqual(['log', 'log.1', 'log.2']);
    for (const name of names) expect(statSync(dir.at(name)).size).toBeLessThanOrEqual(33 * 1024 * 1024);
    expect(readFileSync(dir.at('log'), 'utf8').slice(0, 40)).toContain('first [redacted:anthropic-key]');
    const [one = '', two = ''] = ['log.1', 'log.2'].map((name) => readFileSync(dir.at(name), 'utf8'));
    expect(one.endsWith('the last line\n') || two.endsWith('the last line\n')).toBe(true);
    expect(statSync(dir.at('log')).mode & 0o777).toBe(0o600);
  });

  verifies('P05', 'a line that is too long is reported instead of held', async () => {
    await using dir = await tempDir();
    const oversized: number[] = [];
    const { program, lines } = await start(dir, `head -c 200000 /dev/zero | tr '\\0' x; echo; echo ok`, {
      maxLineBytes: 100_000,
      onOversizedLine: ({ bytes }) => oversized.push(bytes),
    });
    await program.exited;
    expect({ oversized, lines }).toEqual({ oversized: [200_000], lines: ['ok'] });
    await program.stop(AT_ONCE);
  });

  it('reads what is written to it, and a closed input is a typed error', async () => {
    await using dir = await tempDir();
    const { program, lines } = await start(dir, 'read line; echo "got $line"; exec <&-; sleep 1000', {
      input: 'open',
    });
    await program.writeLine('hello');
    await until(() => lines.includes('got hello'));
    program.closeInput();
    await expect(program.writeLine('more')).rejects.toMatchObject({ code: 'PROGRAM_INPUT_CLOSED' });
    await program.stop(AT_ONCE);
  });
});

describe('stopping a program', () => {
  verifies('P08', 'it may leave by itself when its input ends', async () => {
    await using dir = await tempDir();
    const { program, lines } = await start(dir, 'cat >/dev/null; echo bye', { input: 'open' });
    expect(await program.stop(GENTLY)).toEqual({ code: 0, signal: null });
    expect(lines).toEqual(['bye']);
  });

  for (const [what, script, signal] of [
    ['ignores its input but obeys SIGTERM', 'exec sleep 1000', 'SIGTERM'],
    ['ignores SIGTERM', `trap '' TERM; echo ready; while :; do sleep 1000; done`, 'SIGKILL'],
  ] as const) {
    verifies('P08', `one that ${what} is ended by ${signal}`, async () => {
      await using dir = await tempDir();
      const { program, lines } = await start(dir, script, { input: 'open' });
      if (script.includes('ready')) await until(() => lines.includes('ready'));
      expect(await program.stop({ graceMs: 50, termMs: 200 })).toEqual({ code: null, signal });
      expect(markedPids(program.marker)).toEqual([]);
    });
  }

  for (const [where, script] of [
    ['in its group', 'sleep 1000 & sleep 1000 & echo ready; wait'],
    ['in a session of their own', 'setsid sleep 1000 & setsid sleep 1000 & echo ready; wait'],
    [
      'that start others again and again',
      `setsid sh -c 'while :; do sleep 0.01 & sleep 0.01; done' & echo ready; wait`,
    ],
    [
      'that ignore SIGTERM in a session of their own',
      `setsid sh -c "trap '' TERM; sleep 1000; sleep 1000" & echo ready; wait`,
    ],
  ] as const) {
    verifies('P08', `the processes that it started ${where} end with it`, async () => {
      await using dir = await tempDir();
      const { program, lines } = await start(dir, script);
      await until(() => lines.includes('ready') && markedPids(program.marker).length > 1);
      await program.stop(AT_ONCE);
      expect(markedPids(program.marker)).toEqual([]);
    });
  }

  it('twice is the same stop, and the record is removed with the last process', async () => {
    await using dir = await tempDir();
    const { program } = await start(dir, 'sleep 1000');
    expect(readdirSync(dir.at('programs'))).toEqual([`${program.marker}.json`]);
    const [first, second] = await Promise.all([program.stop(AT_ONCE), program.stop(AT_ONCE)]);
    expect(first).toEqual(second);
    expect(readdirSync(dir.at('programs'))).toEqual([]);
  });
});

describe('a program that cannot be started', () => {
  for (const [why, command, message] of [
    ['is not there', '/nowhere/at-all', /there is no such program/],
    ['may not be executed', '/etc/passwd', /EACCES/],
  ] as const) {
    verifies('P03', `one that ${why} is a typed error, and nothing says that it runs`, async () => {
      await using dir = await tempDir();
      const spec = specFor(dir, '', { command, args: [] }).spec;
      await expect(startProgram(programTools(dir.at('programs')), spec)).rejects.toMatchObject({
        code: 'PROGRAM_NOT_STARTED',
        message: expect.stringMatching(message),
      });
      expect(existsSync(dir.at('programs')) ? readdirSync(dir.at('programs')) : []).toEqual([]);
    });
  }

  it('in a directory that does not exist is a typed error, too', async () => {
    await using dir = await tempDir();
    const { spec } = specFor(dir, 'true', { workingDirectory: dir.at('gone') });
    await expect(startProgram(programTools(dir.at('programs')), spec)).rejects.toMatchObject({
      code: 'PROGRAM_NOT_STARTED',
    });
  });
});

function specFor(
  dir: TempDir,
  script: string,
  overrides: Partial<ProgramSpec>,
): { spec: ProgramSpec; lines: string[] } {
  const lines: string[] = [];
  const spec: ProgramSpec = {
    command: 'sh',
    args: ['-c', script],
    workingDirectory: dir.path,
    environment: process.env,
    input: 'closed',
    onLine: (line) => lines.push(line),
    ...overrides,
  };
  return { spec, lines };
}

async function start(
  dir: TempDir,
  script: string,
  overrides: Partial<ProgramSpec> = {},
): Promise<{ program: Program; lines: string[] }> {
  const { spec, lines } = specFor(dir, script, overrides);
  return { program: await startProgram(programTools(dir.at('programs')), spec), lines };
}
