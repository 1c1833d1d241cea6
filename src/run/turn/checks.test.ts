import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { programTools } from '../../../test/support/program-world.js';
import { type TempDir, tempDir } from '../../../test/support/temp-dir.js';
import { guessedCheck, runChecks, typedCheck } from './checks.js';

const QUIET = { onStart: () => {}, onEnd: () => {} };
const never = () => new AbortController().signal;

function checkTools(dir: TempDir, timeoutMs = 30_000) {
  return {
    programs: programTools(dir.at('programs')),
    workingDirectory: dir.path,
    environment: { PATH: process.env.PATH },
    timeoutMs,
  };
}

async function run(commands: readonly string[], timeoutMs?: number) {
  await using dir = await tempDir();
  // Awaited here: the directory lives as long as this block.
  return await runChecks(checkTools(dir, timeoutMs), commands.map(typedCheck), QUIET, never());
}

const TAP = (passed: number, failed: number) =>
  `printf '# tests ${passed + failed}\\n# suites 0\\n# pass ${passed}\\n# fail ${failed}\\n# cancelled 0\\n# skipped 0\\n# todo 0\\n# duration_ms 1\\n'`;

describe('checks', () => {
  it('that pass have exit code 0, and no numbers if none were reported', async () => {
    expect(await run(['true', 'echo fine'])).toEqual({
      exitCode: 0,
      tests: null,
      failure: null,
      output: '',
      broken: null,
    });
  });

  it('the first that fails gives exit code and message; the others still run', async () => {
    expect(await run(['true', 'echo "Error: boom" >&2; exit 3', 'exit 4', TAP(2, 0)])).toMatchObject({
      exitCode: 3,
      failure: 'echo "Error: boom" >&2; exit 3 ended with 3: Error: boom',
      output: 'Error: boom',
      tests: { total: 2, passing: 2, failing: 0 },
    });
  });

  it('numbers add up', async () => {
    expect((await run([TAP(2, 0), `${TAP(1, 2)}; exit 1`])).tests).toEqual({
      total: 5,
      passing: 3,
      failing: 2,
      skipped: 0,
    });
  });

  it('a missing program has failed', async () => {
    await using dir = await tempDir();
    const results = await runChecks(
      checkTools(dir),
      [guessedCheck('no-such-program-at-all x')],
      QUIET,
      never(),
    );
    const words = expect.stringContaining('no such program');
    const broken = { label: 'no-such-program-at-all x', exitCode: 127, words };
    expect(results).toMatchObject({ exitCode: 127, failure: words, broken });
  });

  it('one that a shell does not find or may not execute is named; one that ran and failed is not', async () => {
    const broken = async (...commands: string[]) => (await run(commands)).broken;
    expect(await broken('true', 'no-such-command-at-all --x')).toMatchObject({
      label: 'no-such-command-at-all --x',
      exitCode: 127,
    });
    expect(await broken('/dev/null')).toMatchObject({ label: '/dev/null', exitCode: 126 });
    expect(await broken('exit 1')).toBeNull();
    // If a test run itself exits with that code, it did run.
    expect(await broken(`${TAP(1, 1)}; exit 127`)).toBeNull();
  });

  it('one that takes too long has failed and is gone, with everything it started', async () => {
    const results = await run(['sleep 1000 & sleep 1000'], 100);
    expect(results).toMatchObject({ exitCode: 1, failure: expect.stringContaining('did not end by itself') });
  });

  it('a signal ends the running one, and the rest are not started', async () => {
    await using dir = await tempDir();
    const controller = new AbortController();
    const begun = dir.at('second');
    const listener = { onStart: () => controller.abort(), onEnd: () => {} };
    const checks = [typedCheck('sleep 1000'), typedCheck(`touch '${begun}'`)];
    await runChecks(checkTools(dir), checks, listener, controller.signal);
    expect(existsSync(begun)).toBe(false);
  });

  it('none at all measure nothing', async () => {
    expect(await run([])).toMatchObject({ exitCode: null, tests: null });
  });

  it('a guessed one never reaches a shell', () => {
    expect(guessedCheck('npm run lint')).toEqual({
      label: 'npm run lint',
      command: 'npm',
      args: ['run', 'lint'],
    });
  });
});
